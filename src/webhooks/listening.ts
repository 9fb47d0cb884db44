import { setTimeout as sleep } from 'node:timers/promises'
import type {
  DeliveryResponse,
  ForwardResult,
  ListenEvent,
  Received,
  ReceivedEvent,
  Simulation,
} from '../core/webhook-events.ts'
import { errorCode, toMachineError } from '../files/machine-error.ts'
import type { Forwarder } from './forwarding/forwarder.ts'
import { type KeptAttempt, NOT_FORWARDED } from './log/attempt.ts'
import { type EventLog, openEventLog } from './log/event-log.ts'
import { createOutcomes } from './log/outcomes.ts'
import { attemptsSince, MAX_SCANNED_BYTES, recentIds } from './log/read-events.ts'
import { type Deleted, type LogBounds, listSegments, type Segment, segmentSize } from './log/segments.ts'
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

/** Events and targets of each of two generations: some 20 MB. */
const MAX_KNOWN = 50_000

interface LastAttempt {
  readonly atMs: number
  readonly isAccepted: boolean
}

/** The last attempt of each event at each target, by the log: those of other processes and of earlier runs, too. */
class KnownAttempts {
  readonly #folder: string
  /** How far each file was read. */
  readonly #readTo = new Map<string, number>()
  #recent = new Map<string, LastAttempt>()
  #older: ReadonlyMap<string, LastAttempt> = new Map()
  #reading: Promise<void> = Promise.resolve()

  constructor(folder: string) {
    this.#folder = folder
  }

  /** Reads what was written since the last time; at first, the newest part of the log. */
  refresh(onAttempt: (attempt: KeptAttempt) => void = () => {}): Promise<void> {
    this.#reading = this.#reading.then(() => this.#readOn(onAttempt))
    return this.#reading
  }

  /** Whether the target took the event last. */
  isAccepted(target: string, id: string): boolean {
    return this.#last(keyOf(target, id))?.isAccepted ?? false
  }

  async #readOn(onAttempt: (attempt: KeptAttempt) => void): Promise<void> {
    const segments = await listSegments(this.#folder)
    if (this.#readTo.size === 0) await this.#skipOld(segments)
    for (const segment of segments) {
      try {
        const { attempts, nextAt } = await attemptsSince(segment, this.#readTo.get(segment.path) ?? 0)
        this.#readTo.set(segment.path, nextAt)
        for (const attempt of attempts) {
          this.#add(attempt)
          onAttempt(attempt)
        }
      } catch (error) {
        // Deleted since it was listed, by --keep of another process.
        if (errorCode(error) !== 'ENOENT') throw toMachineError(error, segment.path)
      }
    }
  }

  /** So that a large log does not delay a start. */
  async #skipOld(segments: readonly Segment[]): Promise<void> {
    let sizeBytes = 0
    for (const segment of segments.toReversed()) {
      const size = (await segmentSize(segment))?.sizeBytes ?? 0
      if (sizeBytes >= MAX_SCANNED_BYTES) this.#readTo.set(segment.path, size)
      sizeBytes += size
    }
  }

  #add({ id, target, startedAtMs: atMs, failure }: KeptAttempt): void {
    if (id === undefined) return
    const key = keyOf(target, id)
    if (atMs < (this.#last(key)?.atMs ?? 0)) return
    if (this.#recent.size >= MAX_KNOWN) {
      this.#older = this.#recent
      this.#recent = new Map()
    }
    this.#recent.set(key, { atMs, isAccepted: failure === undefined })
  }

  #last(key: string): LastAttempt | undefined {
    return this.#recent.get(key) ?? this.#older.get(key)
  }
}

function keyOf(target: string, id: string): string {
  return `${target}\n${id}`
}
