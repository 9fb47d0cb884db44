import type { Answer, Arrival, Occurrence, ReceivedEvent } from '../core/arrivals.ts'
import type { EventLog } from './log/event-log.ts'
import type { Onward } from './onward/onward.ts'
import type { Simulator } from './simulate.ts'

export interface IntakeOptions {
  readonly log: EventLog
  /** Whether it is shown and handed on; it is kept in any case. */
  isWanted(event: ReceivedEvent): Promise<boolean>
  /** The sender waits for it: a slow reader slows the sender down. */
  show(occurrence: Occurrence): Promise<void>
  readonly onward: Onward | undefined
  /** When the sender is thanked: after the targets have answered, with what they answered; or before. */
  readonly ack: 'forward' | 'now'
  readonly simulator: Simulator | undefined
}

/** The way of an event from the receiver on: kept on disk, shown, handed on, and only then answered. */
export function createIntake(options: IntakeOptions): (arrival: Arrival) => Promise<Answer | undefined> {
  const { log, isWanted, show, onward, ack, simulator } = options
  return async (arrival) => {
    if (arrival.type === 'event') await log.append(arrival)
    const isShown = arrival.type === 'rejected' || (await isWanted(arrival))
    if (isShown) await show(arrival)
    if (arrival.type === 'rejected') return undefined
    const simulation = await simulator?.(arrival)
    if (simulation) {
      await show(simulation)
      return { status: simulation.status, retryAfter: undefined }
    }
    if (!isShown || !onward) return undefined
    if (ack === 'forward') return await onward.handNow(arrival)
    await onward.handLater(arrival)
    return undefined
  }
}
