import { filterFields, filtersOf, type Resource } from '../../core/resources/registry.ts'
import { badParameter, quotedText } from '../problem.ts'
import type { RecordFilters } from '../store/store.ts'

/** Parameters of a list by name. */
export type FilterQuery = Readonly<Record<string, string | undefined>>

/** Each alternative is a separate index scan. */
const MAX_ALTERNATIVES = 100

/** Undefined without a filter. */
export function readFilters(resource: Resource, query: FilterQuery): RecordFilters | undefined {
  if (!filtersOf(resource).some((name) => query[name] !== undefined)) return undefined
  const sent = filterFields(resource).filter((name) => query[name] !== undefined)
  return {
    values: Object.fromEntries(sent.map((name) => [name, readAlternatives(query, name)])),
    amountAtLeast: readNumber(query, 'amount[gte]'),
    amountAtMost: readNumber(query, 'amount[lte]'),
    createdSinceMs: readTimeMs(query, 'created_since'),
    createdUntilMs: readTimeMs(query, 'created_until'),
  }
}

/** The values separated by commas, and the whole text, which may be a value with a comma. */
function readAlternatives(query: FilterQuery, parameter: string): readonly string[] {
  const text = query[parameter]
  if (text === undefined) return []
  const values = text.split(',')
  if (values.includes('')) {
    throw badParameter(parameter, 'empty', `expected values separated by commas, got ${quotedText(text)}`)
  }
  return [...limitedAlternatives(parameter, values), ...(values.length > 1 ? [text] : [])]
}

export function limitedAlternatives(parameter: string, sent: readonly string[]): readonly string[] {
  const values = [...new Set(sent)]
  if (values.length <= MAX_ALTERNATIVES) return values
  throw badParameter(parameter, 'too_many', `expected at most ${MAX_ALTERNATIVES} values, got ${values.length}`)
}

function readNumber(query: FilterQuery, parameter: string): number | undefined {
  const text = query[parameter]
  if (text === undefined) return undefined
  const number = /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(text) ? Number(text) : Number.NaN
  if (Number.isFinite(number)) return number
  throw badParameter(parameter, 'invalid_number', `expected a number, got ${quotedText(text)}`)
}

export function readTimeMs(query: FilterQuery, parameter: string): number | undefined {
  const text = query[parameter]
  if (text === undefined) return undefined
  const timeMs = parseTimeMs(text)
  if (timeMs !== undefined) return timeMs
  const expected = 'expected a time such as 2026-01-31T09:30:00Z (RFC 3339, "+" as %2B)'
  throw badParameter(parameter, 'invalid_time', `${expected}, got ${quotedText(text)}`)
}

/** Parses RFC 3339; undefined for any other text. The day is checked, as Date.parse reads 31 February as 3 March. */
export function parseTimeMs(text: string): number | undefined {
  const parts = /^(\d{4})-(\d\d)-(\d\d)T\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/i.exec(text)
  if (!parts) return undefined
  const lastDay = new Date(Date.UTC(Number(parts[1]), Number(parts[2]), 0)).getUTCDate()
  const timeMs = Date.parse(text.toUpperCase())
  return Number(parts[3]) > lastDay || Number.isNaN(timeMs) ? undefined : timeMs
}
