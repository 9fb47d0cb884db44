import { setTimeout as sleep } from 'node:timers/promises'
import type { Answer, ForwardResult, ReceivedEvent } from '../../core/webhook-events.ts'
import { createLanes, type Lanes } from './lanes.ts'
import type { Outcome, Target } from './target.ts'

export interface ForwarderOptions {
  readonly targets: readonly Target[]
  /** Tries after the first one, for events that the sender was already thanked for. */
  readonly retries: number
  /** Whether an event that a target has taken is sent to it again when it is received again. */
  readonly passesDuplicates: boolean
  readonly now: () => number
  show(result: ForwardResult): Promise<void>
}

export interface Forwarder {
  /** To every target that takes it, one try each; what to tell the sender, undefined when no target takes it. */
  forwardNow(event: ReceivedEvent): Promise<Answer | undefined>
  /** Resolves once it is in the queue, which is when there is room; it is then tried until it succeeds or tries are used up. */
  forwardLater(event: ReceivedEvent): Promise<void>
  /** Resolves when nothing is left to do. */
  settled(): Promise<void>
  /** Breaks off what goes on; how many events some target has not taken. */
  close(): Promise<number>
  /** Rejects with what `show` threw. Never resolves. */
  readonly failed: Promise<never>
}

const MAX_QUEUED = 1000
const FIRST_PAUSE_MS = 1000
const LONGEST_PAUSE_MS = 30_000
/** Ids that a target has taken, or that are being sent to it. */
const MAX_REMEMBERED = 10_000

export function createForwarder(options: ForwarderOptions): Forwarder {
  return new EventForwarder(options)
}

interface Route {
  readonly target: Target
  readonly lanes: Lanes
}

class EventForwarder implements Forwarder {
  readonly #options: ForwarderOptions
  readonly #routes: readonly Route[]
  readonly #results = new Map<string, Promise<Outcome>>()
  readonly #stop = new AbortController()
  readonly #failure = Promise.withResolvers<never>()
  readonly #queued = new Set<Promise<void>>()
  #undone = 0

  constructor(options: ForwarderOptions) {
    this.#options = options
    this.#routes = options.targets.map((target) => ({ target, lanes: createLanes(target.limit) }))
    // The caller that awaits it gets the error; without one the process must not end because of it.
    this.#failure.promise.catch(() => {})
  }

  get failed(): Promise<never> {
    return this.#failure.promise
  }

  async forwardNow(event: ReceivedEvent): Promise<Answer | undefined> {
    const outcomes = await Promise.all(this.#routesOf(event).map((route) => this.#send(route, event, 0)))
    const told = outcomes.find(({ failure }) => failure !== undefined) ?? outcomes[0]
    return told && { status: told.answer, retryAfter: told.retryAfter }
  }

  async forwardLater(event: ReceivedEvent): Promise<void> {
    while (this.#queued.size >= MAX_QUEUED) await Promise.race(this.#queued)
    for (const route of this.#routesOf(event)) {
      const count = ({ failure }: Outcome): void => {
        if (failure !== undefined) this.#undone++
      }
      const entry = this.#send(route, event, this.#options.retries)
        .then(count)
        .catch(this.#failure.reject)
        .finally(() => this.#queued.delete(entry))
      this.#queued.add(entry)
    }
  }

  async settled(): Promise<void> {
    while (this.#queued.size > 0) await Promise.all(this.#queued)
  }

  async close(): Promise<number> {
    this.#stop.abort()
    await this.settled()
    return this.#undone
  }

  #routesOf(event: ReceivedEvent): readonly Route[] {
    return this.#routes.filter(({ target }) => target.takes(event))
  }

  /** Senders that grow tired of waiting send again: an id under route is waited for, one that was taken is not sent again. */
  #send({ target, lanes }: Route, event: ReceivedEvent, retries: number): Promise<Outcome> {
    const known = event.id === undefined ? undefined : `${target.name}\n${event.id}`
    const before = known === undefined ? undefined : this.#results.get(known)
    if (before && !this.#options.passesDuplicates) return before
    const result = lanes.run(event.recordId ?? event.id, () => this.#tryUntilDone(target, event, retries))
    if (known !== undefined) this.#remember(known, result)
    return result
  }

  #remember(known: string, result: Promise<Outcome>): void {
    const forget = (): void => {
      if (this.#results.get(known) === result) this.#results.delete(known)
    }
    this.#results.set(known, result)
    const [oldest] = this.#results.keys()
    if (this.#results.size > MAX_REMEMBERED && oldest !== undefined) this.#results.delete(oldest)
    result.then(({ failure }) => (failure === undefined ? undefined : forget()), forget)
  }

  async #tryUntilDone(target: Target, event: ReceivedEvent, retries: number): Promise<Outcome> {
    const { signal } = this.#stop
    for (let attempt = 1; ; attempt++) {
      const startedAtMs = this.#options.now()
      const outcome = signal.aborted ? NOT_TRIED : await target.send(event, signal)
      const isLast = outcome.failure === undefined || attempt > retries || signal.aborted
      const retryInMs = isLast ? undefined : Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (attempt - 1))
      if (outcome !== NOT_TRIED) await this.#tell({ target, event, outcome, attempt, startedAtMs, retryInMs })
      if (retryInMs === undefined) return outcome
      await sleep(retryInMs, undefined, { signal }).catch(() => {})
    }
  }

  async #tell({ target, event, outcome, ...told }: Told): Promise<void> {
    const { status, failure, response } = outcome
    const tookMs = this.#options.now() - told.startedAtMs
    const { id, name, receivedAtMs } = event
    await this.#options.show({
      type: target.type,
      id,
      name,
      receivedAtMs,
      target: target.name,
      tookMs,
      status,
      failure,
      response,
      ...told,
    })
  }
}

interface Told extends Pick<ForwardResult, 'attempt' | 'startedAtMs' | 'retryInMs'> {
  readonly target: Target
  readonly event: ReceivedEvent
  readonly outcome: Outcome
}

/** Stopped before the try. */
const NOT_TRIED: Outcome = {
  status: undefined,
  failure: 'not tried',
  answer: 503,
  retryAfter: undefined,
  response: undefined,
}
