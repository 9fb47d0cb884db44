import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { Pool } from 'undici'
import { freePort } from '../test/harness/free-port.ts'
import { startCluster } from '../test/harness/postgres/cluster.ts'
import { createDatabase, prepareServer } from '../test/harness/postgres/databases.ts'
import { benchFolder, CRM, median, plainEnv, ROOT, type Server, startServer } from './processes.ts'

/**
 * `npm run bench:nginx -- [--minutes N]`: three processes on one PostgreSQL behind nginx with docs/operation/nginx.conf, at 70 % of
 * what they can. They are restarted one by one meanwhile; then, for a fifth of the time, killed with SIGKILL. Ends with exit 1
 * when a restart showed a client anything but success and 429.
 */
const PROCESSES = 3
const CONNECTIONS = 32
const SHARE = 0.7
const CAPACITY_MS = 10_000
const END_EVERY_MS = 15_000
const PARTS = 10
const KEY = 'crm_key_bench-bench-bench-bench-bench-bench'

const HEADERS = { authorization: `Bearer ${KEY}` }

const BODY = JSON.stringify({ name: 'Ada Lovelace', email: 'ada@engines.example', company: 'Analytical Engines' })

const { values } = parseArgs({ options: { minutes: { type: 'string', default: '1' } } })
const minutes = Number(values.minutes)
if (!(minutes > 0)) throw new Error(`expected --minutes above 0, got ${values.minutes}`)

const folder = benchFolder()
const cluster = await startCluster()
const servers: Server[] = []
let nginx: Awaited<ReturnType<typeof startNginx>> | undefined
try {
  const database = await createDatabase(await prepareServer(cluster))
  const ports = await Promise.all(Array.from({ length: PROCESSES }, freePort))
  for (const port of ports) servers.push(await startProcess(database, port))
  nginx = await startNginx(ports)
  const client = new Pool(nginx.url, { connections: 2 * CONNECTIONS, pipelining: 1 })
  const ids = [await firstId(client)]

  await atOnce(client, ids, CAPACITY_MS / 3)
  const capacity = await atOnce(client, ids, CAPACITY_MS)
  console.log(`closed loop, ${CONNECTIONS} connections: ${capacity.toFixed(0)}/s`)
  const place = { database, ports, servers }
  const phase = async (how: 'SIGTERM' | 'SIGKILL', forMs: number): Promise<Seen> => {
    const stopping = new AbortController()
    const ends = endInTurns(place, how, stopping.signal)
    const rate = { perSecond: capacity * SHARE, forMs }
    const seen = await paced(client, ids, rate).finally(() => stopping.abort())
    console.log(
      `\n${(forMs / 60_000).toFixed(1)} minutes at ${SHARE} of it, ${await ends} times ${how} and a new start`,
    )
    report(seen, forMs)
    return seen
  }
  const { statuses } = await phase('SIGTERM', minutes * 60_000)
  await phase('SIGKILL', Math.max(minutes * 12_000, 2 * END_EVERY_MS))
  const unexpected = [...statuses.keys()].filter((status) => !/ (20[01]|429)$/.test(status))
  if (unexpected.length > 0) {
    console.log(`clients saw a restart: ${unexpected.join(', ')}`)
    process.exitCode = 1
  }
  await client.close()
} finally {
  await nginx?.stop()
  await Promise.all(servers.map((server) => server.stop()))
  await cluster.remove()
}

function startProcess(database: string, port: number): Promise<Server> {
  const keyFile = join(folder, 'key')
  writeFileSync(keyFile, KEY, { mode: 0o600 })
  const flags = ['--port', `${port}`, '--rate-limit', 'none', '--drain', '3s', '--trust-proxy', '127.0.0.1']
  const env = { ...plainEnv(), HOME: folder, CRM_DATABASE_URL: database }
  return startServer([CRM, 'serve', ...flags, '--ready-json', '--key-file', keyFile], env, KEY)
}

/** Runs as the user that runs this, with the file of the documentation, on other ports. */
async function startNginx(ports: readonly number[]): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const port = await freePort()
  let config = readFileSync(join(ROOT, 'docs/operation/nginx.conf'), 'utf8').replace(':8100;', `:${port};`)
  for (const [place, each] of ports.entries()) config = config.replace(`:${8101 + place} `, `:${each} `)
  writeFileSync(join(folder, 'crm.conf'), config)
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  const main = `
    daemon off; worker_processes 1; pid ${folder}/nginx.pid; error_log ${folder}/error.log;
    events { worker_connections 1024; }
    http { access_log off; ${temporary.map((each) => `${each}_temp_path ${folder}/${each};`).join(' ')}
      include ${folder}/crm.conf; }`
  writeFileSync(join(folder, 'nginx.conf'), main)
  const child = spawn(
    '/usr/sbin/nginx',
    ['-p', folder, '-c', join(folder, 'nginx.conf'), '-e', join(folder, 'error.log')],
    {
      stdio: ['ignore', 'inherit', 'inherit'],
    },
  )
  const url = `http://127.0.0.1:${port}`
  const isUp = (): Promise<boolean> =>
    fetch(`${url}/healthz`).then(
      ({ ok }) => ok,
      () => false,
    )
  while (!(await isUp())) {
    if (child.exitCode !== null) throw new Error(`nginx ended with exit ${child.exitCode}`)
    await setTimeout(50)
  }
  const stop = async (): Promise<void> => {
    const ended = once(child, 'exit')
    child.kill('SIGQUIT')
    await ended
    const log = readFileSync(join(folder, 'error.log'), 'utf8').trimEnd().split('\n').filter(Boolean)
    console.log(`log of nginx: ${log.length} lines; the last: ${log.at(-1) ?? 'none'}`)
  }
  return { url, stop }
}

interface Place {
  readonly database: string
  readonly ports: readonly number[]
  readonly servers: Server[]
}

/** One after the other; each is ready again before the next one ends. SIGTERM drains. */
async function endInTurns(
  { database, ports, servers }: Place,
  how: 'SIGTERM' | 'SIGKILL',
  signal: AbortSignal,
): Promise<number> {
  for (let count = 0; ; count++) {
    const isOver = await setTimeout(END_EVERY_MS, false, { signal }).catch(() => true)
    const place = count % PROCESSES
    const server = servers[place]
    if (isOver || !server) return count
    const ended = once(server.child, 'exit')
    server.child.kill(how)
    await ended
    servers[place] = await startProcess(database, ports[place] ?? 0)
  }
}

/** 4 of 10 create with a key of their own, 4 read one contact, 2 read a page of 20. Returns the status, or the code of an error. */
async function send(client: Pool, ids: string[], number: number): Promise<string> {
  const place = number % 10
  try {
    if (place >= 4) {
      const path = place < 8 ? `/v1/contacts/${ids[number % ids.length]}` : '/v1/contacts?limit=20'
      const { statusCode, body } = await client.request({ method: 'GET', path, headers: HEADERS })
      await body.dump()
      return `GET ${statusCode}`
    }
    const headers = { ...HEADERS, 'content-type': 'application/json', 'idempotency-key': randomUUID() }
    const { statusCode, body } = await client.request({ method: 'POST', path: '/v1/contacts', headers, body: BODY })
    const answer = await body.text()
    if (statusCode === 201 && ids.length < 10_000) ids.push(JSON.parse(answer).id)
    return `POST ${statusCode}`
  } catch (error) {
    return `${place < 4 ? 'POST' : 'GET'} ${error instanceof Error && 'code' in error ? error.code : error}`
  }
}

async function firstId(client: Pool): Promise<string> {
  const ids: string[] = []
  const status = await send(client, ids, 0)
  return ids[0] ?? Promise.reject(new Error(`no contact: ${status}`))
}

/** Requests a second, each connection sending when its answer has come. */
async function atOnce(client: Pool, ids: string[], forMs: number): Promise<number> {
  const startMs = performance.now()
  let number = 0
  const work = async (): Promise<void> => {
    while (performance.now() - startMs < forMs) {
      const status = await send(client, ids, number++)
      if (!/ 20[01]$/.test(status)) throw new Error(`unexpected answer: ${status}`)
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, work))
  return (number / (performance.now() - startMs)) * 1000
}

interface Seen {
  readonly statuses: Map<string, number>
  /** By the part of the time in which the request was due. */
  readonly latencies: readonly number[][]
}

/** Sends by the clock, whatever is still open; a latency counts from when the request was due. */
async function paced(client: Pool, ids: string[], rate: { perSecond: number; forMs: number }): Promise<Seen> {
  const statuses = new Map<string, number>()
  const latencies = Array.from({ length: PARTS }, (): number[] => [])
  const open = new Set<Promise<void>>()
  const startMs = performance.now()
  const total = Math.floor((rate.perSecond * rate.forMs) / 1000)
  const one = async (number: number, dueMs: number): Promise<void> => {
    const status = await send(client, ids, number)
    latencies[Math.floor(((dueMs - startMs) / rate.forMs) * PARTS)]?.push(performance.now() - dueMs)
    statuses.set(status, (statuses.get(status) ?? 0) + 1)
  }
  for (let number = 0; number < total; ) {
    for (let dueMs = startMs; number < total; number++) {
      dueMs = startMs + (number * 1000) / rate.perSecond
      if (dueMs > performance.now()) break
      const sent: Promise<void> = one(number, dueMs).finally(() => open.delete(sent))
      open.add(sent)
    }
    await setTimeout(2)
  }
  await Promise.all(open)
  return { statuses, latencies }
}

function at(sorted: readonly number[], share: number): number {
  return sorted[Math.floor(sorted.length * share)] ?? Number.NaN
}

function report({ statuses, latencies }: Seen, forMs: number): void {
  const all = latencies.flat().sort((one, other) => one - other)
  const count = `${all.length} requests, ${((all.length / forMs) * 1000).toFixed(0)}/s`
  console.log(`${count}; load of the machine ${loadavg()[0]?.toFixed(1)}`)
  const texts = [0.5, 0.99, 0.999].map((share) => `p${share * 100} ${at(all, share).toFixed(1)} ms`)
  console.log(`${texts.join(', ')}, longest ${all.at(-1)?.toFixed(0)} ms`)
  // Other work of a shared machine holds up some parts of the time, and what waits behind them.
  const parts = latencies.map((part) =>
    at(
      part.toSorted((one, other) => one - other),
      0.99,
    ),
  )
  console.log(
    `p99 of each tenth of the time: ${parts.map((ms) => ms.toFixed(0)).join(', ')} ms; median ${median(parts).toFixed(0)}`,
  )
  for (const [status, count] of [...statuses].toSorted()) console.log(`${status}: ${count}`)
}
