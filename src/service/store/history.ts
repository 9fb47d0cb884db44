import { decodeId, encodeId, firstSerialAt, LAST_SERIAL, timeOfSerial } from '../../core/ids.ts'
import type { RecordResource } from '../../core/resources/registry.ts'
import type { Session, SqlDialect } from './sql.ts'
import { countFitting, PAGE_BYTES, PAGE_COUNT, readWalk, serialAt } from './walks.ts'

export const CHANGE_ACTIONS = ['created', 'updated', 'deleted'] as const

export type ChangeAction = (typeof CHANGE_ACTIONS)[number]

/** Who made a change; undefined where it is not known, as for records of `--seed`. */
export interface Author {
  readonly keyId: string | undefined
  /** As the client named it in `Crm-Job`. */
  readonly job: string | undefined
  readonly requestId: string | undefined
}

/** What a change did to a record. Values are the JSON of an object, null where there are none. */
export interface ChangedMembers {
  readonly action: ChangeAction
  /** The names of the changed members, as a list in JSON. */
  readonly fields: string
  readonly oldValues: string | null
  readonly newValues: string | null
  readonly version: number
  /** When the record was changed before. */
  readonly previousAtMs: number | null
}

/** One change in the history of a record. Of a deleted record only the names of members are left. */
export interface HistoryEntry extends ChangedMembers {
  readonly id: string
  readonly atMs: number
  readonly resource: RecordResource
  readonly recordId: string
  readonly keyId: string | null
  /** Null for a key that is not in the database. */
  readonly keyName: string | null
  readonly job: string | null
  readonly requestId: string | null
}

/** Newest first. Undefined members do not limit it. */
export interface HistoryQuery {
  readonly limit: number
  readonly olderThanId: string | undefined
  readonly record?: { readonly resource: RecordResource; readonly id: string } | undefined
  readonly resource?: RecordResource | undefined
  /** Alternatives. */
  readonly keyIds?: readonly string[] | undefined
  readonly job?: string | undefined
  /** Inclusive. */
  readonly sinceMs?: number | undefined
  readonly untilMs?: number | undefined
}

export interface HistoryPage {
  readonly entries: readonly HistoryEntry[]
  readonly nextOlderThanId: string | undefined
}

/** In the order of HISTORY_COLUMNS. */
type HistoryRow = readonly [
  ...[id: number, resource: RecordResource, recordId: number, action: ChangeAction, version: number],
  ...[previousAtMs: number | null, fields: string, oldValues: string | null, newValues: string | null],
  ...[keyId: string | null, job: string | null, requestId: string | null],
]

const HISTORY_COLUMNS =
  'id resource record_id action version previous_at_ms fields old_values new_values key_id job request_id'.split(' ')

interface Place {
  readonly serial: number
  readonly resource: RecordResource
  readonly recordSerial: number
}

const INSERT = `INSERT INTO history (${HISTORY_COLUMNS.join(', ')})
  VALUES (${HISTORY_COLUMNS.map((_, place) => `$${place + 1}`).join(', ')})`

/** The statement that adds an entry. */
export function historyStatement(
  { serial, resource, recordSerial }: Place,
  changed: ChangedMembers,
  by: Author | undefined,
): readonly [sql: string, ...HistoryRow] {
  const { action, version, previousAtMs, fields, oldValues, newValues } = changed
  const who = [by?.keyId ?? null, by?.job ?? null, by?.requestId ?? null] as const
  return [INSERT, serial, resource, recordSerial, action, version, previousAtMs, fields, oldValues, newValues, ...who]
}

/** Before a condition on the serial of a record. */
export const ERASE_VALUES = 'UPDATE history SET old_values = NULL, new_values = NULL WHERE record_id'

/** The end of a note with its deal. */
export function deletedNote(version: number): ChangedMembers {
  return { action: 'deleted', version, fields: '[]', oldValues: null, newValues: null, previousAtMs: null }
}

/** A row of a page, with the size of its values, which are null where they are too large for a page of such rows. */
type ReadHistoryRow = readonly [...HistoryRow, sizeBytes: number]

/** Reads once, where no entry has values so large that the page may be. */
export async function readHistory(session: Session, query: HistoryQuery): Promise<HistoryPage> {
  const { limit } = query
  const small = await readEntries(session, query, limit + 1, 'small')
  const sizes = small.map((row) => row[SIZE_AT])
  if (sizes.every((size) => size * (limit + 1) <= PAGE_BYTES)) return historyPage(session, small, limit)
  const fitting = countFitting(sizes.slice(0, limit))
  return historyPage(session, await readEntries(session, query, fitting + 1, 'whole'), fitting)
}

const SIZE = '(coalesce(octet_length(old_values), 0) + coalesce(octet_length(new_values), 0))'

const SIZE_AT = 12

async function readEntries(
  session: Session,
  query: HistoryQuery,
  count: number,
  values: 'small' | 'whole',
): Promise<readonly ReadHistoryRow[]> {
  const { record, job, keyIds, resource } = query
  if (keyIds?.length === 0) return []
  const guarded = (name: string) =>
    values === 'small' ? `CASE WHEN ${SIZE} * ${PAGE_COUNT} <= ${PAGE_BYTES} THEN ${name} END AS ${name}` : name
  const select = [...HISTORY_COLUMNS.map((name) => (name.endsWith('_values') ? guarded(name) : name)), SIZE].join(', ')
  const recordSerial = record ? [decodeId(record.resource, record.id) ?? -1] : []
  const columns = [
    { name: 'record_id', index: 'history_by_record', type: 'bigint', values: recordSerial },
    { name: 'job', index: 'history_by_job', type: 'text', values: job === undefined ? [] : [job] },
    { name: 'key_id', index: 'history_by_key', type: 'text', values: keyIds ?? [] },
    { name: 'resource', index: 'history_by_resource', type: 'text', values: resource === undefined ? [] : [resource] },
  ] as const
  return readWalk(session, { table: 'history', columns }, { ...serialBounds(query), count, select })
}

/** A page of rows, of which there is one more than `limit` where there is a next page. */
async function historyPage(session: Session, rows: readonly ReadHistoryRow[], limit: number): Promise<HistoryPage> {
  const keyIds = [...new Set(rows.flatMap((row) => row[KEY_AT] ?? []))]
  const isWanted = session.dialect.isIn('id', '$1', 'text')
  const keys =
    keyIds.length === 0
      ? []
      : await session.all<readonly [string, string]>(`SELECT id, name FROM api_keys WHERE ${isWanted}`, keyIds)
  const nameOf = new Map(keys)
  const entries = rows.slice(0, limit).map((row) => historyEntry(row, nameOf))
  return { entries, nextOlderThanId: rows.length > limit ? entries.at(-1)?.id : undefined }
}

const KEY_AT = 9

function historyEntry(row: ReadHistoryRow, nameOf: ReadonlyMap<string, string>): HistoryEntry {
  const [serial, resource, recordSerial, action, version, previousAtMs, fields, oldValues, newValues, ...who] = row
  const [keyId, job, requestId] = who
  return {
    id: encodeId('change', serial),
    atMs: timeOfSerial(serial),
    resource,
    recordId: encodeId(resource, recordSerial),
    ...{ action, version, previousAtMs, fields, oldValues, newValues, keyId, job, requestId },
    keyName: keyId === null ? null : (nameOf.get(keyId) ?? null),
  }
}

/** The serials of a query: from `least`, below `below`. A start that is not the id of a change gives an empty page. */
function serialBounds(query: HistoryQuery): { readonly least: number; readonly below: number } {
  const { sinceMs, untilMs, olderThanId } = query
  const until = untilMs === undefined ? LAST_SERIAL : serialAt(Math.floor(untilMs) + 1)
  const least = sinceMs === undefined ? 0 : serialAt(Math.ceil(sinceMs))
  const place = olderThanId === undefined ? LAST_SERIAL : (decodeId('change', olderThanId) ?? 0)
  return { least, below: Math.min(place, until) }
}

/** The serial before which entries are old; undefined when none is. */
export function oldestKeptSerial(nowMs: number, historyMs: number): number | undefined {
  return Number.isFinite(historyMs) ? firstSerialAt(nowMs - historyMs) : undefined
}

interface Pruning {
  readonly nowMs: number
  readonly historyMs: number
  /** At most so many. */
  readonly count: number
}

/** The statement that deletes some of the oldest entries that are too old; undefined where none is. */
export function pruneStatement(
  { isOneOf, skipLocked }: SqlDialect,
  { nowMs, historyMs, count }: Pruning,
): readonly [sql: string, below: number, count: number] | undefined {
  const below = oldestKeptSerial(nowMs, historyMs)
  if (below === undefined) return undefined
  const oldest = `SELECT id FROM history WHERE id < $1 ORDER BY id LIMIT $2 + 0 ${skipLocked}`
  return [`DELETE FROM history WHERE ${isOneOf('id', oldest)}`, Math.max(0, below), count]
}
