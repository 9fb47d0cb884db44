import { setTimeout as sleep } from 'node:timers/promises'
import { hideInAddress } from '../../core/token-forms.ts'
import type { DeliveryResponse, ForwardResult, ReceivedEvent } from '../../core/webhook-events.ts'
import { NOT_FORWARDED } from '../log/attempt.ts'

export interface ForwarderOptions {
  readonly targets: readonly ForwardTarget[]
  /** Attempts after the first one, for events that are already acknowledged. */
  readonly retries: number
  /** Whether a duplicate of an event is sent again to a target that accepted the first one. */
  readonly passesDuplicates: boolean
  /** Whether a target accepted the event in another process, by its shown name. */
  readonly isAccepted?: ((target: string, id: string) => boolean) | undefined
  /** Whether `keep` gets events before they are queued: they are acknowledged then, and no sender repeats them. */
  readonly keepsQueued?: boolean
  readonly now: () => number
  /** Whether `show` gets the beginning of the response. */
  readonly showsResponse: boolean
  /** Keeps the result, with the beginning of the response; awaited before `show`, and so before the sender is answered. */
  readonly keep?: ((result: ForwardResult) => Promise<void>) | undefined
  show(result: ForwardResult): Promise<void>
}

export interface Forwarder {
  /** One attempt per matching target. Returns the answer for the sender, undefined when no target matches. */
  forwardNow(event: ReceivedEvent): Promise<DeliveryResponse | undefined>
  /** Resolves when the event is queued, waiting while the queue is full. It is then attempted until it succeeds or the retries are used up. */
  forwardLater(event: ReceivedEvent): Promise<void>
  /** Resolves when the queue is empty. */
  settled(): Promise<void>
  /** Aborts attempts in progress. Returns the number of events that some target did not accept. */
  close(): Promise<number>
  /** Rejects with the error of `show`. Never resolves. */
  readonly failed: Promise<never>
}

const MAX_QUEUED = 1000
const FIRST_PAUSE_MS = 1000
const LONGEST_PAUSE_MS = 30_000
/** Ids that a target accepted or that are being sent to it. */
const MAX_REMEMBERED = 10_000

export function createForwarder(options: ForwarderOptions): Forwarder {
  return new EventForwarder(options)
}

interface Route {
  readonly target: ForwardTarget
  /** Its name without credentials. */
  readonly shownName: string
  readonly lanes: Lanes
}

class EventForwarder implements Forwarder {
  readonly #options: ForwarderOptions
  readonly #routes: readonly Route[]
  readonly #results = new Map<string, Promise<AttemptOutcome>>()
  readonly #stop = new AbortController()
  readonly #failure = Promise.withResolvers<never>()
  readonly #queued = new Set<Promise<void>>()
  #undone = 0

  constructor(options: ForwarderOptions) {
    this.#options = options
    const names = shownNames(options.targets)
    this.#routes = options.targets.map((target) => ({
      target,
      shownName: names.get(target.name) ?? '',
      lanes: createLanes(target.limit),
    }))
    // Prevents an unhandled rejection; callers that await it still get the error.
    this.#failure.promise.catch(() => {})
  }

  get failed(): Promise<never> {
    return this.#failure.promise
  }

  async forwardNow(event: ReceivedEvent): Promise<DeliveryResponse | undefined> {
    const outcomes = await Promise.all(this.#routesOf(event).map((route) => this.#send(route, event, 0)))
    const reported = outcomes.find(({ failure }) => failure !== undefined) ?? outcomes[0]
    return reported && { status: reported.answer, retryAfter: reported.retryAfter }
  }

  async forwardLater(event: ReceivedEvent): Promise<void> {
    while (this.#queued.size >= MAX_QUEUED) await Promise.race(this.#queued)
    const routes = this.#routesOf(event).filter(
      (route) => this.#options.passesDuplicates || !this.#isTaken(route, event),
    )
    if (this.#options.keepsQueued) await Promise.all(routes.map((route) => this.#keepQueued(route, event)))
    for (const route of routes) {
      const count = ({ failure }: AttemptOutcome): void => {
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

  /** Whether the target has taken the event, or is about to. */
  #isTaken({ target, shownName }: Route, { id }: ReceivedEvent): boolean {
    if (id === undefined) return false
    return this.#results.has(`${target.name}\n${id}`) || this.#options.isAccepted?.(shownName, id) === true
  }

  async #keepQueued({ target, shownName }: Route, { id, name, receivedAtMs }: ReceivedEvent): Promise<void> {
    await this.#options.keep?.({
      ...{ type: target.type, target: shownName, id, name, receivedAtMs, startedAtMs: this.#options.now(), tookMs: 0 },
      ...{ attempt: 0, status: undefined, failure: NOT_FORWARDED, response: undefined, retryInMs: undefined },
    })
  }

  /** Senders repeat an event after a timeout: a repeat waits for the attempt in progress, and is not sent after a success. */
  #send(route: Route, event: ReceivedEvent, retries: number): Promise<AttemptOutcome> {
    const { target, lanes } = route
    const known = event.id === undefined ? undefined : `${target.name}\n${event.id}`
    const before = known === undefined ? undefined : this.#results.get(known)
    if (before && !this.#options.passesDuplicates) return before
    if (!this.#options.passesDuplicates && this.#isTaken(route, event)) return Promise.resolve(ACCEPTED)
    const result = lanes.run(event.recordId ?? event.id, () => this.#tryUntilDone(route, event, retries))
    if (known !== undefined) this.#remember(known, result)
    return result
  }

  #remember(known: string, result: Promise<AttemptOutcome>): void {
    const forget = (): void => {
      if (this.#results.get(known) === result) this.#results.delete(known)
    }
    this.#results.set(known, result)
    const [oldest] = this.#results.keys()
    if (this.#results.size > MAX_REMEMBERED && oldest !== undefined) this.#results.delete(oldest)
    result.then(({ failure }) => (failure === undefined ? undefined : forget()), forget)
  }

  async #tryUntilDone({ target, shownName }: Route, event: ReceivedEvent, retries: number): Promise<AttemptOutcome> {
    const { signal } = this.#stop
    for (let attempt = 1; ; attempt++) {
      const startedAtMs = this.#options.now()
      const outcome = signal.aborted ? NOT_TRIED : await target.send(event, signal)
      const isLast = outcome.failure === undefined || attempt > retries || signal.aborted
      const retryInMs = isLast ? undefined : Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (attempt - 1))
      if (outcome !== NOT_TRIED)
        await this.#report({ type: target.type, target: shownName, event, outcome, attempt, startedAtMs, retryInMs })
      if (retryInMs === undefined) return outcome
      await sleep(retryInMs, undefined, { signal }).catch(() => {})
    }
  }

  async #report({ event, outcome, ...attempt }: FinishedAttempt): Promise<void> {
    const { status, failure, response } = outcome
    const tookMs = this.#options.now() - attempt.startedAtMs
    const { id, name, receivedAtMs } = event
    const result: ForwardResult = {
      id,
      name,
      receivedAtMs,
      tookMs,
      status,
      failure,
      response,
      ...attempt,
    }
    const { keep, show, showsResponse } = this.#options
    await keep?.(result)
    await show(showsResponse ? result : { ...result, response: undefined })
  }
}

interface FinishedAttempt extends Pick<ForwardResult, 'type' | 'target' | 'attempt' | 'startedAtMs' | 'retryInMs'> {
  readonly event: ReceivedEvent
  readonly outcome: AttemptOutcome
}

/** What targets are called in results, by their names; a number distinguishes addresses that differ only in a credential. */
function shownNames(targets: readonly ForwardTarget[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>()
  const counts = new Map<string, number>()
  for (const { type, name } of targets) {
    if (names.has(name)) continue
    const shown = type === 'forwarded' ? hideInAddress(name) : name
    const count = (counts.get(shown) ?? 0) + 1
    counts.set(shown, count)
    names.set(name, count === 1 ? shown : `${shown} (${count})`)
  }
  return names
}

/** By the log; the status of the answer is that of an event without a target. */
const ACCEPTED: AttemptOutcome = {
  status: undefined,
  failure: undefined,
  answer: 204,
  retryAfter: undefined,
  response: undefined,
}

/** Stopped before the attempt. */
const NOT_TRIED: AttemptOutcome = {
  status: undefined,
  failure: 'not tried',
  answer: 503,
  retryAfter: undefined,
  response: undefined,
}

/** Runs tasks of one key in order of submission, and at most `limit` tasks at the same time. */
interface Lanes {
  run<Result>(key: string | undefined, work: () => Promise<Result>): Promise<Result>
}

export function createLanes(limit: number): Lanes {
  const lastOfKey = new Map<string, Promise<unknown>>()
  const waiting: (() => void)[] = []
  let running = 0

  async function runInTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    if (running < limit) running++
    // A finished task passes its slot to the longest waiting task.
    else await new Promise<void>((resolve) => waiting.push(resolve))
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else running--
    }
  }

  return {
    run(key, work) {
      if (key === undefined) return runInTurn(work)
      const before = lastOfKey.get(key) ?? Promise.resolve()
      const result = before.then(() => runInTurn(work))
      const ended = result.then(
        () => {},
        () => {},
      )
      lastOfKey.set(key, ended)
      void ended.then(() => {
        if (lastOfKey.get(key) === ended) lastOfKey.delete(key)
      })
      return result
    },
  }
}

/** The result of one attempt. */
export interface AttemptOutcome {
  /** The HTTP status or the exit code; undefined without one. */
  readonly status: number | undefined
  /** Undefined when it succeeded. */
  readonly failure: string | undefined
  /** The HTTP status for a sender that waits for this attempt. */
  readonly answer: number
  readonly retryAfter: string | undefined
  readonly response: string | undefined
}

/** Where events are forwarded to: a URL or a command. */
export interface ForwardTarget {
  readonly type: ForwardResult['type']
  /** As typed. */
  readonly name: string
  /** Events forwarded at the same time. */
  readonly limit: number
  takes(event: ReceivedEvent): boolean
  /** Never rejects for a failure of the target; `signal` aborts it. */
  send(event: ReceivedEvent, signal: AbortSignal): Promise<AttemptOutcome>
}
