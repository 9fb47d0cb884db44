import { setTimeout } from 'node:timers/promises'
import { shellWord } from '../../../core/shell-words.ts'
import type { Env } from '../../../core/streams.ts'
import { inUse, notEmpty, unfinishedCopy } from '../copy.ts'
import { tablesOf } from '../schema.ts'
import type { Session, Transaction } from '../sql.ts'
import { readAddress } from './address.ts'
import { DURABLY, openPool, type PostgresDatabase, type PostgresSession, SERVICE_NAME } from './database.ts'
import {
  COPY_TABLE,
  checkEmpty,
  checkVersionAndEncoding,
  markVersion,
  prepareDatabase,
  readOrigin,
  versionOf,
} from './open-database.ts'
import { SCHEMA_LOCK } from './sequence.ts'

/** Its connections are not those of a service; an index of many rows takes minutes, and batches are long enough not to be prepared. */
const COPY_POOL = { program: 'crm serve copy', statementMs: 3_600_000, isPrepared: false }

/** For a service that stops, for commands that end by themselves, and for a copy that was killed. */
const WAIT_MS = 5000

const LOOK_AGAIN_MS = 200

const TABLES = tablesOf('postgres')

const BEGIN = [
  'BEGIN',
  `SET LOCAL lock_timeout = ${WAIT_MS}`,
  'SET LOCAL idle_in_transaction_session_timeout = 0',
  'SET LOCAL statement_timeout = 0',
].join('; ')

/** EXCLUSIVE permits reads alone: a writer waits where it locks the row of `sequence`, and a migration waits. */
const HOLD = `${BEGIN}; LOCK TABLE ${TABLES.filter(({ key }) => key).map(({ name }) => name)} IN EXCLUSIVE MODE`

/** Alone among copies and services that make the tables. */
const WRITE = `${BEGIN}; ${DURABLY}; SELECT pg_advisory_xact_lock(${SCHEMA_LOCK})`

/** Until `work` ends no other process can write to the database; CrmError `machine` if a service runs on it. */
export async function withPostgresSource<T>(
  address: string,
  env: Env,
  work: (source: Session) => Promise<T>,
): Promise<T> {
  return withPool(address, env, async (database) => {
    const hintIfMissing = `name another with --from; to list them: psql --list ${shellWord(database.name)}`
    await prepareDatabase(database, { isCreated: false, isOnlyRead: false, hintIfMissing })
    // Before the lock, for which writes of a service would wait.
    await refuseServices(database, database.name, WAIT_MS)
    return database.begin(HOLD, async (tx) => {
      await refuseServices(tx, database.name, 0)
      return work(tx)
    })
  })
}

/** Opens an empty database, or an unfinished copy of `source`, and marks it as one; after `work` it becomes a database of crm. */
export async function withPostgresTarget<T>(
  address: string,
  { env, source }: { readonly env: Env; readonly source: string },
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  return withPool(address, env, async (database) => {
    await checkVersionAndEncoding(database)
    const check = async (session: PostgresSession): Promise<void> => {
      if ((await versionOf(session)) !== undefined) throw notEmpty(database.name)
      const origin = await readOrigin(session)
      if (origin === undefined) await checkEmpty(session, database.name)
      else if (origin !== source) throw unfinishedCopy(database.name, origin)
    }
    await database.begin(WRITE, async (tx) => {
      await check(tx)
      await tx.script(`DROP TABLE IF EXISTS ${COPY_TABLE}; CREATE TABLE ${COPY_TABLE} (location text NOT NULL)`)
      await tx.run(`INSERT INTO ${COPY_TABLE} VALUES ($1)`, source)
    })
    return database.begin(WRITE, async (tx) => {
      await check(tx)
      const result = await work(tx)
      // Without it the first pages are slow until PostgreSQL has looked at the tables itself.
      await tx.script(`ANALYZE ${TABLES.map(({ name }) => name).join(', ')}; DROP TABLE ${COPY_TABLE}`)
      await markVersion(tx)
      return result
    })
  })
}

export async function refuseUnfinishedCopy(address: string, env: Env): Promise<void> {
  await withPool(address, env, async (database) => {
    const origin = await readOrigin(database)
    if (origin !== undefined) throw unfinishedCopy(database.name, origin)
  })
}

async function withPool<T>(address: string, env: Env, work: (database: PostgresDatabase) => Promise<T>): Promise<T> {
  const database = openPool(readAddress(address, env), COPY_POOL)
  try {
    return await work(database)
  } finally {
    await database.close()
  }
}

/** A service that runs would go on writing to the source after the copy, when the lock is gone. */
async function refuseServices(session: PostgresSession, name: string, waitMs: number): Promise<void> {
  const endMs = performance.now() + waitMs
  for (;;) {
    const [count = 0] =
      (await session.get<[number]>(
        'SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name = $1',
        SERVICE_NAME,
      )) ?? []
    if (count === 0) return
    const connections = count === 1 ? '1 connection' : `${count} connections`
    if (performance.now() >= endMs) throw inUse(name, `crm serve, or a pooler for it, has ${connections} to it`)
    await setTimeout(LOOK_AGAIN_MS)
  }
}
