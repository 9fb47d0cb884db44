import { setTimeout } from 'node:timers/promises'
import type { Env } from '../../../core/streams.ts'
import { inUse } from '../copy/copy-failures.ts'
import type { CopySource } from '../copy/ends.ts'
import { COPIED_TABLES, type CopiedTable } from '../copy/tables.ts'
import { readAddress } from './address.ts'
import { copiedRows } from './copied-rows.ts'
import { COPY_POOL } from './copy-state.ts'
import { openPool, type PostgresSession, SERVICE_NAME } from './database.ts'
import { prepareDatabase } from './open-database.ts'

/** For a service that stops, and for commands that end by themselves. */
const WAIT_MS = 5000

const LOOK_AGAIN_MS = 200

const NAMES = [...COPIED_TABLES.map(({ name }) => name), 'pipelines', 'stages']

/** EXCLUSIVE permits reads alone: a writer waits where it locks the row of `sequence`, and a migration waits. */
const HOLD = [
  'BEGIN',
  `SET LOCAL lock_timeout = ${WAIT_MS}`,
  'SET LOCAL idle_in_transaction_session_timeout = 0',
  'SET LOCAL statement_timeout = 0',
  `LOCK TABLE ${NAMES.join(', ')} IN EXCLUSIVE MODE`,
].join('; ')

/** Until `work` ends no other process can write to the database; CrmError `machine` if a service runs on it. */
export async function withPostgresSource<T>(
  address: string,
  env: Env,
  work: (source: CopySource) => Promise<T>,
): Promise<T> {
  const database = openPool(readAddress(address, env), COPY_POOL)
  try {
    await prepareDatabase(database, { isCreated: false, isOnlyRead: false })
    // Before the lock, for which writes of a service would wait.
    await refuseServices(database, database.name, WAIT_MS)
    return await database.begin(HOLD, async (tx) => {
      await refuseServices(tx, database.name, 0)
      return work({ ...copiedRows(tx), name: database.name, orderOf })
    })
  } finally {
    await database.close()
  }
}

/** Answers are written in the order of their age, in which SQLite deletes them. */
function orderOf({ name, key }: CopiedTable): readonly string[] {
  return name === 'idempotency' ? ['at_ms', ...key] : key
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
