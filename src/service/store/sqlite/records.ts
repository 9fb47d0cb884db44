import type { SQLInputValue } from 'node:sqlite'
import { decodeId, encodeId } from '../../../core/ids.ts'
import type { Change, RecordKind, StoredRecord, Write } from '../store.ts'
import type { Connection } from './connection.ts'

/** Every statement begins with id, version and text; a kind's own columns follow. */
const SQL = {
  contact: {
    find: 'SELECT version, text FROM contacts WHERE id = ?',
    insert: 'INSERT INTO contacts (id, version, text) VALUES (?, ?, ?)',
    update: 'UPDATE contacts SET version = ?2, text = ?3 WHERE id = ?1',
    remove: 'DELETE FROM contacts WHERE id = ?',
  },
  deal: {
    find: 'SELECT version, text FROM deals WHERE id = ?',
    insert: `INSERT INTO deals (id, version, text, name, stage, owner_id, pipeline_id, amount)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    update: `UPDATE deals SET version = ?2, text = ?3, name = ?4, stage = ?5, owner_id = ?6, pipeline_id = ?7, amount = ?8
      WHERE id = ?1`,
    remove: 'DELETE FROM deals WHERE id = ?',
  },
  note: {
    find: 'SELECT version, text FROM notes WHERE id = ?',
    insert: 'INSERT INTO notes (id, version, text, deal_id) VALUES (?, ?, ?, ?)',
    update: 'UPDATE notes SET version = ?2, text = ?3 WHERE id = ?1',
    remove: 'DELETE FROM notes WHERE id = ?',
  },
  webhook: {
    find: 'SELECT version, text FROM webhooks WHERE id = ?',
    insert: 'INSERT INTO webhooks (id, version, text, url, events, secret) VALUES (?, ?, ?, ?, ?, ?)',
    update: `UPDATE webhooks SET version = ?2, text = ?3, url = coalesce(?4, url), events = coalesce(?5, events),
      secret = coalesce(?6, secret) WHERE id = ?1`,
    remove: 'DELETE FROM webhooks WHERE id = ?',
  },
} as const

type Next = NonNullable<Change['next']>

/** Undefined for an id of another kind or no id at all, as for one that is not there. */
export function findRecord(db: Connection, kind: RecordKind, id: string): StoredRecord | undefined {
  const serial = decodeId(kind, id)
  if (serial === undefined) return undefined
  const row = db.get<readonly [number, string]>(SQL[kind].find, serial)
  return row && { id, version: row[0], text: row[1] }
}

export function findRecords(
  db: Connection,
  kind: RecordKind,
  ids: readonly string[],
): ReadonlyMap<string, StoredRecord> {
  const serials = ids.map((id) => decodeId(kind, id)).filter((serial) => serial !== undefined)
  // One parameter for any number of ids, so that one statement is prepared.
  const rows = db.all<readonly [number, number, string]>(
    `SELECT id, version, text FROM ${kind}s WHERE id IN (SELECT value FROM json_each(?))`,
    JSON.stringify(serials),
  )
  return new Map(
    rows.map(([serial, version, text]) => {
      const id = encodeId(kind, serial)
      return [id, { id, version, text }]
    }),
  )
}

export function insertRecord(db: Connection, id: string, write: Write, change: Change & { next: Next }): void {
  const { version, text } = change.next
  db.run(
    SQL[write.kind].insert,
    serialOf(write.kind, id),
    version,
    text,
    ...columnsOf(write.kind, change),
    ...parentOf(write),
  )
}

export function updateRecord(db: Connection, kind: RecordKind, id: string, change: Change & { next: Next }): void {
  const { version, text } = change.next
  db.run(SQL[kind].update, serialOf(kind, id), version, text, ...columnsOf(kind, change))
}

/** The notes of a deal and the deliveries of a webhook go with it. */
export function removeRecord(db: Connection, kind: RecordKind, id: string): void {
  db.run(SQL[kind].remove, serialOf(kind, id))
}

function columnsOf(kind: RecordKind, { deal, webhook }: Change): readonly SQLInputValue[] {
  if (kind === 'deal' && deal) return [deal.name, deal.stage, deal.ownerId, deal.pipelineId, deal.amount]
  if (kind === 'webhook')
    return webhook ? [webhook.url, JSON.stringify(webhook.events), webhook.secret] : [null, null, null]
  return []
}

function parentOf({ kind, parent }: Write): readonly SQLInputValue[] {
  return kind === 'note' && parent ? [serialOf(parent.kind, parent.id)] : []
}

function serialOf(kind: RecordKind, id: string): number {
  const serial = decodeId(kind, id)
  if (serial === undefined) throw new Error(`${id} is no id of a ${kind}`)
  return serial
}
