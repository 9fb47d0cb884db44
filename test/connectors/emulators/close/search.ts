import type { Answer, Call, Row } from '../emulator.ts'
import type { Organization } from './organization.ts'
import { ok, refuse } from './rules.ts'

const LIMIT_DEFAULT = 100
const LIMIT_MAX = 200

type Fits = (row: Row) => boolean

interface Query extends Row {
  readonly type?: string
  readonly negate?: boolean
  readonly queries?: readonly Query[]
}

/** Contacts by their name, title, emails and phones; a hit has its id alone unless `_fields` asks for more. */
export function searchContacts(organization: Organization, { body }: Call, lagMs: number): Answer {
  if (body.type !== 'json') return refuse(400, 'The request body is not JSON.')
  const { query, _limit = LIMIT_DEFAULT, _fields, cursor } = body.value as Row
  if (!(Number.isInteger(_limit) && Number(_limit) >= 1 && Number(_limit) <= LIMIT_MAX)) {
    return refuse(400, `_limit must be 1 to ${LIMIT_MAX}.`)
  }
  const fits = compile((query ?? {}) as Query)
  const hits = organization.tables.contacts.indexed(lagMs).filter(fits)
  const start = Number(cursor ?? 0)
  const end = start + Number(_limit)
  const names = ((_fields as Row | undefined)?.contact ?? ['id']) as readonly string[]
  const data = hits.slice(start, end).map((row) => {
    const shown = organization.shown('contacts', row)
    return { __object_type: 'contact', ...Object.fromEntries(names.map((name) => [name, shown[name]])) }
  })
  return ok({ data, cursor: end < hits.length ? String(end) : null })
}

function compile(query: Query): Fits {
  const fits = positive(query)
  return query.negate === true ? (row) => !fits(row) : fits
}

function positive(query: Query): Fits {
  const { type, queries = [] } = query
  if (type === 'and' || type === 'or') {
    const all = queries.map(compile)
    return type === 'and' ? (row) => all.every((fits) => fits(row)) : (row) => all.some((fits) => fits(row))
  }
  if (type === 'object_type' && query.object_type === 'contact') return () => true
  if (type === 'id') return ({ id }) => id === query.id
  if (type === 'field_condition') return fieldCondition(query)
  if (type === 'has_related') {
    const related = { contact_email: 'emails', contact_phone: 'phones' }[String(query.related_object_type)]
    const fits = compile((query.related_query ?? {}) as Query)
    if (related !== undefined) return (row) => (row[related] as Row[]).some(fits)
  }
  return refuse(400, `Unsupported query: ${JSON.stringify(query)}`)
}

function fieldCondition({ field, condition }: Query): Fits {
  const { field_name } = (field ?? {}) as Row
  const { type, mode, value } = (condition ?? {}) as Row
  const matches = MODES[String(mode)]
  if (type !== 'text' || typeof value !== 'string' || !matches) return refuse(400, 'Unsupported condition.')
  return (row) => matches(String(row[String(field_name)] ?? '').toLowerCase(), value.toLowerCase())
}

/** Words of an address are what its punctuation separates. */
const MODES: Readonly<Record<string, (held: string, value: string) => boolean>> = {
  exact_value: (held, value) => held === value,
  full_words: (held, value) => words(value).every((word) => words(held).includes(word)),
  phrase: (held, value) => ` ${words(held).join(' ')} `.includes(` ${words(value).join(' ')} `),
}

function words(text: string): string[] {
  return text.split(/[^\p{L}\p{N}]+/u).filter(Boolean)
}
