import { type Row, Table } from '../emulator.ts'
import { type Field, MODULES, type Module } from './modules.ts'
import { idOf, invalid, type Outcome, refuse, rowError, timeText } from './rules.ts'

const START = Date.UTC(2026, 0, 1)

interface User {
  readonly id: string
  readonly full_name: string
  readonly email: string
  readonly status: 'active' | 'inactive'
}

export const USERS: readonly User[] = [
  { id: idOf(1), full_name: 'Ada Admin', email: 'admin@crm.example', status: 'active' },
  { id: idOf(2), full_name: 'Susan Seller', email: 'susan@crm.example', status: 'active' },
  { id: idOf(3), full_name: 'Lee Leaver', email: 'leaver@crm.example', status: 'inactive' },
]
const ADMIN = USERS[0] as User

/** What a row may have beside the fields. */
const BESIDE = ['id', '$append_values', '$se_module']

const ID_WRONG = 'the id given seems to be invalid'

export interface Rules {
  /** Whether Zoho refuses a record, and with which message. */
  readonly validates?: (module: string, row: Row) => string | undefined
  /** What the account made for itself. */
  readonly ownModules?: readonly Module[]
}

type Read = { readonly values: Row } | { readonly error: Outcome }

/** The state of one account. */
export class Account {
  readonly modules: readonly Module[]
  readonly tables: Readonly<Record<string, Table>>
  readonly #rules: Rules
  /** Of fields that are checked for duplicates: `Contacts Email ada@x.test`, with the ids that have it. */
  readonly #idsByValue = new Map<string, Set<string>>()
  #last = 1000

  constructor(records: number, rules: Rules = {}) {
    this.#rules = rules
    this.modules = [...MODULES, ...(rules.ownModules ?? [])]
    this.tables = Object.fromEntries(this.modules.map(({ api_name }) => [api_name, new Table()]))
    for (let n = 1; n <= records; n += 1) {
      const time = timeText(START + n * 1000)
      const person = { First_Name: 'Person', Last_Name: String(n), Email: `person${n}@example.com` }
      this.#write(this.module('Contacts'), person, undefined, time)
      const deal = { Deal_Name: `Deal ${n}`, Stage: 'Qualification', Amount: n * 10, Closing_Date: '2026-06-30' }
      this.#write(this.module('Deals'), deal, undefined, time)
    }
  }

  module(name: string): Module {
    const found = this.modules.find(({ api_name }) => api_name === name)
    return (
      found ?? refuse(400, 'INVALID_MODULE', 'the module name given seems to be invalid', { resource_path_index: 0 })
    )
  }

  table({ api_name }: Module): Table {
    return this.tables[api_name] as Table
  }

  create(module: Module, row: Row, at: number): Outcome {
    const read = this.#read(module, row, at)
    if ('error' in read) return read.error
    const missing = Object.entries(module.fields).find(
      ([name, { isMandatory }]) => isMandatory && isBlank(read.values[name]),
    )
    if (missing)
      return rowError('MANDATORY_NOT_FOUND', 'required field not found', {
        api_name: missing[0],
        json_path: `$.data[${at}].${missing[0]}`,
      })
    return this.#refusal(module, read.values, undefined) ?? saved(this.#write(module, read.values), 'record added')
  }

  update(module: Module, id: unknown, row: Row, at: number): Outcome {
    if (id === undefined) return rowError('MANDATORY_NOT_FOUND', 'required field not found', { api_name: 'id' })
    const before = this.table(module).rows.get(String(id))
    if (!before) return invalid({ id }, ID_WRONG)
    const read = this.#read(module, row, at)
    if ('error' in read) return read.error
    const emptied = Object.keys(read.values).find(
      (name) => module.fields[name]?.isMandatory && isBlank(read.values[name]),
    )
    if (emptied !== undefined) return invalid({ api_name: emptied, json_path: `$.data[${at}].${emptied}` })
    const after = { ...before, ...read.values }
    return this.#refusal(module, after, before) ?? saved(this.#write(module, after, before), 'record updated')
  }

  /** By the first of the fields that a record has the value of. */
  upsert(module: Module, row: Row, at: number, by: readonly string[]): Outcome {
    for (const name of by) {
      const [id, ...others] = this.#idsWith(module, name, row[name])
      if (others.length > 0)
        return rowError('AMBIGUITY_DURING_PROCESSING', 'several records have this value', { api_name: name })
      if (id !== undefined) return { ...this.update(module, id, row, at), action: 'update', duplicate_field: name }
    }
    return { ...this.create(module, row, at), action: 'insert', duplicate_field: null }
  }

  remove(module: Module, id: string): Outcome {
    const row = this.table(module).rows.get(id)
    if (!row) return invalid({ id }, 'record not deleted')
    this.#forget(module, row)
    this.table(module).remove(id)
    return { code: 'SUCCESS', details: { id }, message: 'record deleted', status: 'success' }
  }

  /** Look-ups with the names of their records; without `names`, as a query shows them. */
  shown(module: Module, row: Row, fields: readonly string[], names = true): Row {
    const values = fields.map((name) => [name, this.#shownValue(module.fields[name], row[name], names)] as const)
    return { ...Object.fromEntries(values), id: row.id }
  }

  #shownValue(field: Field | undefined, value: unknown, names: boolean): unknown {
    if (value === undefined || value === null) return null
    if (field?.data_type === 'ownerlookup') {
      const { id, full_name: name, email } = USERS.find((user) => user.id === (value as Row).id) ?? ADMIN
      return names ? { id, name, email } : { id }
    }
    if (field?.data_type !== 'lookup' || !names) return value
    const row = this.tables[moduleOf(field, value)]?.rows.get(String((value as Row).id))
    return { name: row?.Full_Name ?? row?.Account_Name ?? row?.Deal_Name ?? null, ...(value as Row) }
  }

  #read(module: Module, row: Row, at: number): Read {
    const written = Object.entries(row).filter(([name]) => !BESIDE.includes(name))
    for (const [name, value] of written) {
      const why = this.#whyWrong(Object.hasOwn(module.fields, name) ? module.fields[name] : undefined, value)
      const place = { api_name: name, json_path: `$.data[${at}].${name}` }
      if (why) return { error: invalid({ ...place, ...why.details }, why.message) }
    }
    const stored = (value: unknown) => (typeof value === 'string' ? value.trim() || null : value)
    return { values: Object.fromEntries(written.map(([name, value]) => [name, stored(value)])) }
  }

  #whyWrong(field: Field | undefined, value: unknown): Pick<Outcome, 'message' | 'details'> | undefined {
    if (!field || field.isReadOnly) return { message: 'the field cannot be written', details: {} }
    if (value === null) return undefined
    const { data_type, options, length } = field
    const expected = EXPECTED[data_type]
    if (!expected.test(value)) return { message: 'invalid data', details: { expected_data_type: expected.name } }
    if (typeof value === 'string' && value.length > length)
      return { message: 'invalid data', details: { maximum_length: length } }
    const chosen = [value].flat()
    if (options.length > 0 && !chosen.every((each) => options.includes(String(each))))
      return { message: 'invalid data', details: { supported_values: options } }
    if (data_type !== 'lookup' && data_type !== 'ownerlookup') return undefined
    const { id } = value as Row
    const isThere =
      data_type === 'lookup'
        ? this.tables[moduleOf(field, value)]?.rows.has(String(id))
        : USERS.some((user) => user.id === id)
    return isThere ? undefined : { message: ID_WRONG, details: {} }
  }

  #refusal(module: Module, row: Row, before: Row | undefined): Outcome | undefined {
    for (const [name, { isUnique }] of Object.entries(module.fields)) {
      const id = isUnique ? this.#idsWith(module, name, row[name]).find((other) => other !== before?.id) : undefined
      if (id !== undefined)
        return rowError('DUPLICATE_DATA', 'duplicate data', {
          ...{ api_name: name, id },
          duplicate_record: { id, module: { api_name: module.api_name, id: '1' } },
        })
    }
    const message = this.#rules.validates?.(module.api_name, row)
    return message === undefined ? undefined : invalid({}, message)
  }

  #idsWith({ api_name }: Module, name: string, value: unknown): readonly string[] {
    return isBlank(value) ? [] : [...(this.#idsByValue.get(keyOf(api_name, name, value)) ?? [])]
  }

  #write(module: Module, row: Row, before?: Row, time = timeText()): Row {
    if (before) this.#forget(module, before)
    else this.#last += 1
    const id = before?.id ?? idOf(this.#last)
    const first = before ?? { Owner: { id: ADMIN.id }, Created_Time: time, Created_By: { id: ADMIN.id } }
    const full = [row.First_Name, row.Last_Name].filter(Boolean).join(' ')
    const named = module.fields.Full_Name ? { Full_Name: full } : {}
    const changed = { Modified_Time: time, Modified_By: { id: ADMIN.id } }
    const stored: Row = { ...first, ...row, ...named, ...changed, id }
    for (const key of keysOf(module, stored))
      this.#idsByValue.set(key, (this.#idsByValue.get(key) ?? new Set<string>()).add(String(id)))
    return this.table(module).write(before ? 'updated' : 'created', String(id), stored)
  }

  #forget(module: Module, row: Row): void {
    for (const key of keysOf(module, row)) this.#idsByValue.get(key)?.delete(String(row.id))
  }
}

function saved({ id, Created_Time, Modified_Time }: Row, message: string): Outcome {
  const by = { id: ADMIN.id, name: ADMIN.full_name }
  const details = { id, Created_Time, Modified_Time, Created_By: by, Modified_By: by, $approval_state: 'approved' }
  return { code: 'SUCCESS', details, message, status: 'success' }
}

function isBlank(value: unknown): boolean {
  return value === undefined || value === null || value === ''
}

function keyOf(module: string, name: string, value: unknown): string {
  return `${module} ${name} ${String(value).toLowerCase()}`
}

function keysOf({ api_name, fields }: Module, row: Row): readonly string[] {
  const names = Object.keys(fields).filter((name) => fields[name]?.isChecked && !isBlank(row[name]))
  return names.map((name) => keyOf(api_name, name, row[name]))
}

const isText = (value: unknown) => typeof value === 'string'
const TEXT = { name: 'text', test: isText }
const matching = (name: string, pattern: RegExp) => ({
  name,
  test: (value: unknown) => typeof value === 'string' && pattern.test(value),
})
const LOOKUP = {
  name: 'jsonobject',
  test: (value: unknown) => typeof value === 'object' && value !== null && isText((value as Row).id),
}

const EXPECTED: Readonly<
  Record<Field['data_type'], { readonly name: string; readonly test: (value: unknown) => boolean }>
> = {
  ...{ bigint: TEXT, text: TEXT, textarea: TEXT, picklist: TEXT, website: TEXT },
  phone: matching('phone', /^[+\d][\d\s().,;-]*$/),
  email: matching('email', /^[^@\s]+@[^@\s]+\.[^@\s]+$/),
  multiselectpicklist: { name: 'jsonarray', test: (value) => Array.isArray(value) && value.every(isText) },
  ...{ lookup: LOOKUP, ownerlookup: LOOKUP },
  date: matching('date', /^\d{4}-\d\d-\d\d$/),
  datetime: matching('datetime', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:Z|[+-]\d\d:\d\d)$/),
  currency: { name: 'double', test: (value) => typeof value === 'number' },
  boolean: { name: 'boolean', test: (value) => typeof value === 'boolean' },
}

/** The module that a look-up leads to; that of a note stands in its value. */
function moduleOf({ module }: Field, value: unknown): string {
  return module || String(((value as Row).module as Row | undefined)?.api_name ?? '')
}
