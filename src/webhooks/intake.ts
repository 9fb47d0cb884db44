import type { Answer, ListenEvent, Received, ReceivedEvent } from '../core/webhook-events.ts'
import type { Forwarder } from './forwarding/forwarder.ts'
import type { EventLog } from './log/event-log.ts'
import type { Simulator } from './simulate.ts'

export interface IntakeOptions {
  readonly log: EventLog
  /** Whether it is shown and forwarded; it is kept in any case. */
  isWanted(event: ReceivedEvent): Promise<boolean>
  /** The sender waits for it: a slow reader slows the sender down. */
  show(listenEvent: ListenEvent): Promise<void>
  readonly forwarder: Forwarder | undefined
  /** When the sender is thanked: after the targets have answered, with what they answered; or before. */
  readonly ack: 'forward' | 'now'
  readonly simulator: Simulator | undefined
}

/** The way of an event from the receiver on: kept on disk, shown, forwarded, and only then answered. */
export function createIntake(options: IntakeOptions): (received: Received) => Promise<Answer | undefined> {
  const { log, isWanted, show, forwarder, ack, simulator } = options
  return async (received) => {
    if (received.type === 'event') await log.append(received)
    const isShown = received.type === 'rejected' || (await isWanted(received))
    if (isShown) await show(received)
    if (received.type === 'rejected') return undefined
    const simulation = await simulator?.(received)
    if (simulation) {
      await show(simulation)
      return { status: simulation.status, retryAfter: undefined }
    }
    if (!isShown || !forwarder) return undefined
    if (ack === 'forward') return await forwarder.forwardNow(received)
    await forwarder.forwardLater(received)
    return undefined
  }
}
