import { decodeId, encodeId } from '../../../core/ids.ts'
import type { OpenResource } from '../../../core/resources/registry.ts'
import { uniqueValues } from '../change-rules.ts'
import type { UniqueMember } from '../store.ts'
import { SELECT_UNIQUE_MEMBERS, type TakenValue } from '../unique-members.ts'
import type { Connection } from './connection.ts'

/** A record and the names of its unique members. */
interface Checked {
  readonly resource: OpenResource
  readonly members: readonly string[]
  readonly id: string
  readonly text: string
}

/** Read in every transaction, as another process may change them; without unique members this takes 1 µs. */
export function currentUniqueMembers(db: Connection): readonly UniqueMember[] {
  return db
    .all<readonly [OpenResource, string]>(SELECT_UNIQUE_MEMBERS)
    .map(([resource, member]) => ({ resource, member }))
}

/** The first value that another record already has. */
export function findTaken(db: Connection, { resource, members, id, text }: Checked): TakenValue | undefined {
  for (const [member, value] of uniqueValues(text, members)) {
    const existingId = findHolder(db, { resource, member }, value)
    if (existingId !== undefined && existingId !== id) return { member, existingId }
  }
  return undefined
}

/** Replaces the unique values of the record. */
export function keepUniqueValues(db: Connection, { resource, members, id, text }: Checked): void {
  removeUniqueValues(db, resource, id)
  const serial = decodeId(resource, id) ?? 0
  for (const [member, value] of uniqueValues(text, members)) insertValue(db, { resource, member }, value, serial)
}

export function removeUniqueValues(db: Connection, resource: OpenResource, id: string): void {
  const serial = decodeId(resource, id) ?? 0
  db.run('DELETE FROM unique_field_values WHERE resource = ? AND record_id = ?', resource, serial)
}

/** The id of the record with the value. */
function findHolder(db: Connection, { resource, member }: UniqueMember, value: string): string | undefined {
  const row = db.get<readonly [number]>(
    'SELECT record_id FROM unique_field_values WHERE resource = ? AND member = ? AND value = ?',
    resource,
    member,
    value,
  )
  return row && encodeId(resource, row[0])
}

function insertValue(db: Connection, { resource, member }: UniqueMember, value: string, serial: number): void {
  const columns = 'resource, member, value, record_id'
  db.run(`INSERT INTO unique_field_values (${columns}) VALUES (?, ?, ?, ?)`, resource, member, value, serial)
}
