import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { benchFolder, CRM, median, peakMiB, plainEnv, ROOT, type Server, startCrm } from './processes.ts'
import { fillContacts } from './seed.ts'
import type { Row } from './table.ts'

/** The default page size of the client. */
const PAGE_SIZE = '100'
const ROUNDS = 3

/** An export of a whole list to a file, beside a bare loop over the same pages, each in a separate process. */
export async function measureExport(count: number): Promise<Row[]> {
  const folder = benchFolder()
  const database = join(folder, 'export.db')
  await fillContacts(database, count)
  const server = await startCrm(database)
  const results = { crm: [] as Run[], loop: [] as Run[] }
  for (let round = 0; round < ROUNDS; round++) {
    results.crm.push(await runCrm(server, folder))
    results.loop.push(await runLoop(server, folder))
  }
  await server.stop()
  const perSecond = (runs: readonly Run[]) => count / (median(runs.map(({ tookMs }) => tookMs)) / 1000)
  const peak = median(results.crm.map(({ peak }) => peak))
  const ratio = perSecond(results.crm) / perSecond(results.loop)
  const name = `${count.toLocaleString('en')} contacts`
  return [
    {
      what: `export of ${name}, jsonl to a file`,
      measured: `${perSecond(results.crm).toFixed(0)} rows/s`,
      peer: `bare paging loop: ${perSecond(results.loop).toFixed(0)} rows/s`,
      ratio,
      goal: { atLeast: 0.8 },
    },
    {
      what: `memory of that export`,
      measured: `${peak.toFixed(0)} MiB`,
      peer: '120 MiB',
      ratio: peak / 120,
      goal: { atMost: 1 },
    },
  ]
}

interface Run {
  readonly tookMs: number
  readonly peak: number
}

async function runCrm(server: Server, folder: string): Promise<Run> {
  const home = benchFolder()
  const env = { ...plainEnv(), HOME: home, CRM_CONFIG_HOME: home, CRM_BASE_URL: server.url, CRM_API_KEY: server.key }
  const file = join(folder, 'crm.jsonl')
  return timed([CRM, 'contacts', 'export', file, '-q'], env, '/dev/null')
}

async function runLoop(server: Server, folder: string): Promise<Run> {
  const file = join(folder, 'loop.jsonl')
  const loop = join(ROOT, 'bench/floors/paging-loop.mjs')
  const run = await timed([loop, server.url, server.key, file, PAGE_SIZE], plainEnv(), '/dev/null')
  if (!readFileSync(file).equals(readFileSync(join(folder, 'crm.jsonl')))) throw new Error('the two exports differ')
  return run
}

async function timed(args: readonly string[], env: NodeJS.ProcessEnv, file: string): Promise<Run> {
  const startedMs = performance.now()
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', openSync(file, 'w'), 'inherit'] })
  let peak = 0
  const watch = setInterval(() => {
    peak = Math.max(peak, peakMiB(child.pid))
  }, 20)
  const [exit] = await once(child, 'exit')
  clearInterval(watch)
  if (exit !== 0) throw new Error(`${args[0]}: exit ${exit}`)
  return { tookMs: performance.now() - startedMs, peak }
}
