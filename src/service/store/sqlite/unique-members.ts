import { decodeId, encodeId } from '../../../core/ids.ts'
import type { SharedValue } from '../store.ts'
import { uniqueValues } from '../unique-values.ts'
import type { Connection } from './connection.ts'
import { inTransaction } from './transaction.ts'

interface Contact {
  readonly id: string
  readonly text: string
}

export interface Taken {
  readonly member: string
  readonly existingId: string
}

/** Another process may change them at any time, so that every transaction reads them; without any that takes 1 µs. */
export function readUniqueMembers(db: Connection): readonly string[] {
  return db.all<readonly [string]>('SELECT member FROM unique_members ORDER BY member').map(([member]) => member)
}

/** The first value that another contact has. */
export function findTaken(db: Connection, members: readonly string[], { id, text }: Contact): Taken | undefined {
  for (const [member, value] of uniqueValues(text, members)) {
    const existingId = findHolder(db, member, value)
    if (existingId !== undefined && existingId !== id) return { member, existingId }
  }
  return undefined
}

/** In place of those that the contact had. */
export function keepUniqueValues(db: Connection, members: readonly string[], { id, text }: Contact): void {
  const serial = decodeId('contact', id) ?? 0
  db.run('DELETE FROM unique_values WHERE contact_id = ?', serial)
  for (const [member, value] of uniqueValues(text, members)) insertValue(db, member, value, serial)
}

/** Reads every contact once where members are added. */
export function replaceUniqueMembers(db: Connection, members: readonly string[]): readonly SharedValue[] {
  return inTransaction(db, () => {
    const before = readUniqueMembers(db)
    const added = members.filter((member) => !before.includes(member))
    for (const member of added) db.run('INSERT INTO unique_members (member) VALUES (?)', member)
    const shared = added.length > 0 ? addContacts(db, added) : []
    const ended = shared.length > 0 ? added : before.filter((each) => !members.includes(each))
    for (const member of ended) db.run('DELETE FROM unique_members WHERE member = ?', member)
    return shared
  })
}

/** What contacts share is left out, and returned. */
function addContacts(db: Connection, members: readonly string[]): readonly SharedValue[] {
  const shared = new Map<string, { member: string; value: string; ids: string[] }>()
  const contacts = db.iterate<readonly [number, string]>('SELECT id, text FROM contacts ORDER BY id')
  for (const [serial, text] of contacts) {
    for (const [member, value] of uniqueValues(text, members)) {
      const holder = findHolder(db, member, value)
      if (holder === undefined) insertValue(db, member, value, serial)
      else {
        const key = JSON.stringify([member, value])
        const known = shared.get(key) ?? { member, value, ids: [holder] }
        known.ids.push(encodeId('contact', serial))
        shared.set(key, known)
      }
    }
  }
  return [...shared.values()]
}

/** The id of the contact that has the value. */
function findHolder(db: Connection, member: string, value: string): string | undefined {
  const row = db.get<readonly [number]>(
    'SELECT contact_id FROM unique_values WHERE member = ? AND value = ?',
    member,
    value,
  )
  return row && encodeId('contact', row[0])
}

function insertValue(db: Connection, member: string, value: string, serial: number): void {
  db.run('INSERT INTO unique_values (member, value, contact_id) VALUES (?, ?, ?)', member, value, serial)
}
