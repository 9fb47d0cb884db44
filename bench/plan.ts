import { join } from 'node:path'
import { writePeople } from './people.ts'
import { benchFolder, CRM, plainEnv, startCrm, type Watched, watchProcess } from './processes.ts'
import { fillContacts } from './seed.ts'
import type { Row } from './table.ts'

const SIZES = [10_000, 100_000, 1_000_000] as const
const FULL_AT = 100_000

/**
 * As many rows as contacts, matched by email: every one is found, and every one differs. Bounded caches are full at 100,000
 * rows; memory that grows after that would grow without limit.
 */
export async function measurePlan(): Promise<Row[]> {
  const runs: { readonly size: number; readonly run: Watched }[] = []
  for (const size of SIZES) runs.push({ size, run: await planOf(size) })
  const full = runs.find(({ size }) => size === FULL_AT)
  return runs.map(({ size, run }) => ({
    what: `plan of ${size.toLocaleString('en')} rows against as many contacts, --match email`,
    measured: `${run.peakMiB.toFixed(0)} MiB, ${(run.tookMs / 1000).toFixed(1)} s`,
    peer: `${FULL_AT.toLocaleString('en')} rows: ${full?.run.peakMiB.toFixed(0)} MiB`,
    ratio: run.peakMiB / (full?.run.peakMiB ?? Number.NaN),
    goal: size === 1_000_000 ? { atMost: 1.25 } : undefined,
  }))
}

async function planOf(size: number): Promise<Watched> {
  const folder = benchFolder()
  const [database, file] = [join(folder, 'crm.db'), join(folder, 'people.csv')]
  await fillContacts(database, size)
  await writePeople(file, size, 'Firm')
  const server = await startCrm(database)
  const env = { ...plainEnv(), HOME: folder, CRM_STATE_HOME: folder, CRM_BASE_URL: server.url, CRM_API_KEY: server.key }
  const flags = ['--match', 'email', '--mode', 'upsert', '--dry-run', '-q', '-o', 'json']
  const run = await watchProcess([process.execPath, CRM, 'contacts', 'import', file, ...flags], env)
  await server.stop()
  return run
}
