import { encodeId, type IdKind } from '../../../core/ids.ts'
import type { JsonObject } from '../../../core/json.ts'
import {
  filterFields,
  isOpenResource,
  type OpenResource,
  RESOURCES,
  STORED_RESOURCES,
  type StoredResource,
} from '../../../core/resources/registry.ts'
import { filterColumns } from '../change-rules.ts'
import { OWN_COLUMNS } from '../record-columns.ts'

/**
 * `text`: without NUL, as JSON and ids are. `any text`: PostgreSQL keeps it without NUL. `compared text`: PostgreSQL bounds
 * its length, too: a truncated one is restored from its record.
 */
export type CopiedType = 'integer' | 'real' | 'text' | 'any text' | 'compared text'

/** The rows of a table, of which both databases have the same columns. What a database adds for itself is not named. */
export interface CopiedTable {
  readonly name: string
  /** Unique; both databases have an index that begins with these columns, and sort texts by their bytes. */
  readonly key: readonly string[]
  readonly columns: Readonly<Record<string, CopiedType>>
  /** The column that may be long. */
  readonly long?: string
  /** The resource whose records these are. */
  readonly resource?: StoredResource
  /** The kind of its ids, where it has no resource. */
  readonly idKind?: IdKind
  /** The schema itself adds its only row. */
  readonly hasOneRow?: true
}

export type Cell = string | number | null

export type Row = readonly Cell[]

/** Of columns that refer to other tables. */
const ID_KINDS: Readonly<Record<string, IdKind>> = { webhook_id: 'webhook', event_id: 'event' }

const RECORD = { id: 'integer', version: 'integer', text: 'text' } as const

const OWN_TYPES: Readonly<Record<string, CopiedType>> = {
  deal_id: 'integer',
  amount: 'real',
  url: 'text',
  events: 'text',
  secret: 'text',
}

function recordTable(resource: StoredResource): CopiedTable {
  const own = (OWN_COLUMNS[resource] ?? []).map((name) => [name, OWN_TYPES[name] ?? 'compared text'] as const)
  const sending = resource === 'webhook' ? ({ old_secrets: 'text', failing_since_ms: 'integer' } as const) : {}
  const columns = { ...RECORD, ...Object.fromEntries(own), ...sending }
  return { name: RESOURCES[resource].plural, key: ['id'], columns, long: 'text', resource }
}

/** In the order in which they are written: a row refers to rows before it. Pipelines are copied with their stages. */
export const COPIED_TABLES: readonly CopiedTable[] = [
  {
    name: 'unique_fields',
    key: ['resource', 'member'],
    columns: { resource: 'text', member: 'text' },
  },
  {
    name: 'api_keys',
    key: ['id'],
    columns: {
      id: 'text',
      hash: 'text',
      name: 'any text',
      last_four: 'text',
      scopes: 'text',
      created_at_ms: 'integer',
      expires_at_ms: 'integer',
      revoked_at_ms: 'integer',
      rate_requests: 'integer',
      rate_window_ms: 'integer',
      last_used_at_ms: 'integer',
    },
  },
  {
    name: 'key_uses',
    key: ['hour_ms', 'key_id', 'action'],
    columns: {
      hour_ms: 'integer',
      key_id: 'text',
      action: 'any text',
      count: 'integer',
      refused_count: 'integer',
      last_at_ms: 'integer',
      last_address: 'any text',
    },
  },
  ...STORED_RESOURCES.map(recordTable),
  {
    name: 'unique_field_values',
    key: ['resource', 'record_id', 'member'],
    columns: { resource: 'text', record_id: 'integer', member: 'text', value: 'compared text' },
  },
  {
    name: 'events',
    key: ['id'],
    idKind: 'event',
    columns: { id: 'integer', kind: 'text', text: 'text' },
    long: 'text',
  },
  {
    name: 'deliveries',
    key: ['webhook_id', 'event_id'],
    columns: {
      event_id: 'integer',
      webhook_id: 'integer',
      record_id: 'text',
      attempts: 'integer',
      next_at_ms: 'integer',
      state: 'text',
      failing_since_ms: 'integer',
      last_at_ms: 'integer',
      last_status: 'integer',
      last_error: 'any text',
      kept_until_ms: 'integer',
    },
  },
  {
    name: 'idempotency',
    key: ['key'],
    columns: {
      key: 'any text',
      at_ms: 'integer',
      fingerprint: 'text',
      status: 'integer',
      location: 'text',
      etag: 'text',
      body: 'text',
    },
    long: 'body',
  },
  {
    name: 'history',
    key: ['id'],
    idKind: 'change',
    columns: {
      id: 'integer',
      resource: 'text',
      record_id: 'integer',
      action: 'text',
      version: 'integer',
      previous_at_ms: 'integer',
      fields: 'text',
      old_values: 'text',
      new_values: 'text',
      key_id: 'text',
      job: 'text',
      request_id: 'text',
    },
    long: 'new_values',
  },
  {
    name: 'fixture_runs',
    key: ['id'],
    columns: {
      id: 'text',
      name: 'any text',
      created_at_ms: 'integer',
      updated_at_ms: 'integer',
      is_ended: 'integer',
      lock_token: 'text',
      lock_owner: 'any text',
      locked_until_ms: 'integer',
      state: 'text',
    },
    long: 'state',
  },
  { name: 'sequence', key: ['only_row'], columns: { only_row: 'integer', last_serial: 'integer' }, hasOneRow: true },
]

export function columnsOf({ columns }: CopiedTable): readonly string[] {
  return Object.keys(columns)
}

/** The values of these columns in a row. */
export function cellsOf(table: CopiedTable, names: readonly string[], row: Row): Row {
  const columns = columnsOf(table)
  return names.map((name) => row[columns.indexOf(name)] ?? null)
}

/** The key of a row for messages: ids as clients know them. */
export function keyText(table: CopiedTable, row: Row): string {
  const texts = table.key.map((name) => {
    const [cell] = cellsOf(table, [name], row)
    const kind = name === 'id' ? (table.resource ?? table.idKind) : ID_KINDS[name]
    return typeof cell === 'number' && kind ? encodeId(kind, cell) : `${cell}`
  })
  return texts.join(' ')
}

/** The text of a record in a column of its filters. */
export function filterCell(resource: StoredResource, column: string, text: string): Cell {
  if (isOpenResource(resource)) return filterColumns(resource, text)[placeOf(resource, column)] ?? null
  const value = (JSON.parse(text) as JsonObject)[column]
  return typeof value === 'string' ? value : null
}

function placeOf(resource: OpenResource, column: string): number {
  return filterFields(resource).indexOf(column)
}
