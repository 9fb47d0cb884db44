import type { Answer, ListenEvent, Received, ReceivedEvent } from '../core/webhook-events.ts'
import type { Forwarder } from './forwarding/forwarder.ts'
import { type EventLog, openEventLog } from './log/event-log.ts'
import type { Deleted, Keep } from './log/keep.ts'
import { recentIds } from './log/read-events.ts'
import { startReceiver } from './receiver.ts'
import { createSeenIds, MAX_SEEN_IDS } from './seen-ids.ts'
import type { Simulator } from './simulate.ts'
import { prepareSecrets } from './verify.ts'

export interface ListeningOptions {
  readonly host: string
  /** 0 takes any that is free. */
  readonly port: number
  readonly path: string
  /** Of the event log. */
  readonly folder: string
  readonly keep: Keep
  readonly onDeleted?: ((deleted: Deleted) => void) | undefined
  readonly now: () => number
  isWanted(event: ReceivedEvent): Promise<boolean>
  show(listenEvent: ListenEvent): Promise<void>
  readonly forwarder?: Forwarder | undefined
  readonly ack?: 'forward' | 'now'
  readonly simulator?: Simulator | undefined
}

export interface ListeningTrust {
  /** Texts, newest first; `unverified` takes everything and says so of each event. */
  readonly secrets: readonly string[] | 'unverified'
  /** The subscription that they belong to, where it is known. */
  readonly subscriptionId: string | undefined
}

export interface Listening {
  readonly url: string
  /** Until now requests wait: the secret may depend on the port. Duplicates are told by what the log holds. */
  open(trust: ListeningTrust): Promise<void>
  /** Rejects with a reason when the port or the log is lost. Never resolves. */
  readonly failed: Promise<never>
  /** How many events were not forwarded. What was acknowledged is in the log. */
  close(): Promise<number>
}

/** The whole receiver: a socket, the log, and what happens to an event. CrmError `machine` for a port or a folder in the way. */
export async function startListening(options: ListeningOptions): Promise<Listening> {
  const { folder, keep, now, onDeleted, forwarder, ack = 'forward', simulator } = options
  const log = await openEventLog({ folder, keep, now, onDeleted })
  const receiver = await startReceiver({
    ...options,
    take: createIntake({ ...options, log, forwarder, ack, simulator }),
  })
  const failed = forwarder ? Promise.race([receiver.failed, forwarder.failed]) : receiver.failed
  // The caller that awaits it gets the error; without one the process must not end because of it.
  failed.catch(() => {})
  return {
    url: receiver.url,
    failed,
    open: async ({ secrets, subscriptionId }) => {
      const seenIds = createSeenIds(await recentIds(folder, MAX_SEEN_IDS))
      receiver.open({ secrets: secrets === 'unverified' ? secrets : prepareSecrets(secrets), subscriptionId, seenIds })
    },
    close: async () => {
      await receiver.close()
      const undone = (await forwarder?.close()) ?? 0
      await log.close()
      return undone
    },
  }
}

interface IntakeOptions {
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
function createIntake(options: IntakeOptions): (received: Received) => Promise<Answer | undefined> {
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
