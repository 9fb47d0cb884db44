import type { SQLInputValue } from 'node:sqlite'
import { decodeId, encodeId } from '../../../core/ids.ts'
import { RESOURCES, STORED_RESOURCES, type StoredResource } from '../../../core/resources/registry.ts'
import type { RecordChange, StoredRecord, StoreWrite } from '../store.ts'
import type { Connection } from './connection.ts'

/** The columns of each table besides id, version and text. */
const OWN_COLUMNS: Readonly<Partial<Record<StoredResource, readonly string[]>>> = {
  deal: ['name', 'stage', 'owner_id', 'pipeline_id', 'amount'],
  note: ['deal_id'],
  webhook: ['url', 'events', 'secret'],
}

interface Statements {
  readonly find: string
  readonly findAll: string
  readonly insert: string
  readonly update: string
  readonly remove: string
}

const SQL = Object.fromEntries(STORED_RESOURCES.map((name) => [name, statementsOf(name)])) as Readonly<
  Record<StoredResource, Statements>
>

function statementsOf(resource: StoredResource): Statements {
  const table = RESOURCES[resource].plural
  const own = OWN_COLUMNS[resource] ?? []
  const columns = ['id', 'version', 'text', ...own]
  // The columns of a deal are always set together, and null is a value.
  const assigned = own.map((name, place) =>
    resource === 'deal' ? `${name} = ?${place + 4}` : `${name} = coalesce(?${place + 4}, ${name})`,
  )
  return {
    find: `SELECT version, text FROM ${table} WHERE id = ?`,
    // One parameter for any number of ids.
    findAll: `SELECT id, version, text FROM ${table} WHERE id IN (SELECT value FROM json_each(?))`,
    insert: `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
    update: `UPDATE ${table} SET ${['version = ?2', 'text = ?3', ...assigned].join(', ')} WHERE id = ?1`,
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

export function findRecords(
  db: Connection,
  resource: StoredResource,
  ids: readonly string[],
): ReadonlyMap<string, StoredRecord> {
  const serials = ids.map((id) => decodeId(resource, id)).filter((serial) => serial !== undefined)
  const rows = db.all<readonly [number, number, string]>(SQL[resource].findAll, JSON.stringify(serials))
  return new Map(
    rows.map(([serial, version, text]) => {
      const id = encodeId(resource, serial)
      return [id, { id, version, text }]
    }),
  )
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
  id: string,
  change: RecordChange & { next: Next },
): void {
  const { version, text } = change.next
  db.run(SQL[resource].update, serialOf(resource, id), version, text, ...columnsOf(resource, change))
}

/** Also removes the notes of a deal and the deliveries of a webhook. */
export function removeRecord(db: Connection, resource: StoredResource, id: string): void {
  db.run(SQL[resource].remove, serialOf(resource, id))
}

function columnsOf(resource: StoredResource, { deal, webhook }: RecordChange): readonly SQLInputValue[] {
  if (resource === 'deal' && deal) return [deal.name, deal.stage, deal.ownerId, deal.pipelineId, deal.amount]
  if (webhook) return [webhook.url, JSON.stringify(webhook.events), webhook.secret]
  return (OWN_COLUMNS[resource] ?? []).map(() => null)
}

function serialOf(resource: StoredResource, id: string): number {
  const serial = decodeId(resource, id)
  if (serial === undefined) throw new Error(`${id} is not an id of a ${resource}`)
  return serial
}
