import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { writePeople } from './people.ts'
import { benchFolder, CRM, plainEnv, ROOT, startCrm, type Watched, watchProcess } from './processes.ts'
import { fillContacts } from './seed.ts'
import type { Row } from './table.ts'

const SIZES = [10_000, 100_000, 1_000_000] as const
const FULL_AT = 100_000

/**
 * As many rows as contacts, matched by email: every one is found, and every one differs. Bounded caches are full at 100,000
 * rows; memory that grows after that would grow without limit.
 */
export async function measurePlan(): Promise<Row[]> {
  const runs: Planned[] = []
  for (const size of SIZES) runs.push(await planOf(size))
  const full = runs.find(({ size }) => size === FULL_AT)
  return [...runs.map((planned) => memoryRow(planned, full)), ...runs.map(timeRow)]
}

interface Planned {
  readonly size: number
  readonly run: Watched
  /** Of a loop of csv-parse over the same file, which converts and keeps nothing. */
  readonly bareMs: number
}

function memoryRow({ size, run }: Planned, full: Planned | undefined): Row {
  return {
    what: `plan of ${size.toLocaleString('en')} rows against as many contacts, --match email`,
    measured: `${run.peakMiB.toFixed(0)} MiB, ${(run.tookMs / 1000).toFixed(1)} s`,
    peer: `${FULL_AT.toLocaleString('en')} rows: ${full?.run.peakMiB.toFixed(0)} MiB`,
    ratio: run.peakMiB / (full?.run.peakMiB ?? Number.NaN),
    goal: size === 1_000_000 ? { atMost: 1.25 } : undefined,
  }
}

function timeRow({ size, run, bareMs }: Planned): Row {
  return {
    what: `time of the plan of ${size.toLocaleString('en')} rows, the list of the server included`,
    measured: `${(run.tookMs / 1000).toFixed(1)} s`,
    peer: `csv-parse alone: ${(bareMs / 1000).toFixed(1)} s`,
    ratio: run.tookMs / bareMs,
    goal: undefined,
  }
}

function bareParse(file: string): number {
  const args = ['bench/floors/parse-file.mjs', file]
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: ROOT, env: plainEnv(), encoding: 'utf8' })
  if (status !== 0) throw new Error(`${args.join(' ')}: exit ${status}\n${stderr}`)
  return JSON.parse(stdout).tookMs
}

async function planOf(size: number): Promise<Planned> {
  const folder = benchFolder()
  const [database, file] = [join(folder, 'crm.db'), join(folder, 'people.csv')]
  await fillContacts(database, size)
  await writePeople(file, size, 'Firm')
  const server = await startCrm(database)
  const env = { ...plainEnv(), HOME: folder, CRM_STATE_HOME: folder, CRM_BASE_URL: server.url, CRM_API_KEY: server.key }
  const flags = ['--match', 'email', '--mode', 'upsert', '--dry-run', '-q', '-o', 'json']
  const run = await watchProcess([process.execPath, CRM, 'contacts', 'import', file, ...flags], env)
  await server.stop()
  return { size, run, bareMs: bareParse(file) }
}
