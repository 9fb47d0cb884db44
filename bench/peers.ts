import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { startJsonServer, startPeer, writeJsonDatabase } from './json-server.ts'
import { benchFolder, CRM, plainEnv, ROOT, type Server, startCrm, timeCommands } from './processes.ts'
import { fillContacts } from './seed.ts'
import type { Row } from './table.ts'

const CONTACT = {
  name: 'Ada Lovelace',
  email: 'ada@engines.example',
  company: 'Analytical Engines',
  owner_id: 'u_ines',
}
const LISTED = 10_000
const CREATED = 1000
const WRITERS = 8

const PRISM = join(ROOT, 'tools/judges/node_modules/@stoplight/prism-cli/dist/index.js')

/** Other tools in one run with crm: those that are not installed are left out, and stderr names them. */
export async function measurePeers(): Promise<Row[]> {
  const folder = benchFolder()
  const [crmFile, jsonFile] = [join(folder, 'crm.db'), join(folder, 'db.json')]
  await fillContacts(crmFile, LISTED)
  writeJsonDatabase(jsonFile, CONTACT, LISTED)
  const crm = await startCrm(crmFile)
  const json = await startJsonServer(jsonFile)
  const prism = await startPrism(folder, crm)
  const lists = {
    crm: await timed(() => readCursors(crm)),
    json: await timed(() => readPages(json)),
  }
  const creates = {
    crm: await timed(() => createMany(crm, '/v1/contacts')),
    json: await timed(() => createMany(json, '/contacts')),
    prism: prism && (await timed(() => createMany(prism, '/v1/contacts'))),
  }
  await prism?.stop()
  const kept = {
    crm: await keptAfterKill(crm, '/v1/contacts', () => startCrm(crmFile).then(stopAfter(readCursors))),
    json: await keptAfterKill(json, '/contacts', () => startJsonServer(jsonFile).then(stopAfter(readPages))),
  }
  return [
    ...(await besideGh(folder)),
    row(`list of ${LISTED}, in pages of 500`, lists.crm, ['json-server', lists.json]),
    row(`${CREATED} creates by ${WRITERS} writers`, creates.crm, ['json-server', creates.json]),
    ...(creates.prism === undefined
      ? []
      : [row(`${CREATED} creates, beside one that keeps none`, creates.crm, ['prism', creates.prism])]),
    {
      what: 'answered creates that are there after kill -9',
      measured: kept.crm.text,
      peer: `json-server: ${kept.json.text}`,
      ratio: kept.crm.share / kept.json.share,
      goal: { atLeast: 1 },
    },
  ]
}

function row(what: string, ms: number, [peer, peerMs]: readonly [string, number]): Row {
  return {
    what,
    measured: `${ms.toFixed(0)} ms`,
    peer: `${peer}: ${peerMs.toFixed(0)} ms`,
    ratio: ms / peerMs,
    goal: undefined,
  }
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startMs = performance.now()
  await work()
  return performance.now() - startMs
}

async function ask({ url, key }: Server, path: string, init: RequestInit = {}): Promise<Response> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const answer = await fetch(`${url}${path}`, { ...init, headers })
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
  return answer
}

async function readCursors(server: Server): Promise<number> {
  let count = 0
  for (let cursor: string | null = ''; cursor !== null; ) {
    const answer = await ask(server, `/v1/contacts?limit=500${cursor && `&cursor=${cursor}`}`)
    const page = (await answer.json()) as { data: unknown[]; next_cursor: string | null }
    count += page.data.length
    cursor = page.next_cursor
  }
  return count
}

async function readPages(server: Server): Promise<number> {
  let count = 0
  for (let page: number | null = 1; page !== null; ) {
    const answer = await ask(server, `/contacts?_page=${page}&_per_page=500`)
    const { data, next } = (await answer.json()) as { data: unknown[]; next: number | null }
    count += data.length
    page = next
  }
  return count
}

const create = (server: Server, path: string) =>
  ask(server, path, { method: 'POST', body: JSON.stringify(CONTACT) }).then((answer) => answer.text())

async function createMany(server: Server, path: string): Promise<void> {
  let left = CREATED
  const write = async () => {
    while (left-- > 0) await create(server, path)
  }
  await Promise.all(Array.from({ length: WRITERS }, write))
}

function stopAfter(count: (server: Server) => Promise<number>): (server: Server) => Promise<number> {
  return async (server) => {
    const found = await count(server)
    await server.stop()
    return found
  }
}

/** Kills the server while it is written to: what of the answered creates a new one finds. */
async function keptAfterKill(server: Server, path: string, countAgain: () => Promise<number>) {
  let answered = 0
  const write = async () => {
    for (;;) {
      await create(server, path)
      answered++
    }
  }
  const writers = Array.from({ length: WRITERS }, () => write().catch(() => undefined))
  setTimeout(() => server.child.kill('SIGKILL'), 1500)
  await Promise.all(writers)
  const kept = Math.min(answered, (await countAgain()) - LISTED - CREATED)
  return { text: `${kept} of ${answered}`, share: kept / answered }
}

async function startPrism(folder: string, crm: Server): Promise<Server | undefined> {
  if (!existsSync(PRISM)) return void process.stderr.write('left out: prism ((cd tools/judges && npm ci))\n')
  const file = join(folder, 'openapi.json')
  writeFileSync(file, await (await ask(crm, '/v1/openapi.json')).text())
  const prism = await startPeer('/v1/openapi.json', (port) => [PRISM, 'mock', file, '--port', `${port}`])
  return { ...prism, key: crm.key }
}

/** Start, memory and a request that is answered 429 first, beside those of gh. */
async function besideGh(folder: string): Promise<Row[]> {
  if (spawnSync('gh', ['--version']).status !== 0) {
    process.stderr.write('left out: gh (apt install gh)\n')
    return []
  }
  const node = process.execPath
  const env = { ...plainEnv(), HOME: folder }
  const ms = timeCommands({ crm: [node, CRM, '--version'], gh: ['gh', '--version'] }, 15, env)
  const [ours, theirs] = [peakOf([node, CRM, '--version'], folder), peakOf(['gh', '--version'], folder)]
  const limited = await limitedServer()
  const key = { CRM_BASE_URL: limited.url, CRM_API_KEY: 'crm_key_of_a_bench' }
  const crm = await requestsOf([node, CRM, 'api', '/v1/contacts'], { ...env, ...key }, limited.count)
  // As a proxy, because gh asks only addresses of GitHub.
  const gh = await requestsOf(
    ['gh', 'api', 'user'],
    { ...env, GH_HOST: 'github.localhost', GH_TOKEN: 'x', HTTP_PROXY: limited.url },
    limited.count,
  )
  limited.close()
  return [
    row('--version', ms.crm ?? Number.NaN, ['gh', ms.gh ?? Number.NaN]),
    {
      what: 'memory of --version',
      measured: `${ours.toFixed(0)} MiB`,
      peer: `gh: ${theirs.toFixed(0)} MiB`,
      ratio: ours / theirs,
      goal: undefined,
    },
    {
      what: 'requests when the first is answered 429',
      measured: crm.text,
      peer: `gh: ${gh.text}`,
      ratio: crm.requests / gh.requests,
      goal: undefined,
    },
  ]
}

/** Of a whole process (GNU time), in MiB. */
function peakOf(command: readonly string[], folder: string): number {
  const file = join(folder, 'peak')
  const { status } = spawnSync('time', ['-f', '%M', '-o', file, ...command], { env: { ...plainEnv(), HOME: folder } })
  return status === 0 ? Number(readFileSync(file, 'utf8')) / 1024 : Number.NaN
}

/** Answers the first request of a program with 429, and the next with a page. */
async function limitedServer() {
  let requests = 0
  const server = createServer((_, response) => {
    requests++
    response.setHeader('content-type', 'application/json')
    if (requests === 1) response.writeHead(429, { 'retry-after': '1' }).end('{"message":"too many requests"}')
    else response.end('{"data":[],"next_cursor":null,"has_more":false}')
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const count = () => {
    const counted = requests
    requests = 0
    return counted
  }
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, count, close: () => server.close() }
}

async function requestsOf([file = '', ...args]: readonly string[], env: NodeJS.ProcessEnv, count: () => number) {
  count()
  const [exit] = await once(spawn(file, args, { env, stdio: 'ignore' }), 'exit')
  const requests = count()
  return { requests, text: `${requests}, exit ${exit}` }
}
