import type { Answer, Call, Row, Table } from '../emulator.ts'
import type { ObjectType } from './objects.ts'
import { type Stored, shown } from './portal.ts'
import { type Properties, timeOf } from './properties.ts'
import { invalid, takeBody } from './rules.ts'

const LIMIT_DEFAULT = 10
const LIMIT_MAX = 200
const TOTAL_MAX = 10_000
const VALUES_MAX = 100
const GROUPS_MAX = 5
const FILTERS_MAX = { group: 6, all: 18 }
const QUERIED = [
  ...['firstname', 'lastname', 'email', 'phone', 'company', 'dealname', 'description', 'name', 'domain', 'subject'],
  ...['hs_task_subject', 'hs_note_body'],
]

interface Filter {
  readonly propertyName: string
  readonly operator: keyof typeof OPERATORS
  readonly value?: string
  readonly highValue?: string
  readonly values?: readonly string[]
}

interface Search {
  readonly filterGroups?: readonly { readonly filters: readonly Filter[] }[]
  readonly sorts?: readonly (string | { readonly propertyName: string; readonly direction?: string })[]
  readonly query?: string
  readonly properties?: readonly string[]
  readonly limit?: number
  readonly after?: string
}

type Compare = (a: string, b: string) => number

/** What a stored value, undefined where there is none, has to be. */
const OPERATORS = {
  EQ: (held: string | undefined, { value = '' }: Filter, compare: Compare) =>
    held !== undefined && compare(held, value) === 0,
  NEQ: (held: string | undefined, { value = '' }: Filter, compare: Compare) =>
    held === undefined || compare(held, value) !== 0,
  LT: ordered((order) => order < 0),
  LTE: ordered((order) => order <= 0),
  GT: ordered((order) => order > 0),
  GTE: ordered((order) => order >= 0),
  BETWEEN: (held: string | undefined, { value = '', highValue = '' }: Filter, compare: Compare) =>
    held !== undefined && compare(held, value) >= 0 && compare(held, highValue) <= 0,
  // Only the stored value is lowercased.
  IN: (held: string | undefined, { values = [] }: Filter) => held !== undefined && values.includes(held.toLowerCase()),
  NOT_IN: (held: string | undefined, { values = [] }: Filter) =>
    held === undefined || !values.includes(held.toLowerCase()),
  HAS_PROPERTY: (held: string | undefined) => held !== undefined,
  NOT_HAS_PROPERTY: (held: string | undefined) => held === undefined,
  CONTAINS_TOKEN: (held: string | undefined, { value = '' }: Filter) => hasToken(held, value),
  NOT_CONTAINS_TOKEN: (held: string | undefined, { value = '' }: Filter) => !hasToken(held, value),
} as const

const TEXT = { type: 'string' }
const TEXTS = { type: 'array', items: TEXT }

const FILTER = {
  type: 'object',
  properties: {
    propertyName: TEXT,
    operator: { enum: Object.keys(OPERATORS) },
    value: TEXT,
    highValue: TEXT,
    values: { ...TEXTS, maxItems: VALUES_MAX },
  },
  required: ['propertyName', 'operator'],
}

const SEARCH = {
  type: 'object',
  properties: {
    filterGroups: {
      type: 'array',
      maxItems: GROUPS_MAX,
      items: {
        type: 'object',
        properties: { filters: { type: 'array', maxItems: FILTERS_MAX.group, items: FILTER } },
        required: ['filters'],
      },
    },
    sorts: { type: 'array', maxItems: 1, items: { type: ['string', 'object'] } },
    query: { type: 'string', maxLength: 3000 },
    properties: TEXTS,
    limit: { type: 'integer', minimum: 0, maximum: LIMIT_MAX },
    after: { type: ['string', 'integer'] },
  },
}

export function search(type: ObjectType, table: Table, call: Call, lagMs: number): Answer {
  const body = takeBody<Search>(call, SEARCH)
  const groups = body.filterGroups ?? []
  const filters = groups.flatMap((group) => group.filters)
  if (filters.length > FILTERS_MAX.all) return invalid(`There are more than ${FILTERS_MAX.all} filters.`)
  for (const { propertyName } of filters) requireProperty(type, propertyName)
  const limit = body.limit ?? LIMIT_DEFAULT
  const after = Number(body.after ?? 0)
  if (!Number.isInteger(after) || after < 0) return invalid('after must be an integer')
  if (after + limit > TOTAL_MAX) return invalid(`Paging beyond ${TOTAL_MAX} results is not possible.`)
  const words = (body.query ?? '').toLowerCase().split(/\s+/).filter(Boolean)
  const queried = type.schema?.searchableProperties ?? QUERIED
  const fits = ({ properties }: Stored) =>
    (groups.length === 0 || groups.some((group) => group.filters.every((one) => isHeld(type, properties, one)))) &&
    words.every((word) => queried.some((name) => properties[name]?.toLowerCase().includes(word)))
  const hits = sorted(type, (table.indexed(lagMs) as Stored[]).filter(fits), body.sorts?.[0])
  const end = after + limit
  const results = hits.slice(after, end).map((row) => shown(type, row, body.properties ?? []))
  const paging = end < hits.length ? { paging: { next: { after: String(end) } } } : {}
  return { status: 200, body: { total: hits.length, results, ...paging } }
}

function isHeld(type: ObjectType, properties: Properties, filter: Filter): boolean {
  return OPERATORS[filter.operator](properties[filter.propertyName], filter, comparison(type, filter.propertyName))
}

function sorted(type: ObjectType, hits: Stored[], sort: string | Row | undefined): Stored[] {
  const name = String(typeof sort === 'object' ? sort.propertyName : (sort ?? 'hs_object_id').replace(/^-/, ''))
  requireProperty(type, name)
  const isDown = typeof sort === 'object' ? sort.direction === 'DESCENDING' : sort?.startsWith('-')
  const compare = comparison(type, name)
  const order = (a: Stored, b: Stored) => compare(a.properties[name] ?? '', b.properties[name] ?? '')
  return hits.sort((a, b) => (isDown ? -order(a, b) : order(a, b)) || Number(a.id) - Number(b.id))
}

function requireProperty(type: ObjectType, name: string): void {
  if (type.properties[name]) return
  invalid('There was a problem with the request.', {
    errors: [{ message: `Property "${name}" does not exist`, in: name }],
  })
}

function comparison(type: ObjectType, name: string): Compare {
  const held = type.properties[name]?.type
  if (held === 'number') return (a, b) => Number(a) - Number(b)
  if (held === 'time' || held === 'date') return (a, b) => timeOf(a) - timeOf(b)
  return (a, b) => {
    const [first, second] = [a.toLowerCase(), b.toLowerCase()]
    if (first === second) return 0
    return first < second ? -1 : 1
  }
}

function ordered(fits: (order: number) => boolean) {
  return (held: string | undefined, { value = '' }: Filter, compare: Compare) =>
    held !== undefined && fits(compare(held, value))
}

function hasToken(held: string | undefined, value: string): boolean {
  const wanted = value.toLowerCase().replaceAll('*', '')
  return (held ?? '').toLowerCase().includes(wanted)
}
