import type { Answer } from '../../api/answer.ts'
import type { Failure } from '../../api/failure.ts'
import type { Sender, Write } from '../../api/sender.ts'
import { idempotencyKey } from '../digest.ts'
import type { Journal } from '../journal/journal.ts'
import type { Progress } from '../journal/progress.ts'
import { METHODS } from '../plan/operation.ts'
import { type Leases, MOST_LEASED_AT_ONCE } from './leases.ts'
import { Outage } from './outage.ts'
import type { Pace } from './pace.ts'
import type { ServerClock } from './server-clock.ts'
import type { Task } from './task.ts'
import { TaskQueue } from './task-queue.ts'
import { judge, type Verdict } from './verdict.ts'

const FIRST_BACKOFF_MS = 250
const LONGEST_BACKOFF_MS = 30_000
/** Results that a kill -9 may cost; the operations are then sent once more, under the same key. */
const FLUSH_AFTER_MS = 50
const FAST_LEASE_MS = 500
const SLOW_LEASE_MS = 2000

export interface DispatchParts {
  readonly journal: Journal
  readonly progress: Progress
  readonly leases: Leases
  readonly sender: Sender
  readonly pace: Pace
  readonly clock: ServerClock
  readonly account: string
  readonly run: string
  readonly lifeMs: number
  /** Stops behind so many failed rows. */
  readonly maxFailed: number
  /** The longest time in which nothing gets through. */
  readonly maxOutageMs: number
  readonly signal: AbortSignal
  readonly steadyMs: () => number
  readonly random: () => number
  readonly hooks: DispatchHooks
}

export interface DispatchHooks {
  /** After each operation that came to an end. */
  onEnd(task: Task, verdict: Verdict): void
  /** When nothing is sent for a while, and undefined when it goes on. */
  onPause(pause: { readonly why: string; readonly untilMs: number | undefined } | undefined): void
}

/** Why sending stopped before its end. */
export type Stop =
  | { readonly why: 'interrupted' }
  | { readonly why: 'refused'; readonly failure: Failure }
  | { readonly why: 'outage'; readonly failure: Failure; readonly lastsMs: number }
  | { readonly why: 'limit'; readonly waitMs: number }
  | { readonly why: 'errors'; readonly failed: number }
  | { readonly why: 'error'; readonly error: unknown }

export interface Unsettled {
  readonly task: Task
  readonly why: string
  /** The server has given its last word: no request of it is under way. */
  readonly isAnswered: boolean
}

export interface Dispatched {
  readonly stop: Stop | undefined
  /** What only a look at the records can tell. */
  readonly unsettled: readonly Unsettled[]
  /** What was leased, and was not sent or has to be sent again. */
  readonly left: readonly Task[]
}

/** Sends what `leases` gives, and `first` before it, until all has come to an end or something stops it. */
export function dispatch(parts: DispatchParts, first: readonly Task[]): Promise<Dispatched> {
  return new Dispatch(parts).run(first)
}

class Dispatch {
  readonly #parts: DispatchParts
  readonly #queue = new TaskQueue()
  readonly #outage: Outage
  readonly #unsettled: Unsettled[] = []
  readonly #outcome = Promise.withResolvers<Dispatched>()
  #underWay = 0
  #isLeasing = false
  #leaseSize = 16
  #leasedMs = Number.NEGATIVE_INFINITY
  #stop: Stop | undefined
  #isOver = false
  #timer: NodeJS.Timeout | undefined
  #flushTimer: NodeJS.Timeout | undefined

  constructor(parts: DispatchParts) {
    this.#parts = parts
    this.#outage = new Outage(parts.steadyMs)
  }

  run(first: readonly Task[]): Promise<Dispatched> {
    const { signal } = this.#parts
    const interrupt = () => this.#stopFor({ why: 'interrupted' })
    signal.addEventListener('abort', interrupt, { once: true })
    if (signal.aborted) interrupt()
    this.#queue.push(first)
    this.#pump()
    return this.#outcome.promise.finally(() => signal.removeEventListener('abort', interrupt))
  }

  #pump(): void {
    clearTimeout(this.#timer)
    try {
      while (!this.#stop && this.#underWay < this.#width && this.#sendNext());
    } catch (error) {
      this.#stopFor({ why: 'error', error })
    }
    if (!this.#isLeasing && !this.#stop && this.#wantsMore) void this.#leaseMore()
    if (this.#underWay === 0 && !this.#isLeasing && (this.#stop || this.#isEmpty)) this.#finish()
  }

  get #width(): number {
    return this.#outage.isOn ? 1 : this.#parts.pace.width
  }

  get #isEmpty(): boolean {
    return this.#queue.count === 0 && this.#parts.leases.isEmpty
  }

  get #wantsMore(): boolean {
    const { leases } = this.#parts
    return (
      !leases.isEmpty && this.#queue.readyCount <= this.#leaseSize / 2 && this.#queue.count < 8 * MOST_LEASED_AT_ONCE
    )
  }

  /** False when nothing can go now. */
  #sendNext(): boolean {
    const { steadyMs, pace } = this.#parts
    const probeMs = this.#outage.untilProbeMs
    if (probeMs > 0) return this.#wakeIn(probeMs)
    const task = this.#queue.take(steadyMs())
    if (!task) {
      const nextMs = this.#queue.nextMs
      return nextMs !== undefined && this.#wakeIn(nextMs - steadyMs())
    }
    if (!this.#maySend(task)) return true
    const waitMs = pace.take()
    if (waitMs === 0) {
      void this.#send(task)
      return true
    }
    this.#queue.delay(task, steadyMs())
    return waitMs !== undefined && this.#waitForLimit(waitMs)
  }

  /** Behind its window a key means nothing any more; what was never sent gets a lease anew. */
  #maySend(task: Task): boolean {
    const { clock, lifeMs, leases, journal } = this.#parts
    if (clock.latestMs() + lifeMs < task.expiresMs) return true
    if (task.isInDoubt || task.lastSentMs !== undefined) {
      this.#unsettled.push({ task, why: 'the server may have forgotten its key', isAnswered: false })
      return false
    }
    leases.renew(task, 'it was never sent under its lease', false)
    this.#underWay += 1
    journal.sync().then(
      () => {
        this.#underWay -= 1
        this.#queue.push([task])
        this.#pump()
      },
      (error: unknown) => this.#abandon(error),
    )
    return false
  }

  async #send(task: Task): Promise<void> {
    const { sender, steadyMs, pace, clock } = this.#parts
    this.#underWay += 1
    const startedMs = steadyMs()
    task.lastSentMs = startedMs
    try {
      const outcome = await sender.send(this.#writeOf(task))
      clock.learn(outcome.headers)
      pace.answered(outcome, steadyMs() - startedMs)
      this.#settle(task, outcome)
    } catch (error) {
      this.#stopFor({ why: 'error', error })
    }
    // Once, wherever it failed: a count that is off by one would never come back to none, and the job never end.
    this.#underWay -= 1
    this.#pump()
  }

  #abandon(error: unknown): void {
    this.#underWay -= 1
    this.#stopFor({ why: 'error', error })
    this.#pump()
  }

  #writeOf({ operation: { op, head, body }, gen }: Task): Write {
    const { account, run } = this.#parts
    const { digest, n, path } = head
    const key = idempotencyKey({ account, run, digest, n, gen })
    const action = `${head.do} ${head.id ?? `what line ${head.line ?? op + 1} says`}`
    return { method: METHODS[head.do], path, body, idempotencyKey: key, ifMatch: head.ifMatch, action }
  }

  #settle(task: Task, outcome: Answer | Failure): void {
    const verdict = judge(task, outcome)
    const isOutage = verdict.is === 'again' && verdict.because === 'outage'
    if (!isOutage && outcome.headers !== undefined) this.#goOn()
    if ('isInDoubt' in outcome && outcome.isInDoubt) task.isInDoubt = true
    switch (verdict.is) {
      case 'done':
      case 'failed':
        this.#keep(task, verdict)
        break
      case 'again':
        this.#again(task, verdict, outcome as Failure)
        break
      case 'unsettled':
        this.#unsettled.push({ task, why: verdict.why, isAnswered: verdict.isAnswered })
        break
      case 'stopped':
        // It was turned away at the door, and is not one of those that may have happened.
        if (!task.isInDoubt) task.lastSentMs = undefined
        this.#queue.push([task])
        this.#stopFor({ why: 'refused', failure: verdict.failure })
    }
  }

  #keep(task: Task, verdict: Verdict & { is: 'done' | 'failed' }): void {
    const { journal, progress, hooks, maxFailed } = this.#parts
    const { op } = task.operation
    if (verdict.is === 'done') {
      const { status, id, flag } = verdict
      journal.addResult(flag === undefined ? [op, status, id] : [op, status, id, flag])
      this.#flushTimer ??= setTimeout(() => this.#flush(), FLUSH_AFTER_MS)
    } else {
      journal.append({ t: 'failed', op, ...verdict.entry })
    }
    progress.settle(op, verdict.is)
    hooks.onEnd(task, verdict)
    if (progress.counts.failed > maxFailed) this.#stopFor({ why: 'errors', failed: progress.counts.failed })
  }

  #again(task: Task, { because, afterMs }: Verdict & { is: 'again' }, failure: Failure): void {
    const { steadyMs, random, maxOutageMs } = this.#parts
    const wasOn = this.#outage.isOn
    if (because === 'outage') this.#countOutage(failure, maxOutageMs)
    // While nothing gets through at all, it is not this operation's doing.
    if (because === 'outage' && !wasOn) task.tries += 1
    const fullMs = Math.min(FIRST_BACKOFF_MS * 2 ** task.tries, LONGEST_BACKOFF_MS)
    const backoffMs = fullMs * (0.5 + random() / 2)
    if (because === 'limit' && !task.isInDoubt) task.lastSentMs = undefined
    // A limit holds for all, and is kept where all pass.
    const waitMs = because === 'limit' && afterMs ? 0 : (afterMs ?? backoffMs)
    this.#queue.delay(task, steadyMs() + waitMs)
  }

  #countOutage(failure: Failure, maxOutageMs: number): void {
    const { hooks, clock, journal } = this.#parts
    if (this.#outage.failed()) {
      journal.append({ t: 'pause', time: clock.nowMs(), why: failure.reason })
      hooks.onPause({ why: failure.reason, untilMs: undefined })
    }
    const { lastsMs } = this.#outage
    if (lastsMs > maxOutageMs) this.#stopFor({ why: 'outage', failure, lastsMs })
  }

  #goOn(): void {
    if (this.#outage.isOn) this.#parts.hooks.onPause(undefined)
    this.#outage.succeeded()
  }

  #waitForLimit(waitMs: number): false {
    const { maxOutageMs, hooks, clock } = this.#parts
    if (waitMs > maxOutageMs) {
      this.#stopFor({ why: 'limit', waitMs })
      return false
    }
    if (waitMs >= 1000) hooks.onPause({ why: 'rate limit', untilMs: clock.nowMs() + waitMs })
    return this.#wakeIn(waitMs)
  }

  async #leaseMore(): Promise<void> {
    const { leases, steadyMs } = this.#parts
    this.#isLeasing = true
    const startedMs = steadyMs()
    if (startedMs - this.#leasedMs < FAST_LEASE_MS) this.#leaseSize = Math.min(MOST_LEASED_AT_ONCE, this.#leaseSize * 2)
    else if (startedMs - this.#leasedMs > SLOW_LEASE_MS) this.#leaseSize = Math.max(8, this.#leaseSize / 2)
    this.#leasedMs = startedMs
    try {
      this.#queue.push(await leases.take(this.#leaseSize))
    } catch (error) {
      this.#stopFor({ why: 'error', error })
    }
    this.#isLeasing = false
    this.#pump()
  }

  #wakeIn(ms: number): false {
    this.#timer = setTimeout(() => this.#pump(), Math.max(1, Math.ceil(ms)))
    return false
  }

  #flush(): void {
    this.#flushTimer = undefined
    try {
      this.#parts.journal.flush()
    } catch (error) {
      this.#stopFor({ why: 'error', error })
    }
  }

  #stopFor(stop: Stop): void {
    this.#stop ??= stop
    if (this.#underWay === 0 && !this.#isLeasing) this.#finish()
  }

  #finish(): void {
    if (this.#isOver) return
    this.#isOver = true
    clearTimeout(this.#timer)
    clearTimeout(this.#flushTimer)
    this.#outcome.resolve({ stop: this.#stop, unsettled: this.#unsettled, left: this.#queue.drain() })
  }
}
