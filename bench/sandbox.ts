import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { besideNode, timeNode } from './beside-node.ts'
import { benchFolder, CRM, median, plainEnv, ROOT, startCrm, timeCommands } from './processes.ts'
import type { Row } from './table.ts'

const ROUNDS = 9
const TOGETHER = 50

const SEED = `version: 1
contacts: { c: { $count: 50, email: "u\${i}@example.test", name: "\${fake.name}" } }
deals: { d: { $count: 40, name: "\${fake.company}", stage: Lead, amount: "\${fake.amount}" } }
`

const LARGE = `version: 1
contacts: { c: { $count: 1000, email: "u\${i}@example.test", name: "\${fake.name}" } }
deals: { d: { $count: 500, name: "D \${i}", stage: Lead, amount: "\${fake.amount}" } }
notes: { n: { $count: 500, deal: "\${deals.d[i].id}", body: "\${fake.sentence}" } }
`

const LARGEST = `version: 1
contacts: { c: { $count: 5000, email: "u\${i}@example.test", name: "\${fake.name}" } }
deals: { d: { $count: 2500, name: "D \${i}", stage: Lead, amount: "\${fake.amount}" } }
notes: { n: { $count: 2500, deal: "\${deals.d[i].id}", body: "\${fake.sentence}" } }
`

/** Whole sandboxes beside `node -e 0`, a large apply without its start-up, and fifty sandboxes at once. */
export async function measureSandbox(): Promise<Row[]> {
  const folder = benchFolder()
  const env = { ...plainEnv(), HOME: folder }
  const [seed, large, largest] = ['seed', 'large', 'largest'].map((name) => join(folder, `${name}.yaml`)) as [
    string,
    string,
    string,
  ]
  writeFileSync(seed, SEED)
  writeFileSync(large, LARGE)
  writeFileSync(largest, LARGEST)
  const node = process.execPath
  const run = [node, CRM, 'sandbox', 'run']
  const times = timeCommands(
    {
      bare: [node, '-e', '0'],
      empty: [...run, '--', 'true'],
      seeded: [...run, '--seed', seed, '--', 'true'],
      ten: [...run, '--seed', largest, '--', 'true'],
    },
    ROUNDS,
    env,
  )
  const row = (what: string, tookMs = 0, goalMs = 0): Row =>
    besideNode({ what, tookMs, bareMs: times.bare ?? 0, goalMs })
  return [
    row('crm sandbox run -- true', times.empty, 100),
    row('the same with 50 contacts and 40 deals', times.seeded, 160),
    row('each thousand of 10,000 records', ((times.ten ?? 0) - (times.empty ?? 0)) / 10, 104),
    ...(await measureApply(large, env)),
    ...(await measureTogether(env)),
  ]
}

const APPLIES = 3
const RECORDS = 2000

/** An apply beside the same number of creates by undici's pool alone, both on one service and without their starts. */
async function measureApply(file: string, env: NodeJS.ProcessEnv): Promise<Row[]> {
  const server = await startCrm(':memory:', ['--rate-limit', '1000000/1s'])
  const own = { ...env, CRM_BASE_URL: server.url, CRM_API_KEY: server.key }
  const timed = (args: readonly string[]) => {
    const startedMs = performance.now()
    const { stdout, status } = spawnSync(process.execPath, args, { env: own, encoding: 'utf8' })
    if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}`)
    return { tookMs: performance.now() - startedMs, stdout }
  }
  const apply = (run: number) => timed([CRM, 'fixtures', 'apply', file, '--run-id', `run-${run}`, '-o', 'json'])
  const post = (rows: number) => {
    const path = join(benchFolder(), 'rows.csv')
    const lines = Array.from({ length: rows }, (_, at) => `p${at}@example.test,Person ${at}`)
    writeFileSync(path, `${['email,name', ...lines].join('\n')}\n`)
    return timed([join(ROOT, 'bench/floors/pool-loop.mjs'), server.url, server.key, path, '32']).tookMs
  }
  const [bare, applies, posts]: [number[], number[], number[]] = [[], [], []]
  for (let run = 0; run < APPLIES; run++) {
    bare.push(timeNode())
    const startUp = timed([CRM, 'contacts', 'list', '--limit', '1', '-o', 'json'])
    applies.push(apply(run).tookMs - startUp.tookMs)
    posts.push(post(RECORDS) - post(0))
  }
  const again = apply(0)
  await server.stop()
  const [tookMs, poolMs] = [median(applies), median(posts)]
  const written = JSON.parse(again.stdout).filter(({ action }: { action: string }) => action !== 'unchanged').length
  const what = `apply of ${RECORDS.toLocaleString('en')} records, beyond start-up`
  return [
    besideNode({ what, tookMs, bareMs: median(bare), goalMs: 700 }),
    {
      what: `${what}; beside as many creates by undici's pool, without state, journal and report`,
      measured: `${tookMs.toFixed(0)} ms`,
      peer: `${poolMs.toFixed(0)} ms`,
      ratio: tookMs / poolMs,
      goal: undefined,
    },
    {
      what: `second apply, ${again.tookMs.toFixed(0)} ms`,
      measured: `${written} writes`,
      peer: '0 writes',
      ratio: written,
      goal: { atMost: 0 },
    },
  ]
}

/** As many starts of Node at once as there are sandboxes. */
async function timeNodesTogether(env: NodeJS.ProcessEnv): Promise<number> {
  const startedMs = performance.now()
  const children = Array.from({ length: TOGETHER }, () =>
    spawn(process.execPath, ['-e', '0'], { env, stdio: 'ignore' }),
  )
  await Promise.all(children.map((child) => once(child, 'exit')))
  return performance.now() - startedMs
}

async function measureTogether(env: NodeJS.ProcessEnv): Promise<Row[]> {
  const nodesMs = await timeNodesTogether(env)
  // The command sends a request to its own service, prints the status, and waits for the end of its stdin.
  const program = `fetch(process.env.CRM_BASE_URL + '/healthz').then(({ status }) => {
    console.log(status + ' ' + process.env.CRM_BASE_URL); process.stdin.resume().on('end', () => process.exit(0)) })`
  const startedMs = performance.now()
  const children = Array.from({ length: TOGETHER }, () =>
    spawn(process.execPath, [CRM, 'sandbox', 'run', '--', process.execPath, '-e', program], {
      env,
      stdio: ['pipe', 'pipe', 'inherit'],
    }),
  )
  const lines = await Promise.all(
    children.map(async ({ stdout }) => String(await once(createInterface(stdout), 'line'))),
  )
  const tookMs = performance.now() - startedMs
  if (new Set(lines).size < TOGETHER || lines.some((line) => !line.startsWith('200 '))) throw new Error('two met')
  const mostMb = Math.max(...children.map(({ pid }) => peakMb(pid)))
  for (const child of children) child.stdin.end()
  await Promise.all(children.map((child) => once(child, 'exit')))
  return [
    {
      what: `${TOGETHER} sandboxes at once, all up; beside ${TOGETHER} node -e 0 at once`,
      measured: `${(tookMs / 1000).toFixed(1)} s`,
      peer: `${(nodesMs / 1000).toFixed(1)} s (goal: 4 s on two cores where one takes 26 ms)`,
      ratio: tookMs / nodesMs,
      goal: { atMost: 6.2 },
    },
    {
      what: 'memory of the largest of them',
      measured: `${mostMb.toFixed(0)} MB`,
      peer: '100 MB',
      ratio: mostMb / 100,
      goal: { atMost: 1 },
    },
  ]
}

function peakMb(pid: number | undefined): number {
  const [, kilobytes = '0'] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kilobytes) / 1024
}
