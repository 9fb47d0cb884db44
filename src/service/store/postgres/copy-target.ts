import type { Env } from '../../../core/streams.ts'
import { failedRow, notEmpty, otherVersion, overtaken } from '../copy/copy-failures.ts'
import type { CopyTarget } from '../copy/ends.ts'
import { indexesOf, withoutIndexes } from '../copy/indexes.ts'
import { COPIED_TABLES, type CopiedTable, type Row } from '../copy/tables.ts'
import { readAddress } from './address.ts'
import { copiedRows, writeRows } from './copied-rows.ts'
import { COPY_POOL, createState, dropState, movePlace, readOrigin, readPlace } from './copy-state.ts'
import { type Database, openPool, type Transaction } from './database.ts'
import { checkEmpty, checkVersionAndEncoding, markVersion, versionOf } from './open-database.ts'
import { insertPipelines } from './pipelines.ts'
import { plainTables, SCHEMA, SCHEMA_VERSION } from './schema.ts'
import { SCHEMA_LOCK } from './sequence.ts'

/** Of a batch; what a crash of the database takes away, is copied again. */
const BEGIN_QUICKLY = 'BEGIN; SET LOCAL synchronous_commit = off; SET LOCAL idle_in_transaction_session_timeout = 0'

/** Of the end, before which all batches are durable. */
const BEGIN_DURABLY = `BEGIN;
  SELECT set_config('synchronous_commit', 'on', true) WHERE current_setting('synchronous_commit') IN ('off', 'local')`

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

function copyTarget(database: Database): Omit<CopyTarget, 'origin'> {
  return {
    ...copiedRows(database),
    name: database.name,
    place: () => readPlace(database),
    begin: (origin, pipelines, place) =>
      database.transaction(`${BEGIN_QUICKLY}; SELECT pg_advisory_xact_lock(${SCHEMA_LOCK})`, async (tx) => {
        await checkEmpty(tx, database.name)
        await tx.script(withoutIndexes(script()))
        await insertPipelines(tx, pipelines)
        await createState(tx, origin, { version: SCHEMA_VERSION, place })
      }),
    write: (table, rows, { from, to }) =>
      database.transaction(BEGIN_QUICKLY, async (tx) => {
        if (!(await movePlace(tx, from, to))) throw overtaken(database)
        await writeBatch(tx, database, { table, rows })
      }),
    addIndexes: async () => {
      // The lock waits for an index that PostgreSQL still makes for a copy that was killed.
      for (const { table, sql } of indexesOf(script()))
        await database.transaction(`BEGIN; LOCK TABLE ${table} IN SHARE ROW EXCLUSIVE MODE`, (tx) => tx.script(sql))
    },
    finish: async () => {
      // Without it the first pages are slow until PostgreSQL has looked at the tables itself.
      for (const { name } of COPIED_TABLES) await database.run(`ANALYZE ${name}`)
      await database.transaction(BEGIN_DURABLY, async (tx) => {
        await dropState(tx)
        await markVersion(tx)
      })
    },
  }
}

async function writeBatch(
  tx: Transaction,
  database: Database,
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
