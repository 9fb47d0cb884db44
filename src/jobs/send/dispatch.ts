import { setImmediate as nextTurn } from 'node:timers/promises'
import { isFailure } from '../../api/errors/failure.ts'
import { parentOfPath } from '../../api/transport/call.ts'
import type { BatchAnswer, InBatch } from '../../api/writes/batch-sender.ts'
import type { Write } from '../../api/writes/write.ts'
import { resourceOf } from '../../core/resources/registry.ts'
import { idempotencyKey } from '../plan/digest.ts'
import { sentKind } from '../plan/plan-format.ts'
import type { JobFile } from '../store/job-file.ts'
import { Outcomes } from './outcomes.ts'
import { isRefused, whyNotRepeated } from './send-outcome.ts'
import type { Dispatched, SendingJob, Stop } from './services.ts'
import { MOST_LEASED_AT_ONCE, type Task, type TaskGroup, TaskQueue } from './tasks.ts'

const FAST_LEASE_MS = 500
const SLOW_LEASE_MS = 2000
/** After a kill, all leased rows are in doubt, and creates that must not be repeated are looked up. */
const MOST_LEASED_IN_DOUBT = 16
/** Leased at once, and kept ready: so many of one kind are mostly a full batch. */
const LEASED_BATCHES = 2

/** Sends `first`, then the operations from `leases`, until all have ended or something stops it. */
export function dispatch(sending: SendingJob, first: readonly Task[]): Promise<Dispatched> {
  return new Dispatch(sending).run(first)
}

class Dispatch {
  readonly #sending: SendingJob
  readonly #steadyMs: () => number
  readonly #queue = new TaskQueue()
  readonly #outcomes: Outcomes
  /** Operations that wait for another one. */
  #held: Task[] = []
  readonly #outcome = Promise.withResolvers<Dispatched>()
  #underWay = 0
  #isLeasing = false
  /** Above 1, tasks are sent in groups. */
  readonly #mostInBatch: number
  #leaseSize: number
  #leasedMs = Number.NEGATIVE_INFINITY
  #stop: Stop | undefined
  #isOver = false
  #timer: NodeJS.Timeout | undefined

  constructor(sending: SendingJob) {
    this.#sending = sending
    this.#steadyMs = sending.services.clocks.steadyMs
    this.#mostInBatch = sending.sender.mostInBatch(resourceOf(sending.plan.head.noun))
    this.#leaseSize = this.#isGrouped ? this.#leaseMost : 16
    this.#outcomes = new Outcomes(sending, this.#queue, (stop) => this.#stopFor(stop))
  }

  run(first: readonly Task[]): Promise<Dispatched> {
    const { signal } = this.#sending.services
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
      while (!this.#stop && this.#underWay < this.#concurrency && this.#sendNext());
    } catch (error) {
      this.#stopFor({ why: 'error', error })
    }
    if (!this.#isLeasing && !this.#stop && this.#wantsMore) void this.#leaseMore()
    if (this.#underWay === 0 && !this.#isLeasing && (this.#stop || this.#isEmpty)) this.#finish()
  }

  get #concurrency(): number {
    return this.#outcomes.outage.isOn ? 1 : this.#sending.limiter.concurrency
  }

  get #isEmpty(): boolean {
    return this.#queue.count === 0 && this.#sending.leases.isEmpty
  }

  get #wantsMore(): boolean {
    const { leases } = this.#sending
    const least = this.#isGrouped ? LEASED_BATCHES * this.#mostInBatch - 1 : this.#leaseSize / 2
    return !leases.isEmpty && this.#queue.readyCount <= least && this.#queue.count < 8 * MOST_LEASED_AT_ONCE
  }

  get #isGrouped(): boolean {
    return this.#mostInBatch > 1
  }

  get #leaseMost(): number {
    if (this.#isGrouped) return LEASED_BATCHES * this.#mostInBatch
    return this.#sending.terms.keys.isKept ? MOST_LEASED_AT_ONCE : MOST_LEASED_IN_DOUBT
  }

  /** False if nothing can be sent now. */
  #sendNext(): boolean {
    const { limiter, hooks } = this.#sending
    hooks.beforeSend?.()
    const probeMs = this.#outcomes.outage.untilProbeMs
    if (probeMs > 0) return this.#wakeIn(probeMs)
    const taken = this.#queue.takeDue(this.#steadyMs()) ?? this.#takeReady()
    if (!taken) {
      const nextMs = this.#queue.nextMs
      return nextMs !== undefined && this.#wakeIn(nextMs - this.#steadyMs())
    }
    const group = taken.filter((task) => this.#maySend(task))
    if (group.length === 0) return true
    const waitMs = limiter.take()
    if (waitMs === 0) {
      void this.#send(group)
      return true
    }
    this.#queue.delay(group, this.#steadyMs())
    return waitMs !== undefined && this.#waitForLimit(waitMs)
  }

  /** The next task, with those that may be sent in the same request; undefined while more are leased for it. */
  #takeReady(): TaskGroup | undefined {
    if (this.#isGrouped && this.#wantsMore) return undefined
    const first = this.#queue.take()
    const shared = first && this.#isGrouped ? this.#inBatch(first) : undefined
    if (!first || !shared) return first && [first]
    const kind = first.operation.head.do
    const keys = new Set([shared.key])
    const others = this.#queue.takeFitting(shared.size - 1, (task) => {
      if (task.operation.head.do !== kind) return false
      const one = this.#inBatch(task)
      if (!one || (one.key !== undefined && keys.has(one.key))) return false
      keys.add(one.key)
      return true
    })
    return [first, ...others]
  }

  #inBatch(task: Task): InBatch | undefined {
    return task.operation.head.do === 'fail'
      ? undefined
      : this.#sending.sender.inBatch(writeOf(task, this.#sending.plan))
  }

  /** After its window, a key has no effect; an operation that was never sent gets a new lease. */
  #maySend(task: Task): boolean {
    const { clock, terms } = this.#sending
    const { lifeMs, keys } = terms
    const { failed } = task.operation.head
    if (failed) {
      this.#outcomes.fail(task, failed)
      return false
    }
    if (this.#isHeld(task)) return false
    const why = whyNotRepeated(task, keys)
    if (why !== undefined) {
      this.#outcomes.unsettled.push({ task, why, isAnswered: false })
      return false
    }
    if (clock.latestMs() + lifeMs < task.expiresMs) return true
    if (task.isInDoubt || task.lastSentMs !== undefined) {
      this.#outcomes.unsettled.push({ task, why: 'the server may have forgotten its key', isAnswered: false })
      return false
    }
    // If the window is shorter than the life of a request, a new lease would not help.
    if (task.expiresMs - task.leasedMs <= lifeMs) return true
    return this.#renew(task)
  }

  /** Whether it has to wait for another operation, or has failed with it. */
  #isHeld(task: Task): boolean {
    const { after } = task.operation.head
    const end = after === undefined ? 'done' : this.#sending.progress.endOf(after)
    if (end === 'done') return false
    if (end === 'failed' || end === 'doubt') this.#outcomes.fail(task, notSent(after, end))
    else this.#held.push(task)
    return true
  }

  #release(): void {
    this.#queue.push(this.#held)
    this.#held = []
  }

  async #send(group: TaskGroup): Promise<void> {
    const { limiter, clock, terms, plan } = this.#sending
    this.#underWay += 1
    const startedMs = this.#steadyMs()
    for (const task of group) task.lastSentMs = startedMs
    try {
      const { outcome, rows } = await this.#request(group.map((task) => writeOf(task, plan)))
      clock.learn(outcome?.headers)
      if (outcome) terms.keys.learn(outcome)
      limiter.answered(outcome, this.#steadyMs() - startedMs)
      this.#takeRows(group, outcome, rows)
    } catch (error) {
      this.#stopFor({ why: 'error', error })
    }
    // Exactly once, wherever it failed: otherwise the count would never return to zero, and the job would never end.
    this.#underWay -= 1
    this.#release()
    this.#pump()
  }

  async #request(writes: readonly Write[]): Promise<BatchAnswer> {
    const { sender } = this.#sending
    const [write, ...others] = writes
    if (!write || others.length > 0 || sender.inBatch(write)) return sender.sendBatch(writes)
    return { outcome: await sender.send(write), rows: [undefined] }
  }

  /** Rows without an outcome of their own have that of the request. */
  #takeRows(group: TaskGroup, outcome: BatchAnswer['outcome'], rows: BatchAnswer['rows']): void {
    const shared = group.filter((_, at) => !rows[at])
    const [first, ...others] = shared
    const isHalved = first && others.length > 0 && outcome && isFailure(outcome) && isRefused(first, outcome)
    if (isHalved) this.#outcomes.halve(shared, outcome)
    const own = isHalved ? group.filter((_, at) => rows[at]) : group
    this.#outcomes.take(
      own,
      isHalved ? rows.filter((row) => row !== undefined) : rows.flatMap((row) => row ?? outcome ?? []),
    )
  }

  #waitForLimit(waitMs: number): false {
    const { terms, hooks, clock } = this.#sending
    if (waitMs > terms.maxOutageMs) {
      this.#stopFor({ why: 'limit', waitMs })
      return false
    }
    if (waitMs >= 1000) hooks.onPause({ why: 'rate limit', untilMs: clock.nowMs() + waitMs })
    return this.#wakeIn(waitMs)
  }

  /** False if the new lease cannot be kept; the job stops then. */
  #renew(task: Task): boolean {
    const { leases, journal } = this.#sending
    try {
      leases.renew(task, false)
      journal.sync()
      return true
    } catch (error) {
      this.#queue.push([task])
      this.#stopFor({ why: 'error', error })
      return false
    }
  }

  async #leaseMore(): Promise<void> {
    const { leases } = this.#sending
    this.#isLeasing = true
    const startedMs = this.#steadyMs()
    const most = this.#leaseMost
    if (this.#isGrouped) this.#leaseSize = most
    else if (startedMs - this.#leasedMs < FAST_LEASE_MS) this.#leaseSize = Math.min(most, this.#leaseSize * 2)
    else if (startedMs - this.#leasedMs > SLOW_LEASE_MS) this.#leaseSize = Math.max(8, this.#leaseSize / 2)
    this.#leasedMs = startedMs
    try {
      // Handle responses first: a lease waits for the disk.
      await nextTurn()
      this.#queue.push(leases.take(this.#leaseSize))
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

  #stopFor(stop: Stop): void {
    this.#stop ??= stop
    if (this.#underWay === 0 && !this.#isLeasing) this.#finish()
  }

  #finish(): void {
    if (this.#isOver) return
    this.#isOver = true
    clearTimeout(this.#timer)
    this.#outcomes.close()
    const left = this.#queue.drain()
    this.#outcome.resolve({ stop: this.#stop, unsettled: this.#outcomes.unsettled, left, held: this.#held })
  }
}

function notSent(after: number | undefined, end: 'failed' | 'doubt') {
  const what = end === 'failed' ? 'has failed' : 'is in doubt'
  return { code: 'not_sent', field: null, reason: `operation ${after}, which comes first, ${what}` }
}

/** The request of an operation, with the same idempotency key each time that its generation is sent. */
function writeOf({ operation: { op, head, body }, gen }: Task, plan: JobFile): Write {
  const { account, run, noun, upsert: upsertBy } = plan.head
  const resource = resourceOf(noun)
  const { digest, n, path, id } = head
  const key = idempotencyKey({ account, run, digest, n, gen })
  const action = `${head.do} ${head.id ?? `what line ${head.line ?? op + 1} says`}`
  const parent = head.do === 'create' ? parentOfPath(resource, path) : undefined
  const upsert = head.do === 'create' && { upsertBy }
  return {
    kind: sentKind(head),
    resource,
    id,
    parent,
    body,
    ...upsert,
    ...(head.restores && { isRestore: true }),
    idempotencyKey: key,
    ifMatch: head.ifMatch,
    was: head.ifMatch === undefined ? head.was : undefined,
    action,
  }
}
