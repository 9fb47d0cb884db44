import { decodeId, encodeId } from '../../../core/ids.ts'
import { type OpenResource, RESOURCES } from '../../../core/resources/registry.ts'
import { uniqueValues } from '../change-rules.ts'
import type { SharedValue, UniqueMember } from '../store.ts'
import { type Connection, inTransaction } from './connection.ts'

/** A record and the names of its unique members. */
interface Checked {
  readonly resource: OpenResource
  readonly members: readonly string[]
  readonly id: string
  readonly text: string
}

export interface TakenValue {
  readonly member: string
  readonly existingId: string
}

/** Read in every transaction, as another process may change them; without unique members this takes 1 µs. */
export function readUniqueMembers(db: Connection): readonly UniqueMember[] {
  return db
    .all<readonly [OpenResource, string]>('SELECT resource, member FROM unique_fields ORDER BY resource, member')
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

/** Reads every record of a resource once when members of it are added. */
export function replaceUniqueMembers(db: Connection, wanted: readonly UniqueMember[]): readonly SharedValue[] {
  return inTransaction(db, () => {
    const before = readUniqueMembers(db)
    const added = wanted.filter((each) => !before.some((other) => isSame(each, other)))
    for (const { resource, member } of added) {
      db.run('INSERT INTO unique_fields (resource, member) VALUES (?, ?)', resource, member)
    }
    const shared = [...new Set(added.map(({ resource }) => resource))].flatMap((resource) =>
      addRecords(db, resource, uniqueMembersOf(added, resource)),
    )
    const ended = shared.length > 0 ? added : before.filter((each) => !wanted.some((other) => isSame(each, other)))
    for (const { resource, member } of ended) {
      db.run('DELETE FROM unique_fields WHERE resource = ? AND member = ?', resource, member)
    }
    return shared
  })
}

function isSame(one: UniqueMember, other: UniqueMember): boolean {
  return one.resource === other.resource && one.member === other.member
}

export function uniqueMembersOf(unique: readonly UniqueMember[], resource: string): readonly string[] {
  return unique.filter((each) => each.resource === resource).map(({ member }) => member)
}

/** Adds the values of all records. Shared values are not added and returned. */
function addRecords(db: Connection, resource: OpenResource, members: readonly string[]): readonly SharedValue[] {
  const shared = new Map<string, SharedValue & { readonly ids: string[] }>()
  const { plural } = RESOURCES[resource]
  for (const [serial, text] of db.iterate<readonly [number, string]>(`SELECT id, text FROM ${plural} ORDER BY id`)) {
    for (const [member, value] of uniqueValues(text, members)) {
      const holder = findHolder(db, { resource, member }, value)
      if (holder === undefined) insertValue(db, { resource, member }, value, serial)
      else {
        const key = JSON.stringify([member, value])
        const known = shared.get(key) ?? { resource, member, value, ids: [holder] }
        known.ids.push(encodeId(resource, serial))
        shared.set(key, known)
      }
    }
  }
  return [...shared.values()]
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
