import { setTimeout as sleep } from 'node:timers/promises'
import type {
  DeliveryResponse,
  ForwardResult,
  ListenEvent,
  Received,
  ReceivedEvent,
  Simulation,
} from '../core/webhook-events.ts'
import type { Forwarder } from './forwarding/forwarder.ts'
import { type KeptAttempt, NOT_FORWARDED } from './log/attempt.ts'
import { type EventLog, openEventLog } from './log/event-log.ts'
import { KnownAttempts } from './log/known-attempts.ts'
import { createOutcomes } from './log/outcomes.ts'
import { recentIds } from './log/read-events.ts'
import type { Deleted, LogBounds } from './log/segments.ts'
import { createSeenIds, MAX_SEEN_IDS } from './receive.ts'
import { startReceiver } from './receiver.ts'
import { prepareSecrets } from './verify.ts'

export interface ListeningOptions {
  readonly host: string
  /** 0 selects a free port. */
  readonly port: number
  readonly path: string
  readonly maxBodyBytes?: number | undefined
  /** Of the event log. */
  readonly folder: string
  readonly keep: LogBounds
  readonly onDeleted?: ((deleted: Deleted) => void) | undefined
  readonly now: () => number
  isWanted(event: ReceivedEvent): Promise<boolean>
  show(listenEvent: ListenEvent): Promise<void>
  /** `keep` writes the attempts to the log, which knows what is accepted. Undefined without targets. */
  openForwarder?(keep: KeepAttempt, isAccepted: IsAccepted): Promise<Forwarder | undefined>
  readonly ack?: 'forward' | 'now'
  readonly simulator?: Simulator | undefined
}

/** Resolves when the attempt is on disk. */
export type KeepAttempt = (result: ForwardResult) => Promise<void>

/** By the name of the target in the log. */
export type IsAccepted = (target: string, id: string) => boolean

export interface ListeningTrust {
  /** Secrets, newest first. `unverified` accepts every request and marks each event. */
  readonly secrets: readonly string[] | 'unverified'
  /** The subscription of the secrets, where known. */
  readonly subscriptionId: string | undefined
}

export interface Listening {
  readonly url: string
  /** Requests wait until this call, as the secret may depend on the port. The log's ids mark duplicates. */
  open(trust: ListeningTrust): Promise<void>
  /** The events that earlier listeners acknowledged and did not forward, once for each target. */
  untaken(): Promise<readonly KeptAttempt[]>
  /** Rejects when the port or the log fails. Never resolves. */
  readonly failed: Promise<never>
  /** Returns the number of events not forwarded. Every acknowledged event is in the log. */
  close(): Promise<number>
}

/** Starts the receiver: socket, log and event handling. CrmError `machine` when the port or the folder is not available. */
export async function startListening(options: ListeningOptions): Promise<Listening> {
  const { folder, keep, now, onDeleted, ack = 'forward', simulator } = options
  const log = await openEventLog({ folder, keep, now, onDeleted })
  const known = new KnownAttempts(folder)
  const forwarder = await options.openForwarder?.(
    (result) => log.appendAttempt(result),
    (target, id) => known.isAccepted(target, id),
  )
  const receiver = await startReceiver({
    ...options,
    take: createIntake({ ...options, log, known, forwarder, ack, simulator }),
  })
  const failed = forwarder ? Promise.race([receiver.failed, forwarder.failed]) : receiver.failed
  // Prevents an unhandled rejection; callers that await it still get the error.
  failed.catch(() => {})
  return {
    url: receiver.url,
    untaken: () => untakenIn(known),
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

/** Events of listeners that have ended. */
async function untakenIn(known: KnownAttempts): Promise<readonly KeptAttempt[]> {
  const outcomes = createOutcomes()
  const queued = new Map<string, KeptAttempt>()
  await known.refresh((attempt) => {
    outcomes.add(attempt)
    if (attempt.owner) queued.set(`${attempt.id ?? attempt.receivedAtMs} ${attempt.target}`, attempt)
  })
  return [...queued.values()].filter((attempt) => outcomes.of(attempt)?.failure === NOT_FORWARDED)
}

interface IntakeOptions {
  readonly log: EventLog
  readonly known: KnownAttempts
  /** Whether it is shown and forwarded; every event is kept. */
  isWanted(event: ReceivedEvent): Promise<boolean>
  /** The sender waits until it resolves: a slow reader slows the sender down. */
  show(listenEvent: ListenEvent): Promise<void>
  readonly forwarder: Forwarder | undefined
  /** When the event is acknowledged: `forward` after the targets answered, with their answer; `now` before. */
  readonly ack: 'forward' | 'now'
  readonly simulator: Simulator | undefined
}

/** Handles a received event: keep on disk, show, forward, then answer. */
function createIntake(options: IntakeOptions): (received: Received) => Promise<DeliveryResponse | undefined> {
  const { log, known, isWanted, show, forwarder, ack, simulator } = options
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
    return isShown && forwarder ? await pass(received, forwarder) : undefined
  }

  async function pass(event: ReceivedEvent, targets: Forwarder): Promise<DeliveryResponse | undefined> {
    // A replay of another process may have forwarded it since.
    if (event.isDuplicate) await known.refresh()
    if (ack === 'forward') return await targets.forwardNow(event)
    await targets.forwardLater(event)
    return undefined
  }
}

/** A simulated bad receiver, to test how a sender handles it. */
export interface SimulationRules {
  /** Share of deliveries that fail, from 0 to 1. */
  readonly failRatio: number
  readonly delayMs: number
}

/** Waits for `delayMs`, then returns the answer of a delivery that is to fail, undefined for any other. */
export type Simulator = (event: ReceivedEvent) => Promise<Simulation | undefined>

export interface SimulatorOptions extends SimulationRules {
  readonly now: () => number
  readonly random: () => number
  readonly signal: AbortSignal
}

export function createSimulator({ failRatio, delayMs, now, random, signal }: SimulatorOptions): Simulator {
  return async ({ id, name }) => {
    // The delay ends when the listener stops.
    if (delayMs > 0) await sleep(delayMs, undefined, { signal }).catch(() => {})
    return random() < failRatio ? { type: 'simulated', id, name, atMs: now(), status: 500, delayMs } : undefined
  }
}
