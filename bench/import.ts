import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { JobFile } from '../src/jobs/store/job-file.ts'
import { JobWriter } from '../src/jobs/store/job-writer.ts'
import { Journal } from '../src/jobs/store/journal.ts'
import { JobProgress } from '../src/jobs/store/progress.ts'
import { writePeople } from './people.ts'
import {
  benchFolder,
  CRM,
  cpuSeconds,
  median,
  plainEnv,
  ROOT,
  type Server,
  startCrm,
  watchProcess,
} from './processes.ts'
import type { Row } from './table.ts'

const LEASED_AT_ONCE = 256

const ROWS = 100_000
const CONCURRENCY = 32
const ROUNDS = 3

/** One process per row would need an hour for all rows. */
const XARGS_ROWS = 2000
const LOOP_ROWS = 300

interface Run {
  readonly perSecond: number
  readonly clientCpuSeconds: number
  readonly serverCpuSeconds: number
}

interface Way {
  readonly name: string
  readonly rows: number
  readonly command: Work
  readonly runs: Run[]
}

type Work = (server: Server, folder: string, file: string) => readonly string[]

/** An import of 100,000 contacts from CSV, without limits, each run with a new service and database. */
export async function measureImport(): Promise<Row[]> {
  const folder = benchFolder()
  const file = join(folder, 'people.csv')
  await writePeople(file, ROWS)
  const ways: readonly Way[] = [
    { name: 'crm', rows: ROWS, command: importWithCrm, runs: [] },
    { name: 'Pool.request loop, no journal', rows: ROWS, command: postWithPool, runs: [] },
    { name: 'xargs -P8 curl', rows: XARGS_ROWS, command: postWithXargs, runs: [] },
    { name: 'for loop of curl', rows: LOOP_ROWS, command: postInALoop, runs: [] },
  ]
  for (let round = 0; round < ROUNDS; round++) {
    for (const way of ways) way.runs.push(await runOnce(way, file))
  }
  const [crm, pool] = ways as [Way, Way]
  const speeds = ways.slice(1).map((peer): Row => {
    const [ours, theirs] = [middle(crm, 'perSecond'), middle(peer, 'perSecond')]
    return {
      what: `import of ${ROWS.toLocaleString('en')} rows, ${CONCURRENCY} at once`,
      measured: `${ours.toFixed(0)} rows/s`,
      peer: `${peer.name}, ${peer.rows.toLocaleString('en')} rows: ${theirs.toFixed(0)} rows/s`,
      ratio: ours / theirs,
      goal: { atLeast: peer === pool ? 0.7 : 1 },
    }
  })
  const journalMs = await timeJournal(ROWS)
  const runMs = ROWS / (middle(crm, 'perSecond') / 1000)
  const journal: Row = {
    what: 'the journal of that import by itself, syncs included',
    measured: `${(journalMs / 1000).toFixed(2)} s`,
    peer: `the import: ${(runMs / 1000).toFixed(1)} s`,
    ratio: journalMs / runMs,
    goal: { atMost: 0.05 },
  }
  return [...speeds, journal, cpuRow('client', crm, pool), cpuRow('server', crm, pool)]
}

function middle(way: Way, of: keyof Run): number {
  return median(way.runs.map((run) => run[of]))
}

function cpuRow(side: 'client' | 'server', crm: Way, pool: Way): Row {
  const [ours, theirs] = [middle(crm, `${side}CpuSeconds`), middle(pool, `${side}CpuSeconds`)]
  return {
    what: `CPU of the ${side} for those rows`,
    measured: `${ours.toFixed(1)} s`,
    peer: `${pool.name}: ${theirs.toFixed(1)} s`,
    ratio: ours / theirs,
    goal: undefined,
  }
}

async function runOnce({ command, rows }: Way, file: string): Promise<Run> {
  const folder = benchFolder()
  const server = await startCrm(join(folder, 'crm.db'))
  const words = command(server, folder, file)
  const before = cpuSeconds(server.child.pid)
  const env = { ...plainEnv(), HOME: folder, CRM_STATE_HOME: folder, CRM_BASE_URL: server.url, CRM_API_KEY: server.key }
  const run = await watchProcess(words, env)
  const serverCpuSeconds = cpuSeconds(server.child.pid) - before
  await server.stop()
  return { perSecond: rows / (run.tookMs / 1000), clientCpuSeconds: run.cpuSeconds, serverCpuSeconds }
}

const importWithCrm: Work = (_, __, file) => {
  const flags = ['--concurrency', `${CONCURRENCY}`, '--yes', '-q', '-o', 'json']
  return [process.execPath, CRM, 'contacts', 'import', file, ...flags]
}

const postWithPool: Work = ({ url, key }, _, file) => {
  const loop = join(ROOT, 'bench/floors/pool-loop.mjs')
  return [process.execPath, loop, url, key, file, `${CONCURRENCY}`]
}

const postWithXargs: Work = (server, folder, file) => {
  const { config, lines } = writeForCurl(server, { folder, file, rows: XARGS_ROWS })
  return ['sh', '-c', 'xargs -P8 -d "\\n" -I{} curl -K "$0" -d {} < "$1"', config, lines]
}

const postInALoop: Work = (server, folder, file) => {
  const { config, lines } = writeForCurl(server, { folder, file, rows: LOOP_ROWS })
  return ['sh', '-c', 'while read -r line; do curl -K "$0" -d "$line"; done < "$1"', config, lines]
}

/** Bodies prepared as one JSON document per line, so that the peers need not parse CSV. */
function writeForCurl(
  { url, key }: Server,
  { folder, file, rows }: { folder: string; file: string; rows: number },
): { config: string; lines: string } {
  const [config, lines] = [join(folder, 'curl'), join(folder, 'lines')]
  const head = `header = "Authorization: Bearer ${key}"\nheader = "Content-Type: application/json"`
  writeFileSync(config, `url = "${url}/v1/contacts"\n${head}\nsilent\nfail\noutput = /dev/null\n`)
  const [, ...people] = readFileSync(file, 'utf8').split('\n', rows + 1)
  const bodies = people.map((person) => {
    const [email, name, phone, company] = person.split(',')
    return JSON.stringify({ email, name, phone, company })
  })
  writeFileSync(lines, `${bodies.join('\n')}\n`)
  return { config, lines }
}

/** The cost of the journal alone for this many rows: synced leases, and results. */
function timeJournal(rows: number): number {
  const job = emptyJob(rows)
  const startedMs = performance.now()
  const journal = new Journal(job, new JobProgress(rows), Date.now)
  for (let from = 0; from < rows; from += LEASED_AT_ONCE) {
    const to = Math.min(rows, from + LEASED_AT_ONCE)
    journal.lease({ t: 'lease', from, to, time: Date.now() })
    for (let op = from; op < to; op++) journal.addResult([op, 201, `con_${op.toString(32).padStart(12, '0')}`])
  }
  journal.close()
  const tookMs = performance.now() - startedMs
  job.close()
  return tookMs
}

/** A job that is said to have so many operations. */
function emptyJob(rows: number): JobFile {
  const [id, db] = ['job_bench', join(benchFolder(), 'job.db')]
  const head = { crm_plan: 1, job: id, kind: 'import', noun: 'contacts', run: 'run', account: '', command: [] } as const
  const writer = new JobWriter(db, { ...head, input: undefined, of: undefined, made_at: 0, version: '0' })
  writer.end({ rows, create: rows, update: 0, delete: 0, unchanged: 0, skipped: 0 })
  return new JobFile({ id, db })
}
