import type { SQLInputValue } from 'node:sqlite'
import { decodeId, encodeId } from '../../../core/ids.ts'
import { isOpenResource, RESOURCES, STORED_RESOURCES, type StoredResource } from '../../../core/resources/registry.ts'
import { filterColumns } from '../change-rules.ts'
import { OWN_COLUMNS } from '../record-columns.ts'
import type { RecordChange, StoredRecord, StoreWrite } from '../store.ts'
import type { Connection } from './connection.ts'

interface Statements {
  readonly find: string
  readonly insert: string
  readonly update: string
  /** Leaves the columns, and so their indexes, as they are. */
  readonly updateText: string
  readonly remove: string
}

const SQL = Object.fromEntries(STORED_RESOURCES.map((name) => [name, statementsOf(name)])) as Readonly<
  Record<StoredResource, Statements>
>

function statementsOf(resource: StoredResource): Statements {
  const table = RESOURCES[resource].plural
  const own = OWN_COLUMNS[resource] ?? []
  const columns = ['id', 'version', 'text', ...own]
  // A webhook keeps its secret unless it is given another.
  const assigned = own.map((name, place) =>
    name === 'secret' ? `${name} = coalesce(?${place + 4}, ${name})` : `${name} = ?${place + 4}`,
  )
  return {
    find: `SELECT version, text FROM ${table} WHERE id = ?`,
    insert: `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
    update: `UPDATE ${table} SET ${['version = ?2', 'text = ?3', ...assigned].join(', ')} WHERE id = ?1`,
    updateText: `UPDATE ${table} SET version = ?2, text = ?3 WHERE id = ?1`,
    remove: `DELETE FROM ${table} WHERE id = ?`,
  }
}

type Next = NonNullable<RecordChange['next']>

/** Undefined for an unknown id, an id of another resource, and text that is not an id. */
export function findRecord(db: Connection, resource: StoredResource, id: string): StoredRecord | undefined {
  const serial = decodeId(resource, id)
  if (serial === undefined) return undefined
  const row = db.get<readonly [number, string]>(SQL[resource].find, serial)
  return row && { id, version: row[0], text: row[1] }
}

export function insertRecord(
  db: Connection,
  id: string,
  write: StoreWrite,
  change: RecordChange & { next: Next },
): void {
  const { resource, parent } = write
  const { version, text } = change.next
  const own = parent ? [serialOf(parent.resource, parent.id)] : columnsOf(resource, change)
  db.run(SQL[resource].insert, serialOf(resource, id), version, text, ...own)
}

export function updateRecord(
  db: Connection,
  resource: StoredResource,
  current: StoredRecord,
  change: RecordChange & { next: Next },
): void {
  const { version, text } = change.next
  const { update, updateText } = SQL[resource]
  const columns = columnsOf(resource, change)
  const isKept =
    columns.length === 0 || (isOpenResource(resource) && isEqual(columns, filterColumns(resource, current.text)))
  db.run(isKept ? updateText : update, serialOf(resource, current.id), version, text, ...(isKept ? [] : columns))
}

function isEqual(one: readonly unknown[], other: readonly unknown[]): boolean {
  return one.every((value, place) => value === other[place])
}

/** Also removes the notes of a deal and the deliveries of a webhook. */
export function removeRecord(db: Connection, resource: StoredResource, id: string): void {
  db.run(SQL[resource].remove, serialOf(resource, id))
}

/** The notes of a deal, oldest first, read one by one. */
export function* notesOf(db: Connection, dealId: string): Iterable<{ readonly id: string; readonly text: string }> {
  const rows = db.iterate<readonly [number, string]>(
    'SELECT id, text FROM notes WHERE deal_id = ? ORDER BY id',
    serialOf('deal', dealId),
  )
  for (const [serial, text] of rows) yield { id: encodeId('note', serial), text }
}

/** The notes of a deal, oldest first. */
export function noteVersions(
  db: Connection,
  dealSerial: number,
): readonly (readonly [serial: number, version: number])[] {
  return db.all('SELECT id, version FROM notes WHERE deal_id = ? ORDER BY id', dealSerial)
}

/** Empty when the change keeps them. */
function columnsOf(
  resource: StoredResource,
  { next, deal, webhook }: RecordChange & { next: Next },
): readonly SQLInputValue[] {
  if (isOpenResource(resource)) return filterColumns(resource, next.text)
  if (resource === 'deal' && deal) return [deal.name, deal.stage, deal.ownerId, deal.pipelineId, deal.amount]
  if (webhook) return [webhook.url, JSON.stringify(webhook.events), webhook.secret ?? null]
  return []
}

function serialOf(resource: StoredResource, id: string): number {
  const serial = decodeId(resource, id)
  if (serial === undefined) throw new Error(`${id} is not an id of a ${resource}`)
  return serial
}
