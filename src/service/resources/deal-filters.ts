import type { DEAL_FILTER_PARAMETERS } from '../../core/resources/deal.ts'
import { badParameter, quotedText } from '../problem.ts'
import type { DealFilters } from '../store/store.ts'

type Parameter = (typeof DEAL_FILTER_PARAMETERS)[number]

export type DealQuery = Readonly<Partial<Record<Parameter, string>>>

/** Each alternative is a separate index scan. */
const MAX_ALTERNATIVES = 100

export function readDealFilters(query: DealQuery): DealFilters {
  return {
    stages: readAlternatives(query, 'stage'),
    ownerIds: readAlternatives(query, 'owner_id'),
    pipelineIds: readAlternatives(query, 'pipeline_id'),
    names: readAlternatives(query, 'name'),
    amountAtLeast: readNumber(query, 'amount[gte]'),
    amountAtMost: readNumber(query, 'amount[lte]'),
    createdSinceMs: readTimeMs(query, 'created_since'),
    createdUntilMs: readTimeMs(query, 'created_until'),
  }
}

function readAlternatives(query: DealQuery, parameter: Parameter): readonly string[] {
  const text = query[parameter]
  if (text === undefined) return []
  const values = text.split(',')
  if (values.includes('')) {
    throw badParameter(parameter, 'empty', `expected values separated by commas, got ${quotedText(text)}`)
  }
  return limitedAlternatives(parameter, values)
}

export function limitedAlternatives(parameter: string, sent: readonly string[]): readonly string[] {
  const values = [...new Set(sent)]
  if (values.length <= MAX_ALTERNATIVES) return values
  throw badParameter(parameter, 'too_many', `expected at most ${MAX_ALTERNATIVES} values, got ${values.length}`)
}

function readNumber(query: DealQuery, parameter: Parameter): number | undefined {
  const text = query[parameter]
  if (text === undefined) return undefined
  const number = /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(text) ? Number(text) : Number.NaN
  if (Number.isFinite(number)) return number
  throw badParameter(parameter, 'invalid_number', `expected a number, got ${quotedText(text)}`)
}

function readTimeMs(query: DealQuery, parameter: Parameter): number | undefined {
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
