import type { Received, ReceivedEvent, RejectedRequest } from '../../core/webhook-events.ts'
import { shortForeignText } from './event-summary.ts'

/** Collects events that do not match while waiting, to explain a timeout. */
export interface NearMisses {
  /** Always false. */
  add(received: Received): false
  /** A matching event from before the command of `--run`. */
  addEarlier(event: ReceivedEvent): void
  /** The last ones, each with the reason. */
  lines(): readonly string[]
  /** `found`: the number of matching events. */
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
      push(received.type === 'event' ? `Received instead: ${whyNot(received, globs)}` : rejectedText(received))
      return false
    },
    addEarlier(event) {
      counts.events++
      push(`Received instead: ${eventText(event)}; it occurred before --run`)
    },
    lines: () => last,
    summary(found) {
      const { events, rejected } = counts
      if (events + rejected === 0) return found === 0 ? 'nothing was received' : 'nothing else was received'
      return `other events received: ${events}, rejected requests: ${rejected}`
    },
  }
}

/** The text of an event for a note. */
export function eventText({ name = 'an event without a name', recordId, id }: ReceivedEvent): string {
  const what = [name, recordId, id && `(${id})`].filter((part) => part !== undefined)
  return what.map(shortForeignText).join(' ')
}

/** If a glob is the exact name of the event, --where is the reason. */
function whyNot(event: ReceivedEvent, globs: readonly string[]): string {
  const isNamed = event.name !== undefined && globs.includes(event.name)
  return `${eventText(event)}${isNamed ? '; it does not match --where' : ''}`
}

function rejectedText({ reason, detail }: RejectedRequest): string {
  return `Rejected: ${reason}, ${detail}`
}
