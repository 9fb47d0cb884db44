import { compareDecimals, type Decimal, decimalOf, ZERO } from './decimal.ts'
import type { JsonValue } from './json.ts'

const ONE: Decimal = { digits: 1n, scale: 0 }

const STATES = ['open', 'won', 'lost'] as const

export type DealState = (typeof STATES)[number]

/** What a deal itself says, of a server whose stages do not end deals; undefined for any other status. */
export function stateOfStatus(status: JsonValue | undefined): DealState | undefined {
  return STATES.find((state) => state === status)
}

/** Deals end in a stage with the probability 0 or 1; undefined for a stage that states none. */
export function stateOfProbability(probability: JsonValue | undefined): DealState | undefined {
  const stated = decimalOf(probability)
  if (!stated) return undefined
  if (compareDecimals(stated, ZERO) <= 0) return 'lost'
  return compareDecimals(stated, ONE) < 0 ? 'open' : 'won'
}
