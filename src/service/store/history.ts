import { decodeId, encodeId, firstSerialAt, LAST_SERIAL, timeOfSerial } from '../../core/ids.ts'
import type { RecordResource } from '../../core/resources/registry.ts'
import { countFitting, PAGE_BYTES } from './page-bytes.ts'

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
export type HistoryRow = readonly [
  id: number,
  resource: RecordResource,
  recordId: number,
  action: ChangeAction,
  version: number,
  previousAtMs: number | null,
  fields: string,
  oldValues: string | null,
  newValues: string | null,
  keyId: string | null,
  job: string | null,
  requestId: string | null,
]

export const HISTORY_COLUMNS = [
  'id',
  'resource',
  'record_id',
  'action',
  'version',
  'previous_at_ms',
  'fields',
  'old_values',
  'new_values',
  'key_id',
  'job',
  'request_id',
] as const

interface Place {
  readonly serial: number
  readonly resource: RecordResource
  readonly recordSerial: number
}

export function historyRow(
  { serial, resource, recordSerial }: Place,
  changed: ChangedMembers,
  by: Author | undefined,
): HistoryRow {
  const { action, version, previousAtMs, fields, oldValues, newValues } = changed
  const who = [by?.keyId ?? null, by?.job ?? null, by?.requestId ?? null] as const
  return [serial, resource, recordSerial, action, version, previousAtMs, fields, oldValues, newValues, ...who]
}

/** The end of a note with its deal. */
export function deletedNote(version: number): ChangedMembers {
  return { action: 'deleted', version, fields: '[]', oldValues: null, newValues: null, previousAtMs: null }
}

/** The ids of the keys of these entries, each once. */
export function keyIdsOf(rows: readonly ReadHistoryRow[]): readonly string[] {
  return [...new Set(rows.flatMap((row) => row[9] ?? []))]
}

/** A row of a page, with the size of its values, which are null where they are too large for a page of such rows. */
export type ReadHistoryRow = readonly [...HistoryRow, sizeBytes: number]

/** As columns of a select; `count` is a parameter of the statement, undefined for values of any size. */
export function historyColumns(count: string | undefined): string {
  const size = '(coalesce(octet_length(old_values), 0) + coalesce(octet_length(new_values), 0))'
  const guarded = (name: string) =>
    count === undefined ? name : `CASE WHEN ${size} * ${count} <= ${PAGE_BYTES} THEN ${name} END AS ${name}`
  const columns = HISTORY_COLUMNS.map((name) => (name.endsWith('_values') ? guarded(name) : name))
  return [...columns, `${size} AS size_bytes`].join(', ')
}

/** How many of the rows make a page, where the values of some were not read; undefined where all were. */
export function fittingRows(rows: readonly ReadHistoryRow[], limit: number): number | undefined {
  const sizes = rows.map((row) => row[12])
  if (sizes.every((size) => size * (limit + 1) <= PAGE_BYTES)) return undefined
  return countFitting(sizes.slice(0, limit))
}

/** A page of rows, of which there is one more than `limit` where there is a next page; `nameOf` has the names of their keys. */
export function historyPage(
  rows: readonly ReadHistoryRow[],
  limit: number,
  nameOf: ReadonlyMap<string, string>,
): HistoryPage {
  const entries = rows.slice(0, limit).map((row) => historyEntry(row, nameOf))
  return { entries, nextOlderThanId: rows.length > limit ? entries.at(-1)?.id : undefined }
}

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
export function serialBounds(query: HistoryQuery): { readonly least: number; readonly below: number } {
  const { sinceMs, untilMs, olderThanId } = query
  const until = untilMs === undefined ? LAST_SERIAL : serialAt(Math.floor(untilMs) + 1)
  const least = sinceMs === undefined ? 0 : serialAt(Math.ceil(sinceMs))
  const place = olderThanId === undefined ? LAST_SERIAL : (decodeId('change', olderThanId) ?? 0)
  return { least, below: Math.min(place, until) }
}

/** Within what a database holds, for any time. */
function serialAt(timeMs: number): number {
  return Math.max(0, Math.min(firstSerialAt(timeMs), LAST_SERIAL))
}

/** The serial before which entries are old; undefined when none is. */
export function oldestKeptSerial(nowMs: number, historyMs: number): number | undefined {
  return Number.isFinite(historyMs) ? firstSerialAt(nowMs - historyMs) : undefined
}
