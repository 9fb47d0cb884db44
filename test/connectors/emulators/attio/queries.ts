import type { Row } from '../emulator.ts'
import { type Attribute, findAttribute, isObject, type ObjectType, TYPES } from './attributes.ts'
import { refuse } from './rules.ts'

export type Fits = (record: Row) => boolean

const filterError = (what: string): never => refuse(400, 'filter_error', `Error in filter: ${what}.`)

/** A filter in the short form (`{email_addresses: 'a@b.com'}`) or the long one (`$and`, properties, operators). */
export function compileFilter(object: ObjectType, filter: unknown): Fits {
  if (!isObject(filter)) return filterError('not an object')
  const parts = Object.entries(filter).map(([key, value]) => compilePart(object, key, value))
  return (record) => parts.every((fits) => fits(record))
}

function compilePart(object: ObjectType, key: string, value: unknown): Fits {
  if (key === '$and' || key === '$or') {
    if (!Array.isArray(value)) return filterError(`${key} takes a list`)
    const parts = value.map((part) => compileFilter(object, part))
    return key === '$and'
      ? (record) => parts.every((fits) => fits(record))
      : (record) => parts.some((fits) => fits(record))
  }
  if (key === '$not') {
    const fits = compileFilter(object, value)
    return (record) => !fits(record)
  }
  const attribute = findAttribute(object, key)
  if (!attribute) return filterError(`unknown attribute slug: ${key}`)
  const fits = compileValue(attribute, value)
  return (record) => valuesOf(record, attribute).some(fits)
}

type FitsValue = (value: Row) => boolean

function compileValue(attribute: Attribute, condition: unknown): FitsValue {
  const { property } = TYPES[attribute.type]
  if (!isObject(condition)) return compileOperators(property, { $eq: condition })
  const entries = Object.entries(condition)
  if (entries.every(([key]) => key.startsWith('$'))) return compileOperators(property, condition)
  const parts = entries.map(([name, inner]) => compileOperators(name, isObject(inner) ? inner : { $eq: inner }))
  return (value) => parts.every((fits) => fits(value))
}

function compileOperators(property: string, operators: Row): FitsValue {
  const parts = Object.entries(operators).map(([name, operand]) => {
    const operator = OPERATORS[name]
    return operator ? (own: unknown) => operator(own, operand) : filterError(`unknown operator ${name}`)
  })
  return (value) => comparables(value, property).some((own) => parts.every((fits) => fits(own)))
}

/** A status and an option are asked for by title or id. Emails are compared in their normal form. */
function comparables(value: Row, property: string): unknown[] {
  const own = value[property]
  if (isObject(own)) return [own.title, ...Object.values(own.id as Row)]
  return [own]
}

const OPERATORS: Readonly<Record<string, (own: unknown, operand: unknown) => boolean>> = {
  $eq: (own, operand) => own === operand || (isEmail(own) && own === String(operand).toLowerCase()),
  $in: (own, operand) => Array.isArray(operand) && operand.includes(own),
  $not_empty: (own, operand) => (own !== undefined && own !== null) === operand,
  $contains: (own, operand) => lower(own).includes(lower(operand)),
  $starts_with: (own, operand) => lower(own).startsWith(lower(operand)),
  $ends_with: (own, operand) => lower(own).endsWith(lower(operand)),
  $lt: (own, operand) => compare(own, operand) < 0,
  $lte: (own, operand) => compare(own, operand) <= 0,
  $gt: (own, operand) => compare(own, operand) > 0,
  $gte: (own, operand) => compare(own, operand) >= 0,
}

const lower = (value: unknown) => String(value ?? '').toLowerCase()
const isEmail = (value: unknown) => typeof value === 'string' && value.includes('@')

/** Without sorts the order is by random ids: pages taken while records are made would miss some. */
export function sortRecords(object: ObjectType, records: readonly Row[], sorts: readonly Row[]): Row[] {
  const orders = sorts.map(({ attribute: slug, direction, field }) => {
    const attribute = findAttribute(object, String(slug))
    if (!attribute) return refuse(400, 'value_not_found', `Cannot find attribute with slug/ID "${slug}".`)
    const property = typeof field === 'string' ? field : TYPES[attribute.type].property
    const key = (record: Row) => comparables(valuesOf(record, attribute)[0] ?? {}, property)[0]
    const sign = direction === 'desc' ? -1 : 1
    return (a: Row, b: Row) => sign * compare(key(a), key(b))
  })
  return [...records].sort((a, b) => {
    for (const order of orders) {
      const result = order(a, b)
      if (result !== 0) return result
    }
    return compare(recordId(a), recordId(b))
  })
}

export function recordId(record: Row): string {
  return String((record.id as Row).record_id)
}

export function valuesOf(record: Row, { slug }: Attribute): readonly Row[] {
  return ((record.values as Row)[slug] ?? []) as readonly Row[]
}

function compare(a: unknown, b: unknown): number {
  if (a === b) return 0
  if (typeof a === 'number' && typeof b === 'number') return a - b
  return String(a ?? '') < String(b ?? '') ? -1 : 1
}
