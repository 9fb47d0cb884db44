import { compareDecimals, type Decimal, decimalOf, ZERO } from './decimal.ts'
import type { JsonValue } from './json.ts'

const ONE: Decimal = { digits: 1n, scale: 0 }

export type DealState = 'open' | 'won' | 'lost'

/** Deals end in a stage with the probability 0 or 1; undefined for a stage that states none. */
export function stateOfProbability(probability: JsonValue | undefined): DealState | undefined {
  const stated = decimalOf(probability)
  if (!stated) return undefined
  if (compareDecimals(stated, ZERO) <= 0) return 'lost'
  return compareDecimals(stated, ONE) < 0 ? 'open' : 'won'
}
