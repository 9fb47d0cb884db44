import type { CopyOrigin, CopyPlace } from '../copy/ends.ts'
import type { PostgresSession, PostgresTransaction } from './database.ts'

/** Its connections are not those of a service; an index of many rows takes minutes, and batches are long enough not to be prepared. */
export const COPY_POOL = { program: 'crm serve copy', statementMs: 3_600_000, isPrepared: false }

/** In place of the table that names the version, until the end of a copy: no crm takes the database for its own. */
const STATE_TABLE = 'crm_copy'

/** Undefined for anything but an unfinished copy. */
export async function readOrigin(
  session: PostgresSession,
): Promise<(CopyOrigin & { readonly version: number }) | undefined> {
  const isThere = await session.get(
    `SELECT 1 FROM pg_class WHERE relname = '${STATE_TABLE}' AND relnamespace = current_schema()::regnamespace`,
  )
  if (!isThere) return undefined
  const row = await session.get<[string, string, number, number]>(
    `SELECT location, name, last_serial, version FROM ${STATE_TABLE}`,
  )
  return row && { location: row[0], name: row[1], lastSerial: row[2], version: row[3] }
}

/** Waits for the last batch of a copy that was killed, which PostgreSQL may still write. */
export async function readPlace(session: PostgresSession): Promise<CopyPlace> {
  const [place = '{}'] = (await session.get<[string]>(`SELECT place FROM ${STATE_TABLE} FOR UPDATE`)) ?? []
  return JSON.parse(place) as CopyPlace
}

export async function createState(
  tx: PostgresTransaction,
  { location, name, lastSerial }: CopyOrigin,
  { version, place }: { readonly version: number; readonly place: CopyPlace },
): Promise<void> {
  await tx.script(`CREATE TABLE ${STATE_TABLE} (
    location text NOT NULL, name text NOT NULL, last_serial bigint NOT NULL, version integer NOT NULL, place text NOT NULL)`)
  await tx.run(
    `INSERT INTO ${STATE_TABLE} VALUES ($1, $2, $3, $4, $5)`,
    location,
    name,
    lastSerial,
    version,
    JSON.stringify(place),
  )
}

/** False if another process has written there. */
export async function movePlace(tx: PostgresTransaction, from: CopyPlace, to: CopyPlace): Promise<boolean> {
  const moved = await tx.run(
    `UPDATE ${STATE_TABLE} SET place = $1 WHERE place = $2`,
    JSON.stringify(to),
    JSON.stringify(from),
  )
  return moved > 0
}

export async function dropState(tx: PostgresTransaction): Promise<void> {
  await tx.script(`DROP TABLE ${STATE_TABLE}`)
}
