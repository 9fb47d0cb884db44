import type { Arrival } from '../../core/arrivals.ts'
import { shortText } from './event-summary.ts'

/** What came while something else was waited for, so that who reads a failed test sees why. */
export interface NearMisses {
  /** False, as it is no hit. */
  add(arrival: Arrival): false
  /** The last ones, each with what was wrong with it. */
  lines(): readonly string[]
  summary(): string
}

const SHOWN = 5

export function createNearMisses(globs: readonly string[]): NearMisses {
  const last: string[] = []
  const counts = { events: 0, rejected: 0 }
  return {
    add(arrival) {
      counts[arrival.type === 'event' ? 'events' : 'rejected']++
      last.push(describe(arrival, globs))
      if (last.length > SHOWN) last.shift()
      return false
    },
    lines: () => last,
    summary() {
      const { events, rejected } = counts
      if (events + rejected === 0) return 'nothing came at all'
      return `other events that came: ${events}, rejected requests: ${rejected}`
    },
  }
}

function describe(arrival: Arrival, globs: readonly string[]): string {
  if (arrival.type === 'rejected') return `Rejected: ${arrival.reason}, ${arrival.detail}`
  const { name = 'an event without a name', recordId, id } = arrival
  const what = [name, recordId, id && `(${id})`].filter((part) => part !== undefined).map(shortText)
  // Globs are looked at first: whoever wrote the name without a star left --where as the one reason.
  const isNamed = globs.includes(name)
  return `Came instead: ${what.join(' ')}${isNamed ? '; --where is not true of it' : ''}`
}
