import { hash } from 'node:crypto'
import type { ResourceDefinition } from '../../core/resources/field.ts'
import { type DescribedObject, referencesOf } from '../../core/resources/own-objects.ts'
import {
  filterFields,
  OPEN_RESOURCES,
  type OpenResource,
  RESOURCES,
  type StoredResource,
  useObjects,
} from '../../core/resources/registry.ts'

useObjects()

/** The kinds of database. In the texts of this file, `<this|that>` is `this` on SQLite, and `that` on PostgreSQL. */
const KINDS = ['sqlite', 'postgres'] as const

export type Kind = (typeof KINDS)[number]

export interface Table {
  readonly name: string
  /** Columns, each with its type (see TYPES), and constraints. */
  readonly columns: string
  readonly options?: string
  /** The name of each, and what follows that of the table. */
  readonly indexes?: readonly string[]
  readonly trigger?: string
  /** How `crm serve copy` walks it: unique columns, with which an index of both kinds begins. A table without is of PostgreSQL alone. */
  readonly key?: readonly string[]
  /** The column that may be long. */
  readonly long?: string
  /** The resource whose records these are. */
  readonly resource?: StoredResource
}

/**
 * `key`: text that is compared, by its bytes. `plain`: any text, as `SqlDialect.plain` writes it. `bounded`: compared text of any
 * length, as `SqlDialect.bounded` writes it. `text`: JSON and other text without NUL.
 */
const TYPES: Readonly<Record<string, string>> = {
  bigint: '<INTEGER|bigint>',
  integer: '<INTEGER|integer>',
  real: '<REAL|double precision>',
  text: '<TEXT|text>',
  plain: '<TEXT|text>',
  key: '<TEXT|text COLLATE "C">',
  plainKey: '<TEXT|text COLLATE "C">',
  bounded: '<TEXT|text COLLATE "C">',
}

/** Of every record; those of webhooks are written by the delivery. */
const COMMON_COLUMNS = ['id', 'version', 'text', 'old_secrets', 'failing_since_ms']

/**
 * The schema of a new database. The id of a row is the serial encoded in its wire id, so order by id is order by creation. A
 * change is made here and named in ADDED; new columns come last. A row refers to tables before its own.
 *
 * No foreign key of PostgreSQL refers to webhooks or events: writers follow one another, and a check for each delivery would cost
 * as much as the delivery.
 */
const OWN_TABLES: readonly Table[] = [
  {
    name: 'sequence',
    columns: `only_row integer PRIMARY KEY CHECK (only_row = 1), last_serial bigint NOT NULL,
      rules_version bigint NOT NULL< DEFAULT 1|>`,
    options: '<| WITH (fillfactor = 10)>',
    key: ['only_row'],
  },
  // The last transaction of each process, which it looks for when the answer to COMMIT is lost.
  {
    name: 'writers',
    columns: 'name key PRIMARY KEY, last_commit bigint NOT NULL, at_ms bigint NOT NULL',
    options: ' WITH (fillfactor = 10)',
  },
  {
    name: 'deals',
    columns: `id bigint PRIMARY KEY, version bigint NOT NULL, name bounded NOT NULL, stage bounded NOT NULL, owner_id bounded,
      pipeline_id bounded NOT NULL, amount real, text text NOT NULL`,
    indexes: walkedBy('deals', ['name', 'owner_id', 'stage', 'pipeline_id']),
    key: ['id'],
    long: 'text',
    resource: 'deal',
  },
  {
    name: 'notes',
    columns: `id bigint PRIMARY KEY, deal_id bigint NOT NULL REFERENCES deals ON DELETE CASCADE, version bigint NOT NULL,
      text text NOT NULL`,
    indexes: walkedBy('notes', ['deal_id']),
    key: ['id'],
    long: 'text',
    resource: 'note',
  },
  // Old secrets are [{secret, until_ms}]. failing_since_ms: since when no attempt has succeeded.
  {
    name: 'webhooks',
    columns: `id bigint PRIMARY KEY, version bigint NOT NULL, url text NOT NULL, events text NOT NULL, secret text NOT NULL,
      text text NOT NULL, old_secrets text NOT NULL DEFAULT '[]', failing_since_ms bigint`,
    key: ['id'],
    long: 'text',
    resource: 'webhook',
  },
  {
    name: 'pipelines',
    columns: 'place integer PRIMARY KEY, id key NOT NULL UNIQUE, name text NOT NULL',
    key: ['place'],
  },
  {
    name: 'stages',
    columns: `pipeline_id key NOT NULL REFERENCES pipelines (id) ON DELETE CASCADE, id key NOT NULL, name key NOT NULL,
      position integer NOT NULL, probability real, place integer NOT NULL< DEFAULT 0|>,
      PRIMARY KEY (pipeline_id, id), UNIQUE (pipeline_id, name)`,
    key: ['pipeline_id', 'id'],
  },
  // A rate of 0 requests means no limit.
  {
    name: 'api_keys',
    columns: `id key PRIMARY KEY, hash key NOT NULL UNIQUE, name plain NOT NULL, last_four text NOT NULL, scopes text NOT NULL,
      created_at_ms bigint NOT NULL, expires_at_ms bigint, revoked_at_ms bigint, rate_requests bigint, rate_window_ms bigint,
      last_used_at_ms bigint`,
    key: ['id'],
  },
  {
    name: 'key_uses',
    columns: `hour_ms bigint NOT NULL, key_id key NOT NULL REFERENCES api_keys ON DELETE CASCADE, action plainKey NOT NULL,
      count bigint NOT NULL, refused_count bigint NOT NULL, last_at_ms bigint NOT NULL, last_address plain NOT NULL,
      PRIMARY KEY (hour_ms, key_id, action)`,
    options: '<, WITHOUT ROWID|>',
    key: ['hour_ms', 'key_id', 'action'],
  },
  // The requests of a key in a window; after a crash they count from zero.
  {
    name: 'rate_windows',
    columns: `key_id key NOT NULL, window_ms bigint NOT NULL, number bigint NOT NULL, taken bigint NOT NULL,
      PRIMARY KEY (key_id, window_ms)`,
    options: ' WITH (fillfactor = 50)',
  },
  {
    name: 'idempotency',
    columns: `<number bigint PRIMARY KEY, |>key plainKey <NOT NULL UNIQUE|PRIMARY KEY>, at_ms bigint NOT NULL,
      fingerprint text NOT NULL, status integer NOT NULL, location text, etag text, body text NOT NULL`,
    indexes: ['<|idempotency_by_age (at_ms)>'],
    key: ['key'],
    long: 'body',
  },
  {
    name: 'events',
    columns: 'id bigint PRIMARY KEY, kind text NOT NULL, text text NOT NULL',
    key: ['id'],
    long: 'text',
  },
  // An ended delivery is kept as a log entry until kept_until_ms; delivery-order.ts describes the states of open ones. claim:
  // the process, and the end of its claim by its clock.
  {
    name: 'deliveries',
    columns: `event_id bigint NOT NULL< REFERENCES events ON DELETE CASCADE|>,
      webhook_id bigint NOT NULL< REFERENCES webhooks ON DELETE CASCADE|>, record_id key NOT NULL, attempts integer NOT NULL,
      next_at_ms bigint NOT NULL, state key NOT NULL, failing_since_ms bigint, last_at_ms bigint, last_status integer,
      last_error plain, kept_until_ms bigint, claim text, PRIMARY KEY (<event_id, webhook_id|webhook_id, event_id>)`,
    options: '<, WITHOUT ROWID|>',
    indexes: [
      `deliveries_due (webhook_id, next_at_ms<|, event_id>) WHERE state IN ('pending', 'sending')`,
      `deliveries_open (<webhook_id, record_id, failing_since_ms|record_id, webhook_id, event_id>)
        WHERE state IN ('waiting', 'pending', 'sending')`,
      '<|deliveries_backlog (event_id, failing_since_ms) WHERE kept_until_ms IS NULL>',
      // SQLite: what ended, by its time, and what is open (NULL), to be counted without the table.
      'deliveries_kept (kept_until_ms<, event_id, failing_since_ms)|) WHERE kept_until_ms IS NOT NULL>',
      '<deliveries_of_webhook (webhook_id, event_id)|deliveries_of_event (event_id)>',
    ],
    trigger: `<CREATE TRIGGER IF NOT EXISTS events_end_with_deliveries AFTER DELETE ON deliveries BEGIN
        DELETE FROM events WHERE id = OLD.event_id
          AND NOT EXISTS (SELECT 1 FROM deliveries WHERE event_id = OLD.event_id);
      END|>`,
    key: ['webhook_id', 'event_id'],
  },
  // The unique members of open resources, and their normalised values. As each resource has its own table, no foreign key
  // removes the values of a deleted record.
  {
    name: 'unique_fields',
    columns: 'resource key NOT NULL, member key NOT NULL, PRIMARY KEY (resource, member)',
    options: '<, WITHOUT ROWID|>',
    key: ['resource', 'member'],
  },
  {
    name: 'unique_field_values',
    columns: `resource key NOT NULL, member key NOT NULL, value bounded NOT NULL, record_id bigint NOT NULL,
      PRIMARY KEY (resource, member, value), FOREIGN KEY (resource, member) REFERENCES unique_fields ON DELETE CASCADE`,
    options: '<, WITHOUT ROWID|>',
    indexes: ['unique_field_values_by_record (resource, record_id)'],
    key: ['resource', 'record_id', 'member'],
  },
  // The changes of records; the id is a serial, and so the time. Values are NULL once the record is deleted.
  {
    name: 'history',
    columns: `id bigint PRIMARY KEY, resource key NOT NULL, record_id bigint NOT NULL, action text NOT NULL,
      version bigint NOT NULL, previous_at_ms bigint, fields text NOT NULL, old_values text, new_values text, key_id key,
      job key, request_id text`,
    indexes: [
      ...walkedBy('history', ['record_id', 'resource', 'key_id']),
      'history_by_job (job<|, (-id)>) WHERE job IS NOT NULL',
    ],
    key: ['id'],
    long: 'new_values',
  },
  // The states of runs of fixtures, which clients keep here, and their locks. is_ended: nothing of the run exists any more.
  {
    name: 'fixture_runs',
    columns: `id key PRIMARY KEY, name plain NOT NULL, created_at_ms bigint NOT NULL, updated_at_ms bigint NOT NULL,
      is_ended integer NOT NULL, lock_token text, lock_owner plain, locked_until_ms bigint, state text`,
    key: ['id'],
    long: 'state',
  },
  // The objects that `--objects` described, as JSON by their plural.
  {
    name: 'objects',
    columns: 'plural key PRIMARY KEY, description text NOT NULL',
    key: ['plural'],
  },
]

/** The table of a resource. No other table has the name of one that is described by a user. */
export function tableOf(resource: StoredResource): string {
  const { plural } = RESOURCES[resource]
  return isOwn(resource) ? `own_${plural}` : plural
}

function isOwn(resource: StoredResource): boolean {
  const definition: ResourceDefinition = RESOURCES[resource]
  return definition.isOwn === true
}

/** What the columns of objects of users begin with: a field may be called `text`, or a word of SQL. */
const OWN_COLUMN = 'f_'

/** The column of a filter. */
export function filterColumnName(resource: StoredResource, field: string): string {
  return isOwn(resource) ? `${OWN_COLUMN}${field}` : field
}

/** Those of open resources; columns of filters are normalised: see filterColumns in change-rules.ts. */
const OPEN_TABLES: readonly Table[] = OPEN_RESOURCES.map((resource) => ({
  ...openTable(
    tableOf(resource),
    filterFields(resource).map((field) => filterColumnName(resource, field)),
  ),
  resource,
}))

function openTable(name: string, filters: readonly string[]): Table {
  const own = filters.map((each) => `, ${each} bounded`).join('')
  const columns = `id bigint PRIMARY KEY, version bigint NOT NULL, text text NOT NULL${own}`
  return { name, columns, indexes: walkedBy(name, filters), key: ['id'], long: 'text' }
}

const TABLES: readonly Table[] = [...OWN_TABLES, ...OPEN_TABLES]

/**
 * The released changes since both kinds have one schema; each makes a version, and never changes. A name of the schema, which is
 * added to the databases that lack it: `table.column`, a table, or an index. Or a statement, such as one that fills a column.
 */
const ADDED: readonly string[] = [
  'objects',
  // Filters by company_id: an earlier version would leave the column empty, which is added at the start (see columnChanges).
  'SELECT 1',
]

/** The name of the index on a column; that of `company_id` differs from that of `company`. */
export function indexName(table: string, column: string): string {
  const name = `${table}_by_${column.replace(/^(deal|key|owner|pipeline|record)_id$/, '$1')}`
  // PostgreSQL cuts longer ones.
  return name.length <= 63 ? name : `${name.slice(0, 40)}_${hash('sha256', name).slice(0, 20)}`
}

/**
 * Indexes for an equality and a scan back in time. Those of SQLite contain the id. Those of PostgreSQL end with the negative id, so
 * that only they give both the equality and the order: the planner has no reason to walk the primary key instead.
 */
function walkedBy(table: string, columns: readonly string[]): readonly string[] {
  return columns.map((name) => `${indexName(table, name)} (${name}<|, (-id)>)`)
}

function textFor(kind: Kind, text = ''): string {
  return text.replace(/<([^|]*)\|([^>]*)>/g, kind === 'sqlite' ? '$1' : '$2')
}

export function tablesOf(kind: Kind): readonly Table[] {
  return TABLES.filter(({ key }) => kind === 'postgres' || key)
}

/** The definition of each column, and constraints without a name. */
function columnsOf(
  kind: Kind,
  { columns }: Table,
): readonly (readonly [name: string, type: string, definition: string])[] {
  const parts = textFor(kind, columns).split(/,\s+(?![^(]*\))/)
  return parts.map((part) => {
    const [name = '', type = '', ...rest] = part.split(' ')
    const sqlType = TYPES[type]
    return sqlType ? [name, type, [name, textFor(kind, sqlType), ...rest].join(' ')] : ['', '', part]
  })
}

/** The columns of both kinds, and their types. */
export function sharedColumns(table: Table): ReadonlyMap<string, string> {
  const [ours = [], theirs = []] = KINDS.map((kind) => columnsOf(kind, table).filter(([name]) => name))
  return new Map(ours.filter(([name]) => theirs.some(([other]) => other === name)).map(([name, type]) => [name, type]))
}

/** The columns that a record has besides id, version and text, in the order in which `records.ts` writes them. */
export function ownColumns(resource: StoredResource): readonly string[] {
  const table = TABLES.find((each) => each.resource === resource)
  return table ? [...sharedColumns(table).keys()].filter((name) => !COMMON_COLUMNS.includes(name)) : []
}

/** The statements that make a table, if it is not there. */
export function tableStatements(kind: Kind, table: Table): readonly string[] {
  const { name, trigger, options } = table
  const inside = columnsOf(kind, table).map(([, , definition]) => definition)
  const unlogged = name === 'rate_windows' ? 'UNLOGGED ' : ''
  const after = `${kind === 'sqlite' ? ' STRICT' : ''}${textFor(kind, options)}`
  const create = `CREATE ${unlogged}TABLE IF NOT EXISTS ${name} (${inside.join(', ')})${after}`
  return [create, textFor(kind, trigger)].filter(Boolean)
}

/** The statements that make its indexes, if they are not there, by their names. */
export function indexStatements(kind: Kind, { name: table, indexes = [] }: Table): ReadonlyMap<string, string> {
  const texts = indexes.map((index) => textFor(kind, index)).filter(Boolean)
  return new Map(
    texts.map((text) => [text.replace(/ .*/s, ''), `CREATE INDEX IF NOT EXISTS ${text.replace(' ', ` ON ${table} `)}`]),
  )
}

/** The script that makes these tables with their indexes. */
function scriptOf(kind: Kind, tables: readonly Table[]): string {
  return tables
    .flatMap((table) => [...tableStatements(kind, table), ...indexStatements(kind, table).values()])
    .join('; ')
}

/** All that a new database has before its first row. */
export function schemaScript(kind: Kind): string {
  return scriptOf(kind, tablesOf(kind))
}

interface ColumnChange {
  readonly script: string
  /** For a column without values: how it gets them. */
  readonly filling?: {
    readonly resource: OpenResource
    readonly field: string
    /** Selects id and text of rows after the id $1 that may have a value for it. */
    readonly rows: string
    /** Sets it to $2 in the row $1. */
    readonly fill: string
  }
}

/** Selects `TABLE.COLUMN` for all columns, and the names of indexes. */
export const SCHEMA_NAMES: Readonly<Record<Kind, string>> = {
  sqlite: `SELECT tables.name || '.' || columns.name FROM sqlite_schema AS tables, pragma_table_info(tables.name) AS columns
    WHERE tables.type = 'table' UNION ALL SELECT name FROM sqlite_schema WHERE type = 'index'`,
  postgres: `SELECT relname || '.' || attname FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid
    WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r' AND attnum > 0 AND NOT attisdropped
    UNION ALL SELECT relname FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind = 'i'`,
}

/**
 * What tables that are there lack of the columns of filters; `found` has what SCHEMA_NAMES selects. A field of a user may stop being a
 * reference: its column stays without its index, and so is filled again when the field is a reference again.
 */
export function columnChanges(kind: Kind, found: ReadonlySet<string>): readonly ColumnChange[] {
  return OPEN_RESOURCES.flatMap((resource) => {
    const table = tableOf(resource)
    const fields = filterFields(resource)
    const columns = fields.map((field) => filterColumnName(resource, field))
    if (!found.has(`${table}.id`)) return []
    const isFilled = (column: string) =>
      found.has(`${table}.${column}`) && (!isOwn(resource) || found.has(indexName(table, column)))
    const lacking = fields.flatMap((field, at) => {
      const column = columns[at] ?? ''
      if (isFilled(column)) return []
      const add = `ALTER TABLE ${table} ADD COLUMN ${column} ${textFor(kind, TYPES.bounded)}`
      const has = textFor(kind, '<instr|strpos>')
      return [
        {
          script: found.has(`${table}.${column}`) ? `UPDATE ${table} SET ${column} = NULL` : add,
          filling: {
            ...{ resource, field },
            rows: `SELECT id, text FROM ${table} WHERE id > $1 AND ${has}(text, '"${field}"') > 0 ORDER BY id LIMIT 500`,
            fill: `UPDATE ${table} SET ${column} = $2 WHERE id = $1`,
          },
        },
      ]
    })
    const extra = [...found].flatMap((name) => {
      const column = isOwn(resource) && name.startsWith(`${table}.${OWN_COLUMN}`) ? name.slice(table.length + 1) : ''
      const index = indexName(table, column)
      return column === '' || columns.includes(column) || !found.has(index) ? [] : [{ script: `DROP INDEX ${index}` }]
    })
    return [...lacking, ...extra]
  })
}

/** Tables of open resources are made at any start: a resource may be added. */
export function openTablesScript(kind: Kind): string {
  return scriptOf(kind, OPEN_TABLES)
}

/** Makes the table of an object that a user has described. */
export function ownTableScript(kind: Kind, plural: string, { fields }: DescribedObject): string {
  return scriptOf(kind, [
    openTable(
      `own_${plural}`,
      referencesOf(fields).map((field) => `${OWN_COLUMN}${field}`),
    ),
  ])
}

/** The rows of a new database. */
export const FIRST_ROWS = 'INSERT INTO sequence (only_row, last_serial, rules_version) VALUES (1, 0, 1)'

/** The step of a migration for each change of ADDED. */
export function additions(kind: Kind, added: readonly string[] = ADDED): readonly string[] {
  return added.map((change) => {
    for (const table of tablesOf(kind)) {
      const column = columnsOf(kind, table).find(([name]) => `${table.name}.${name}` === change)
      if (column) return `ALTER TABLE ${table.name} ADD COLUMN ${column[2]}`
      if (table.name === change) return scriptOf(kind, [table])
      const index = indexStatements(kind, table).get(change)
      if (index) return index
    }
    return textFor(kind, change)
  })
}
