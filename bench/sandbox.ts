import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { benchFolder, CRM, plainEnv, startCrm, timeCommands } from './processes.ts'
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

/** Whole sandboxes beside `node -e 0`, one large apply without its start-up, and fifty sandboxes at once. */
export async function measureSandbox(): Promise<Row[]> {
  const folder = benchFolder()
  const env = { ...plainEnv(), HOME: folder }
  const [seed, large] = [join(folder, 'seed.yaml'), join(folder, 'large.yaml')]
  writeFileSync(seed, SEED)
  writeFileSync(large, LARGE)
  const node = process.execPath
  const run = [node, CRM, 'sandbox', 'run']
  const times = timeCommands(
    { bare: [node, '-e', '0'], empty: [...run, '--', 'true'], seeded: [...run, '--seed', seed, '--', 'true'] },
    ROUNDS,
    env,
  )
  const row = (what: string, tookMs: number, goalMs: number): Row => ({
    what,
    measured: `${tookMs.toFixed(0)} ms`,
    peer: `${goalMs} ms (node -e 0: ${times.bare?.toFixed(0)} ms)`,
    ratio: tookMs / goalMs,
    goal: { atMost: 1 },
  })
  return [
    row('crm sandbox run -- true', times.empty ?? 0, 400),
    row('the same with 50 contacts and 40 deals', times.seeded ?? 0, 600),
    ...(await measureApply(large, env)),
    await measureTogether(env),
  ]
}

async function measureApply(file: string, env: NodeJS.ProcessEnv): Promise<Row[]> {
  const server = await startCrm(':memory:', ['--rate-limit', '1000000/1s'])
  const own = { ...env, CRM_BASE_URL: server.url, CRM_API_KEY: server.key }
  const timed = (args: readonly string[]) => {
    const startedMs = performance.now()
    const { stdout, status } = spawnSync(process.execPath, [CRM, ...args], { env: own, encoding: 'utf8' })
    if (status !== 0) throw new Error(`crm ${args.join(' ')} ended with ${status}`)
    return { tookMs: performance.now() - startedMs, stdout }
  }
  const startUp = timed(['contacts', 'list', '--limit', '1', '-o', 'json'])
  const first = timed(['fixtures', 'apply', file, '-o', 'json'])
  const second = timed(['fixtures', 'apply', file, '-o', 'json'])
  await server.stop()
  const beyondMs = first.tookMs - startUp.tookMs
  const written = JSON.parse(second.stdout).filter(({ action }: { action: string }) => action !== 'unchanged').length
  return [
    {
      what: 'apply of 2,000 records, beyond start-up',
      measured: `${beyondMs.toFixed(0)} ms`,
      peer: '1000 ms',
      ratio: beyondMs / 1000,
      goal: { atMost: 1 },
    },
    {
      what: `second apply, ${second.tookMs.toFixed(0)} ms`,
      measured: `${written} writes`,
      peer: '0 writes',
      ratio: written,
      goal: { atMost: 0 },
    },
  ]
}

async function measureTogether(env: NodeJS.ProcessEnv): Promise<Row> {
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
  return {
    what: `${TOGETHER} sandboxes at once, all up after ${(tookMs / 1000).toFixed(1)} s`,
    measured: `${mostMb.toFixed(0)} MB the largest`,
    peer: '100 MB',
    ratio: mostMb / 100,
    goal: { atMost: 1 },
  }
}

function peakMb(pid: number | undefined): number {
  const [, kilobytes = '0'] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kilobytes) / 1024
}
