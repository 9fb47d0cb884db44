import { badParameter } from './problem.ts'
import type { Call } from './route.ts'
import { shownText } from './shown.ts'
import type { DealFilters } from './store/store.ts'

export const DEAL_FILTER_PARAMETERS = [
  'stage',
  'owner_id',
  'pipeline_id',
  'name',
  'amount[gte]',
  'amount[lte]',
  'created_since',
  'created_until',
] as const

type Parameter = (typeof DEAL_FILTER_PARAMETERS)[number]

/** Each alternative is a walk over an index of its own. */
const MAX_ALTERNATIVES = 100

export function readDealFilters(call: Call): DealFilters {
  return {
    stages: readAlternatives(call, 'stage'),
    ownerIds: readAlternatives(call, 'owner_id'),
    pipelineIds: readAlternatives(call, 'pipeline_id'),
    names: readAlternatives(call, 'name'),
    amountAtLeast: readNumber(call, 'amount[gte]'),
    amountAtMost: readNumber(call, 'amount[lte]'),
    createdSinceMs: readTimeMs(call, 'created_since'),
    createdUntilMs: readTimeMs(call, 'created_until'),
  }
}

function readAlternatives(call: Call, parameter: Parameter): readonly string[] {
  const text = call.query[parameter]
  if (text === undefined) return []
  const values = [...new Set(text.split(','))]
  if (values.includes('')) {
    throw badParameter(parameter, 'empty', `expected values with commas between them, got ${shownText(text)}`)
  }
  if (values.length <= MAX_ALTERNATIVES) return values
  throw badParameter(parameter, 'too_many', `expected at most ${MAX_ALTERNATIVES} values, got ${values.length}`)
}

function readNumber(call: Call, parameter: Parameter): number | undefined {
  const text = call.query[parameter]
  if (text === undefined) return undefined
  const number = /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(text) ? Number(text) : Number.NaN
  if (Number.isFinite(number)) return number
  throw badParameter(parameter, 'invalid_number', `expected a number, got ${shownText(text)}`)
}

function readTimeMs(call: Call, parameter: Parameter): number | undefined {
  const text = call.query[parameter]
  if (text === undefined) return undefined
  const timeMs = parseTimeMs(text)
  if (timeMs !== undefined) return timeMs
  const expected = 'expected a time such as 2026-01-31T09:30:00Z (RFC 3339, "+" as %2B)'
  throw badParameter(parameter, 'invalid_time', `${expected}, got ${shownText(text)}`)
}

/** RFC 3339. The day is checked, because Date.parse takes 31 February for 3 March. */
function parseTimeMs(text: string): number | undefined {
  const parts = /^(\d{4})-(\d\d)-(\d\d)T\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/i.exec(text)
  if (!parts) return undefined
  const lastDay = new Date(Date.UTC(Number(parts[1]), Number(parts[2]), 0)).getUTCDate()
  const timeMs = Date.parse(text.toUpperCase())
  return Number(parts[3]) > lastDay || Number.isNaN(timeMs) ? undefined : timeMs
}
