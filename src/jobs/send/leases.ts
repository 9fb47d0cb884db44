import type { PlanOperation } from '../plan/plan-format.ts'
import type { JobFile } from '../store/job-file.ts'
import type { Journal } from '../store/journal.ts'
import type { HeldLease, JobProgress } from '../store/progress.ts'
import type { Task } from './task-queue.ts'

export const MOST_LEASED_AT_ONCE = 256

export interface LeaseTerms {
  readonly windowMs: number
  readonly nowMs: () => number
  /** Takes no further operations from the plan. */
  readonly isClosed?: boolean
}

/** Takes operations from a plan in its order and leases them; only leased operations are sent. */
export class Leases {
  readonly #journal: Journal
  readonly #progress: JobProgress
  readonly #terms: LeaseTerms
  readonly #batches: Iterator<readonly PlanOperation[]>
  readonly #isUpserted: boolean
  #waiting: readonly PlanOperation[] = []
  #at = 0

  constructor(plan: JobFile, parts: { journal: Journal; progress: JobProgress }, terms: LeaseTerms) {
    this.#journal = parts.journal
    this.#progress = parts.progress
    this.#terms = terms
    this.#isUpserted = plan.head.upsert !== undefined
    this.#batches = plan.operations(parts.progress.next)
    this.#fill()
  }

  get isEmpty(): boolean {
    return this.#terms.isClosed === true || this.#at >= this.#waiting.length
  }

  /** The next operations, at most so many; they may be sent when it returns: the lease is on the disk. */
  take(most: number): readonly Task[] {
    const taken: PlanOperation[] = []
    while (taken.length < Math.min(most, MOST_LEASED_AT_ONCE) && !this.isEmpty) {
      const operation = this.#waiting[this.#at++]
      if (operation) taken.push(operation)
      if (this.isEmpty) this.#fill()
    }
    const [first] = taken
    if (!first) return []
    const time = this.#terms.nowMs()
    const lease = { t: 'lease', from: first.op, to: first.op + taken.length, time } as const
    this.#journal.append(lease)
    this.#journal.sync()
    this.#progress.take(lease)
    const { windowMs } = this.#terms
    return taken.map((operation) => {
      const { since, taken: isTaken = false } = operation.head
      const terms = { windowMs, isKeyKnown: true, isSent: since !== undefined, isTaken, isUpserted: this.#isUpserted }
      return taskUnder(operation, { time, window: windowMs, gen: undefined }, terms)
    })
  }

  /** Renews a lease that does not allow sending. `isRaised`: under a new key, because the record was proved absent. */
  renew(task: Task, isRaised: boolean): void {
    const { op } = task.operation
    const time = this.#terms.nowMs()
    if (isRaised) task.gen += 1
    const again = { t: 'again', op, gen: task.gen, time } as const
    this.#journal.append(again)
    this.#progress.take(again)
    task.leasedMs = time
    task.expiresMs = time + this.#terms.windowMs
    task.windowEndMs = task.expiresMs
  }

  #fill(): void {
    const { value, done } = this.#batches.next()
    this.#waiting = done ? [] : value
    this.#at = 0
  }
}

interface ResumeTerms {
  readonly windowMs: number
  readonly isScopedByAccount: boolean
  readonly keyMark: string
}

interface Resumed {
  /** Leased by an earlier process, without a result. */
  readonly sent: readonly Task[]
  /** Leased by an earlier process, and given back. */
  readonly unsent: readonly Task[]
}

/** The tasks that earlier processes left. */
export function resumeTasks(plan: JobFile, progress: JobProgress, terms: ResumeTerms): Resumed {
  const sent: Task[] = []
  const unsent: Task[] = []
  const isUpserted = plan.head.upsert !== undefined
  for (const lease of progress.openLeases()) {
    for (const operation of operationsOf(plan, lease)) {
      if (progress.hasEnd(operation.op)) continue
      const isBack = progress.endOf(operation.op) === 'back'
      const isSent = !isBack || operation.head.since !== undefined
      const isTaken = operation.head.taken === true || progress.isTaken(operation.op)
      const task = resumedTask(operation, progress.lastLease(operation.op, lease), {
        ...terms,
        isSent,
        isTaken,
        isUpserted,
      })
      if (isBack) unsent.push(task)
      else sent.push(task)
    }
  }
  return { sent, unsent }
}

function* operationsOf(plan: JobFile, { from, to }: HeldLease): Generator<PlanOperation, void, undefined> {
  for (const batch of plan.operations(from)) {
    for (const operation of batch) {
      if (operation.op >= to) return
      yield operation
    }
  }
}

function resumedTask(
  operation: PlanOperation,
  lease: HeldLease,
  terms: ResumeTerms & Pick<TaskTerms, 'isSent' | 'isTaken' | 'isUpserted'>,
) {
  // With another API key, the server may not find our idempotency keys.
  const isKeyKnown = terms.isScopedByAccount || lease.key === terms.keyMark
  const windowMs = Math.min(terms.windowMs, lease.window)
  return taskUnder(operation, lease, { ...terms, windowMs, isKeyKnown })
}

interface TaskTerms {
  readonly windowMs: number
  /** Whether the server finds the keys that were sent under the lease. */
  readonly isKeyKnown: boolean
  /** Whether an earlier process or job may have sent it. */
  readonly isSent: boolean
  readonly isTaken: boolean
  /** Whether the server turns creates of this job into changes where a record exists. */
  readonly isUpserted: boolean
}

/** With `since`, an earlier job of the run may have sent it before this lease. */
function taskUnder(
  operation: PlanOperation,
  lease: Pick<HeldLease, 'time' | 'window' | 'gen'>,
  terms: TaskTerms,
): Task {
  const { gen = 0, since } = operation.head
  const leasedMs = Math.min(lease.time, since ?? lease.time)
  return {
    operation,
    gen: lease.gen ?? gen,
    leasedMs,
    expiresMs: terms.isKeyKnown ? leasedMs + terms.windowMs : Number.NEGATIVE_INFINITY,
    // It is unknown how long the earlier job was sending.
    windowEndMs: since === undefined ? lease.time + lease.window : Number.POSITIVE_INFINITY,
    tries: 0,
    isUpsert: terms.isUpserted && operation.head.do === 'create',
    isInDoubt: terms.isSent,
    isTaken: terms.isTaken,
    isResumed: terms.isSent,
    lastSentMs: undefined,
  }
}
