import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { startCluster } from '../test/harness/postgres/cluster.ts'
import { createDatabase, prepareServer } from '../test/harness/postgres/databases.ts'
import { benchFolder, CRM, plainEnv, ROOT, watchProcess } from './processes.ts'
import { fillContacts } from './seed.ts'
import type { Row } from './table.ts'

const { DatabaseSync } = process.getBuiltinModule('node:sqlite')

/** Memory must not depend on the number. */
const SIZES = [100_000, 1_000_000] as const

/** `crm serve copy` there and back, beside a loop that reads the contacts of the source and does nothing with them. */
export async function measureCopy(): Promise<Row[]> {
  const folder = benchFolder()
  const cluster = await startCluster()
  try {
    const server = await prepareServer(cluster)
    const rows: Row[] = []
    for (const size of SIZES) {
      const [file, back] = [join(folder, `${size}.db`), join(folder, `${size}-back.db`)]
      const postgres = await createDatabase(server)
      await fillWhole(file, size)
      const contacts = `${size.toLocaleString('en')} contacts`
      rows.push(await measureOne(`copy of ${contacts} to PostgreSQL`, file, { words: ['--from', file], postgres }))
      rows.push(await measureOne(`copy of ${contacts} to SQLite`, postgres, { words: ['--to', back], postgres }))
    }
    return rows
  } finally {
    await cluster.remove()
  }
}

/** With the columns of filters, whose indexes take most of the time. */
async function fillWhole(file: string, count: number): Promise<void> {
  await fillContacts(file, count)
  const database = new DatabaseSync(file)
  database.exec(`PRAGMA synchronous = OFF; UPDATE contacts SET email = text ->> '$.email', name = lower(text ->> '$.name'),
    phone = text ->> '$.phone', company = lower(text ->> '$.company'), owner_id = text ->> '$.owner_id';
    UPDATE sequence SET last_serial = (SELECT max(id) FROM contacts)`)
  database.close()
}

interface Copy {
  readonly words: readonly string[]
  readonly postgres: string
}

async function measureOne(what: string, source: string, { words, postgres }: Copy): Promise<Row> {
  const { stdout } = await promisify(execFile)(process.execPath, [join(ROOT, 'bench/floors/read-contacts.mjs'), source])
  const { tookMs: readMs } = JSON.parse(stdout) as { tookMs: number }
  const env = { ...plainEnv(), HOME: benchFolder(), CRM_DATABASE_URL: postgres }
  const line = [process.execPath, CRM, 'serve', 'copy', ...words, '-q', '-o', 'json']
  const { peakMiB, tookMs, cpuSeconds } = await watchProcess(line, env)
  return {
    what,
    measured: `${(tookMs / 1000).toFixed(1)} s (CPU ${cpuSeconds.toFixed(1)} s), ${peakMiB.toFixed(0)} MiB`,
    peer: `reading it: ${(readMs / 1000).toFixed(1)} s`,
    ratio: tookMs / readMs,
    goal: undefined,
  }
}
