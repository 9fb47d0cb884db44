import type { Env } from '../../../core/streams.ts'
import { failedRow, notEmpty, otherVersion, overtaken } from '../copy/copy-failures.ts'
import type { CopyTarget } from '../copy/ends.ts'
import { indexesOf, withoutIndexes } from '../copy/indexes.ts'
import { COPIED_TABLES, type CopiedTable, type Row } from '../copy/tables.ts'
import { pipelineStatements } from '../pipelines.ts'
import { readAddress } from './address.ts'
import { copiedRows, writeRows } from './copied-rows.ts'
import { COPY_POOL, createState, dropState, movePlace, readOrigin, readPlace } from './copy-state.ts'
import { DURABLY, openPool, type PostgresDatabase, type PostgresTransaction } from './database.ts'
import { checkEmpty, checkVersionAndEncoding, markVersion, versionOf } from './open-database.ts'
import { plainTables, SCHEMA, SCHEMA_VERSION } from './schema.ts'
import { SCHEMA_LOCK } from './sequence.ts'

/** Of a batch; what a crash of the database takes away, is copied again. */
const BEGIN_QUICKLY = 'BEGIN; SET LOCAL synchronous_commit = off; SET LOCAL idle_in_transaction_session_timeout = 0'

/** Of the end, before which all batches are durable. */
const BEGIN_DURABLY = `BEGIN; ${DURABLY}`

/** Opens an empty database, or an unfinished copy. */
export async function withPostgresTarget<T>(
  address: string,
  env: Env,
  work: (target: CopyTarget) => Promise<T>,
): Promise<T> {
  const database = openPool(readAddress(address, env), COPY_POOL)
  try {
    await checkVersionAndEncoding(database)
    if ((await versionOf(database)) !== undefined) throw notEmpty(database.name)
    const origin = await readOrigin(database)
    if (origin && origin.version !== SCHEMA_VERSION) throw otherVersion(database)
    return await work({ ...copyTarget(database), origin })
  } finally {
    await database.close()
  }
}

function script(): string {
  return `${SCHEMA}; ${plainTables()}`
}

function copyTarget(database: PostgresDatabase): Omit<CopyTarget, 'origin'> {
  return {
    ...copiedRows(database),
    name: database.name,
    place: () => readPlace(database),
    begin: (origin, pipelines, place) =>
      database.begin(`${BEGIN_QUICKLY}; SELECT pg_advisory_xact_lock(${SCHEMA_LOCK})`, async (tx) => {
        await checkEmpty(tx, database.name)
        await tx.script(withoutIndexes(script()))
        for (const statement of pipelineStatements(pipelines)) await tx.run(...statement)
        await createState(tx, origin, { version: SCHEMA_VERSION, place })
      }),
    write: (table, rows, { from, to }) =>
      database.begin(BEGIN_QUICKLY, async (tx) => {
        if (!(await movePlace(tx, from, to))) throw overtaken(database)
        await writeBatch(tx, database, { table, rows })
      }),
    addIndexes: async () => {
      // The lock waits for an index that PostgreSQL still makes for a copy that was killed.
      for (const { table, sql } of indexesOf(script()))
        await database.begin(`BEGIN; LOCK TABLE ${table} IN SHARE ROW EXCLUSIVE MODE`, (tx) => tx.script(sql))
    },
    finish: async () => {
      // Without it the first pages are slow until PostgreSQL has looked at the tables itself.
      for (const { name } of COPIED_TABLES) await database.run(`ANALYZE ${name}`)
      await database.begin(BEGIN_DURABLY, async (tx) => {
        await dropState(tx)
        await markVersion(tx)
      })
    },
  }
}

async function writeBatch(
  tx: PostgresTransaction,
  database: PostgresDatabase,
  { table, rows }: { readonly table: CopiedTable; readonly rows: readonly Row[] },
): Promise<void> {
  try {
    await writeRows(tx, table, rows)
  } catch (error) {
    throw isRefused(error) ? failedRow(database, { table, row: rows[0] ?? [] }, error) : error
  }
}

/** Invalid data, and violated constraints (https://www.postgresql.org/docs/current/errcodes-appendix.html). */
function isRefused(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^2[23]/.test(String(error.code))
}
