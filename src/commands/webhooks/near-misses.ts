import type { Received, ReceivedEvent, RejectedRequest } from '../../core/webhook-events.ts'
import { shortText } from './event-summary.ts'

/** What came while something else was waited for, so that who reads a failed test sees why. */
export interface NearMisses {
  /** False, as it is no hit. */
  add(received: Received): false
  /** One of those that are waited for, which came about before the command that should cause it. */
  addEarlier(event: ReceivedEvent): void
  /** The last ones, each with what was wrong with it. */
  lines(): readonly string[]
  /** Beside so many that are waited for. */
  summary(found: number): string
}

const SHOWN = 5

export function createNearMisses(globs: readonly string[]): NearMisses {
  const last: string[] = []
  const counts = { events: 0, rejected: 0 }
  const push = (line: string): void => {
    last.push(line)
    if (last.length > SHOWN) last.shift()
  }
  return {
    add(received) {
      counts[received.type === 'event' ? 'events' : 'rejected']++
      push(received.type === 'event' ? `Came instead: ${whyNot(received, globs)}` : rejectedText(received))
      return false
    },
    addEarlier(event) {
      counts.events++
      push(`Came instead: ${eventText(event)}; it came about before --run`)
    },
    lines: () => last,
    summary(found) {
      const { events, rejected } = counts
      if (events + rejected === 0) return found === 0 ? 'nothing came at all' : 'nothing else came'
      return `other events that came: ${events}, rejected requests: ${rejected}`
    },
  }
}

/** An event in the words of a note. */
export function eventText({ name = 'an event without a name', recordId, id }: ReceivedEvent): string {
  const what = [name, recordId, id && `(${id})`].filter((part) => part !== undefined)
  return what.map(shortText).join(' ')
}

/** Globs are looked at first: whoever wrote the name without a star left --where as the one reason. */
function whyNot(event: ReceivedEvent, globs: readonly string[]): string {
  const isNamed = event.name !== undefined && globs.includes(event.name)
  return `${eventText(event)}${isNamed ? '; --where is not true of it' : ''}`
}

function rejectedText({ reason, detail }: RejectedRequest): string {
  return `Rejected: ${reason}, ${detail}`
}
