import { type Row, Table } from '../emulator.ts'
import { type Field, OBJECTS, type ObjectType, STAGES } from './objects.ts'
import { idIn, idOf, type RowError, refuse, rowError, timeText } from './rules.ts'

const PERCENT = [10, 20, 90, 100, 0]
const START = Date.UTC(2026, 0, 1)
const USER_ID = idOf('005', 1)
const LOCKED = 'unable to obtain exclusive access to this record or 1 records'

export interface Rules {
  /** A validation rule of the organization: why a record is refused, and at which field. */
  readonly validates?: (object: string, row: Row) => { readonly message: string; readonly field?: string } | undefined
  /** Whether another write has a record that is about to be written; asked once for each. */
  readonly locks?: (object: string, row: Row) => boolean
  /** A contact with the email address and the name of another one is refused. */
  readonly hasDuplicateRule?: boolean
}

export interface Saved {
  readonly id: string
  readonly created: boolean
}

type Outcome = Saved | RowError

function isError(read: Row | RowError): read is RowError {
  return 'statusCode' in read
}

/** The state of one organization. */
export class Organization {
  readonly tables: Readonly<Record<string, Table>>
  readonly #rules: Rules
  /** Of external ids and other look-up fields: `Contact Email ada@x.test`, with the ids of those that have it. */
  readonly #idsByKey = new Map<string, Set<string>>()

  constructor(records: number, rules: Rules = {}) {
    this.tables = Object.fromEntries(OBJECTS.map(({ name }) => [name, new Table((row) => row.IsDeleted === true)]))
    this.#rules = {}
    this.#add('User', { Name: 'Ada Admin', Email: 'admin@crm.example', IsActive: true })
    this.#add('User', { Name: 'Susan Seller', Email: 'susan@crm.example', IsActive: true })
    this.#add('User', { Name: 'Lee Leaver', Email: 'leaver@crm.example', IsActive: false })
    for (const [at, name] of STAGES.entries()) {
      const isClosed = name.startsWith('Closed')
      const shown = { MasterLabel: name === 'Negotiation/Review' ? 'Negotiation' : name, ApiName: name, IsActive: true }
      const won = { IsClosed: isClosed, IsWon: name === 'Closed Won', DefaultProbability: PERCENT[at] ?? 0 }
      this.#add('OpportunityStage', { ...shown, SortOrder: at + 1, ...won })
    }
    for (let n = 1; n <= records; n += 1) {
      const time = timeText(START + n * 1000)
      this.#add('Contact', { FirstName: 'Person', LastName: String(n), Email: `person${n}@example.com` }, time)
      this.#add(
        'Opportunity',
        { Name: `Deal ${n}`, StageName: STAGES[0], CloseDate: '2026-06-30', Amount: n * 10 },
        time,
      )
    }
    this.#rules = rules
  }

  /** Names are taken in any case. */
  object(asked: string): ObjectType {
    const found = OBJECTS.find(({ name }) => name.toLowerCase() === asked.toLowerCase())
    return found ?? refuse(404, 'NOT_FOUND', 'The requested resource does not exist')
  }

  table({ name }: ObjectType): Table {
    return this.tables[name] as Table
  }

  /** Also a deleted one, until the recycle bin is emptied. */
  find(object: ObjectType, asked: string): Row | undefined {
    const id = idIn(asked)
    return id === undefined ? undefined : this.table(object).rows.get(id)
  }

  idsWith(object: ObjectType, name: string, value: unknown): readonly string[] {
    return [...(this.#idsByKey.get(keyOf(object, name, value)) ?? [])]
  }

  /** A field that names records in an upsert. */
  lookupField(object: ObjectType, asked: string): string {
    const name = Object.keys(object.fields).find((each) => each.toLowerCase() === asked.toLowerCase())
    if (name !== undefined && object.fields[name]?.isLookup) return name
    return refuse(404, 'NOT_FOUND', `Provided external ID field does not exist or is not accessible: ${asked}`)
  }

  /** What one row is created as; RowError for one that is refused. */
  create(object: ObjectType, written: Row): Outcome {
    const read = this.read(object, written)
    if (isError(read)) return read
    const usual = Object.entries(object.fields).flatMap(([name, { usual: value }]) =>
      value === undefined ? [] : [[name, value] as const],
    )
    const row: Row = { ...Object.fromEntries(usual), OwnerId: USER_ID, ...read }
    const refused = this.#refusal(object, row, undefined)
    return refused ?? { id: String(this.#add(object.name, row).Id), created: true }
  }

  update(object: ObjectType, id: unknown, written: Row): Outcome {
    const row = this.find(object, String(id))
    if (idIn(id) === undefined) return rowError('MALFORMED_ID', `bad id ${id}`, ['Id'])
    if (!row) return rowError('INVALID_CROSS_REFERENCE_KEY', 'invalid cross reference id')
    if (row.IsDeleted) return rowError('ENTITY_IS_DELETED', 'entity is deleted')
    const read = this.read(object, written)
    if (isError(read)) return read
    const after = { ...row, ...read }
    const refused = this.#refusal(object, after, row)
    return refused ?? { id: String(this.#write(object, after, { before: row }).Id), created: false }
  }

  /** By the value of an external id, or of a standard field that looks records up. */
  upsert(object: ObjectType, name: string, written: Row): Outcome {
    const value = written[name]
    if (value === undefined || value === null || value === '')
      return rowError('MISSING_ARGUMENT', `${name} not specified`, [])
    const ids = this.idsWith(object, name, value)
    if (ids.length > 1) {
      const message = `${name}: more than one record found for external id field: [${ids.join(', ')}]`
      return rowError('DUPLICATE_EXTERNAL_ID', message, [name])
    }
    const [id] = ids
    return id === undefined ? this.create(object, written) : this.update(object, id, written)
  }

  remove(object: ObjectType, id: string): Outcome {
    const row = this.find(object, id)
    if (!row) return rowError('INVALID_CROSS_REFERENCE_KEY', 'invalid cross reference id')
    if (row.IsDeleted) return rowError('ENTITY_IS_DELETED', 'entity is deleted')
    if (this.#rules.locks?.(object.name, row)) return rowError('UNABLE_TO_LOCK_ROW', `${LOCKED}: ${row.Id}`)
    this.#forget(object, row)
    this.table(object).write('deleted', String(row.Id), { ...row, IsDeleted: true, SystemModstamp: timeText() })
    return { id: String(row.Id), created: false }
  }

  /** What puts everything back as it is now. */
  keep(): () => void {
    const tables = Object.values(this.tables).map((table) => ({
      table,
      rows: [...table.rows],
      effects: { ...table.effects },
    }))
    const keys = Array.from(this.#idsByKey, ([key, ids]) => [key, new Set(ids)] as const)
    return () => {
      for (const { table, rows, effects } of tables) {
        table.rows.clear()
        for (const [id, row] of rows) table.rows.set(id, row)
        Object.assign(table.effects, effects)
      }
      this.#idsByKey.clear()
      for (const [key, ids] of keys) this.#idsByKey.set(key, ids)
    }
  }

  /** The values as they are stored; RowError for a row that is refused, and a refusal for a request. */
  read(object: ObjectType, written: Row): Row | RowError {
    const values: Row = {}
    for (const [asked, value] of Object.entries(written)) {
      if (asked === 'attributes') continue
      const name = Object.keys(object.fields).find((each) => each.toLowerCase() === asked.toLowerCase())
      if (name === undefined)
        return refuse(400, 'INVALID_FIELD', `No such column '${asked}' on sobject of type ${object.name}`)
      const field = object.fields[name] as Field
      if (field.isReadOnly) {
        const why =
          'Please check the security settings of this field and verify that it is read/write for your profile or permission set.'
        return rowError('INVALID_FIELD_FOR_INSERT_UPDATE', `Unable to create/update fields: ${name}. ${why}`, [name])
      }
      const stored = storedValue(name, field, value)
      const wrong = stored === null ? undefined : this.#wrong(name, field, stored)
      if (wrong) return wrong
      values[name] = stored
    }
    return values
  }

  #wrong(name: string, { type, label, ...field }: Field, value: string | number | boolean): RowError | undefined {
    const { length, options, isRestricted, referenceTo } = field
    const text = String(value)
    if (type === 'reference') {
      const id = idIn(text)
      if (id === undefined) return rowError('MALFORMED_ID', `${label}: id value of incorrect type: ${text}`, [name])
      const isThere = referenceTo.some((other) => this.tables[other]?.rows.get(id)?.IsDeleted === false)
      if (name === 'OwnerId' && this.tables.User?.rows.get(id)?.IsActive === false)
        return rowError('INACTIVE_OWNER_OR_USER', `operation performed with inactive user [${id}] as owner`)
      return isThere
        ? undefined
        : rowError('INVALID_CROSS_REFERENCE_KEY', `${label}: invalid cross reference id`, [name])
    }
    if (typeof value === 'string' && text.length > length) {
      return rowError('STRING_TOO_LONG', `${label}: data value too large: ${text} (max length=${length})`, [name])
    }
    if (type === 'email' && !/^[^@\s]+@[^@\s]+\.[^@\s]+$/.test(text))
      return rowError('INVALID_EMAIL_ADDRESS', `${label}: invalid email address: ${text}`, [name])
    if (isRestricted && !options.includes(text)) {
      const message = `${label}: bad value for restricted picklist field: ${text}`
      return rowError('INVALID_OR_NULL_FOR_RESTRICTED_PICKLIST', message, [name])
    }
    return undefined
  }

  #refusal(object: ObjectType, row: Row, before: Row | undefined): RowError | undefined {
    const missing = Object.keys(object.fields).filter(
      (name) => object.fields[name]?.isRequired && (row[name] ?? null) === null,
    )
    if (missing.length > 0)
      return rowError('REQUIRED_FIELD_MISSING', `Required fields are missing: [${missing.join(', ')}]`, missing)
    const custom = this.#rules.validates?.(object.name, row)
    if (custom) return rowError('FIELD_CUSTOM_VALIDATION_EXCEPTION', custom.message, custom.field ? [custom.field] : [])
    const others = (name: string) => this.idsWith(object, name, row[name]).filter((id) => id !== before?.Id)
    for (const [name, { isExternalId }] of Object.entries(object.fields)) {
      const [other] = isExternalId && row[name] ? others(name) : []
      if (other !== undefined)
        return rowError(
          'DUPLICATE_VALUE',
          `duplicate value found: ${name} duplicates value on record with id: ${other}`,
        )
    }
    const isSame = (id: string) => this.table(object).rows.get(id)?.LastName === row.LastName
    if (this.#rules.hasDuplicateRule && object.name === 'Contact' && row.Email && others('Email').some(isSame))
      return rowError('DUPLICATES_DETECTED', 'Use one of these records?')
    return this.#rules.locks?.(object.name, row)
      ? rowError('UNABLE_TO_LOCK_ROW', `${LOCKED}: ${before?.Id ?? USER_ID}`)
      : undefined
  }

  #add(name: string, values: Row, time = timeText()): Row {
    const object = this.object(name)
    const none = Object.keys(object.fields).map((each) => [each, null] as const)
    const created = { IsDeleted: false, CreatedDate: time, CreatedById: USER_ID }
    const owner = 'OwnerId' in object.fields ? { OwnerId: USER_ID } : {}
    const Id = idOf(object.keyPrefix, this.table(object).nextId())
    const row = { ...Object.fromEntries(none), ...created, ...owner, ...values, Id }
    return this.#write(object, row, { time })
  }

  #write(object: ObjectType, row: Row, { before, time = timeText() }: { before?: Row; time?: string } = {}): Row {
    if (before) this.#forget(object, before)
    const changed = { LastModifiedDate: time, LastModifiedById: USER_ID, SystemModstamp: time }
    const stored = { ...row, ...derived(object, row), ...changed }
    for (const key of keysOf(object, stored)) {
      const ids = this.#idsByKey.get(key) ?? new Set()
      this.#idsByKey.set(key, ids.add(String(row.Id)))
    }
    return this.table(object).write(before ? 'updated' : 'created', String(row.Id), stored)
  }

  #forget(object: ObjectType, row: Row): void {
    for (const key of keysOf(object, row)) this.#idsByKey.get(key)?.delete(String(row.Id))
  }
}

function derived({ name }: ObjectType, { FirstName, LastName, StageName, Status }: Row): Row {
  if (name === 'Task') return { IsClosed: Status === 'Completed' }
  if (name === 'Contact') return { Name: [FirstName, LastName].filter(Boolean).join(' ') }
  if (name !== 'Opportunity') return {}
  return { IsClosed: String(StageName).startsWith('Closed'), IsWon: StageName === 'Closed Won' }
}

/** Of a value that is no text; undefined for one that cannot be read. */
const READERS: Partial<Record<Field['type'], (text: string) => string | number | boolean | undefined>> = {
  boolean: (text) => ({ true: true, false: false })[text],
  double: (text) => (Number.isFinite(Number(text)) ? Number(text) : undefined),
  int: (text) => (Number.isInteger(Number(text)) ? Number(text) : undefined),
  date: (text) => (/^\d{4}-\d\d-\d\d$/.test(text) ? text : undefined),
  datetime: (text) => (Number.isNaN(Date.parse(text)) ? undefined : timeText(Date.parse(text))),
  reference: (text) => idIn(text) ?? text,
  email: (text) => text.toLowerCase(),
}

/** Blanks around a text are cut, and an empty one is none. */
function storedValue(name: string, { type }: Field, value: unknown): string | number | boolean | null {
  if (value === null || String(value).trim() === '') return null
  const text = String(value).trim()
  const read = typeof value === 'object' ? undefined : (READERS[type] ?? String)(text)
  const what = `Cannot deserialize instance of ${type} from VALUE_STRING value ${text}`
  return read ?? refuse(400, 'JSON_PARSER_ERROR', `${what} or request may be missing a required field (${name})`)
}

function keyOf({ name: object }: ObjectType, name: string, value: unknown): string {
  return `${object} ${name} ${String(value).toLowerCase()}`
}

function keysOf(object: ObjectType, row: Row): string[] {
  const names = Object.keys(object.fields).filter((name) => object.fields[name]?.isLookup)
  return names.flatMap((name) =>
    row[name] === null || row[name] === undefined ? [] : [keyOf(object, name, row[name])],
  )
}
