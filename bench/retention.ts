import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import { startCluster } from '../test/harness/postgres/cluster.ts'
import { createDatabase, prepareServer } from '../test/harness/postgres/databases.ts'
import { type Load, postRequest, runLoad } from './load.ts'
import { benchFolder, median, type Server, startCrm } from './processes.ts'
import type { Row } from './table.ts'

/** Half of them answers to idempotency keys, half events that were delivered. */
const OLD_ROWS = 500_000
const FOR_MS = 4000
const ROUNDS = 3
const DAY_MS = 86_400_000

const BODY = JSON.stringify({ name: 'Ada Lovelace', email: 'ada@engines.example', company: 'Analytical Engines' })

/** Statements of both databases; $1 is the time of the rows, $2 that until which events are kept. */
const NUMBERS = {
  sqlite: `WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${OLD_ROWS / 2})`,
  postgres: `WITH numbers AS (SELECT generate_series(1, ${OLD_ROWS / 2}) AS n)`,
}
const FILLS = [
  `INSERT INTO idempotency (key, at_ms, fingerprint, status, body)
    NUMBERS SELECT 'old-' || n, $1, 'f', 201, '${BODY}' FROM numbers`,
  `INSERT INTO events (id, kind, text) NUMBERS SELECT n, 'contact.created', '${BODY}' FROM numbers`,
  `INSERT INTO deliveries (event_id, webhook_id, record_id, attempts, next_at_ms, state, last_at_ms, last_status, kept_until_ms)
    NUMBERS SELECT n, (SELECT max(id) FROM webhooks), 'con_' || n, 1, $1, 'succeeded', $1, 200, $2 FROM numbers`,
]

const LEFT = `SELECT (SELECT count(*) FROM idempotency WHERE key LIKE 'old-%') + (SELECT count(*) FROM events) AS count`

interface Database {
  readonly address: string
  fill(atMs: number, keptUntilMs: number): Promise<void>
  /** How many of the filled rows are still there. */
  left(): Promise<number>
}

/** The slowest of 100 creates while old rows are deleted, beside a database whose rows are not old yet. */
export async function measureRetention(): Promise<Row[]> {
  const folder = benchFolder()
  const cluster = await startCluster()
  try {
    const server = await prepareServer(cluster)
    const rows: Row[] = []
    rows.push(await measureOn('SQLite', async (name) => sqliteFile(join(folder, `${name}.db`))))
    rows.push(await measureOn('PostgreSQL', async () => postgresDatabase(await createDatabase(server))))
    return rows
  } finally {
    await cluster.remove()
  }
}

async function measureOn(what: string, make: (name: string) => Promise<Database>): Promise<Row> {
  const nowMs = Date.now()
  const old = await make('old')
  const pruning = await filled(old, { atMs: nowMs - 3 * DAY_MS, keptUntilMs: nowMs - DAY_MS })
  const keeping = await filled(await make('kept'), { atMs: nowMs, keptUntilMs: nowMs + DAY_MS })
  const p99s: { readonly pruning: number; readonly keeping: number }[] = []
  let number = 0
  const p99Of = async ({ url, key }: Server): Promise<number> => {
    const load: Load = {
      url,
      connections: 32,
      forMs: FOR_MS,
      request: () => postRequest('/v1/contacts', { key, body: BODY, idempotencyKey: `bench-${number++}` }),
    }
    return (await runLoad(load)).p99Ms
  }
  for (let round = 0; round < ROUNDS; round++) {
    p99s.push({ keeping: await p99Of(keeping), pruning: await p99Of(pruning) })
  }
  await Promise.all([pruning.stop(), keeping.stop()])
  const deleted = OLD_ROWS - (await old.left())
  if (deleted < OLD_ROWS / 10) throw new Error(`only ${deleted} old rows were deleted meanwhile`)
  const [ours, theirs] = [median(p99s.map((each) => each.pruning)), median(p99s.map((each) => each.keeping))]
  return {
    what: `p99 of creates on ${what} with ${OLD_ROWS.toLocaleString('en')} old rows, ${deleted.toLocaleString('en')} deleted meanwhile`,
    measured: `${ours.toFixed(1)} ms`,
    peer: `nothing to delete: ${theirs.toFixed(1)} ms`,
    ratio: ours / theirs,
    goal: undefined,
  }
}

/** With one subscription, that of the deliveries, to events that do not occur. */
async function filled(
  database: Database,
  { atMs, keptUntilMs }: { readonly atMs: number; readonly keptUntilMs: number },
): Promise<Server> {
  const first = await startCrm(database.address)
  const answer = await fetch(`${first.url}/v1/webhooks`, {
    method: 'POST',
    headers: { authorization: `Bearer ${first.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ url: 'http://127.0.0.1:9/', events: ['note.deleted'] }),
  })
  if (answer.status !== 201) throw new Error(`no subscription: ${answer.status} ${await answer.text()}`)
  await first.stop()
  await database.fill(atMs, keptUntilMs)
  return startCrm(database.address)
}

function sqliteFile(address: string): Database {
  const fill: Database['fill'] = async (atMs, keptUntilMs) => {
    const database = new DatabaseSync(address)
    for (const sql of FILLS) {
      const statement = database.prepare(sql.replace('NUMBERS', NUMBERS.sqlite))
      statement.setAllowUnknownNamedParameters(true)
      statement.run({ $1: atMs, $2: keptUntilMs })
    }
    database.close()
  }
  const left = async () => {
    const database = new DatabaseSync(address)
    const { count } = database.prepare(LEFT).get() as { count: number }
    database.close()
    return count
  }
  return { address, fill, left }
}

function postgresDatabase(address: string): Database {
  const fill: Database['fill'] = async (atMs, keptUntilMs) => {
    const client = new pg.Client({ connectionString: address })
    await client.connect()
    for (const sql of FILLS) {
      const text = sql
        .replace('NUMBERS', NUMBERS.postgres)
        .replaceAll('$1', `${atMs}`)
        .replaceAll('$2', `${keptUntilMs}`)
      await client.query(text)
    }
    await client.query('VACUUM ANALYZE')
    await client.end()
  }
  const left = async () => {
    const client = new pg.Client({ connectionString: address })
    await client.connect()
    const { rows } = await client.query(LEFT)
    await client.end()
    return Number(rows[0].count)
  }
  return { address, fill, left }
}
