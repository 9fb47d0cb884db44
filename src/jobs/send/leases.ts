import type { Journal } from '../journal/journal.ts'
import type { Progress } from '../journal/progress.ts'
import type { Operation } from '../plan/operation.ts'
import type { PlanFile } from '../plan/plan-file.ts'
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
  readonly #progress: Progress
  readonly #terms: LeaseTerms
  readonly #batches: Iterator<readonly Operation[]>
  #waiting: readonly Operation[] = []
  #at = 0

  constructor(plan: PlanFile, parts: { journal: Journal; progress: Progress }, terms: LeaseTerms) {
    this.#journal = parts.journal
    this.#progress = parts.progress
    this.#terms = terms
    this.#batches = plan.operations(parts.progress.nextOffset)
    do this.#fill()
    while ((this.#waiting.at(-1)?.op ?? Number.POSITIVE_INFINITY) < parts.progress.next)
    this.#at = Math.max(
      0,
      this.#waiting.findIndex(({ op }) => op >= parts.progress.next),
    )
  }

  get isEmpty(): boolean {
    return this.#terms.isClosed === true || this.#at >= this.#waiting.length
  }

  /** The next operations, at most so many; they may be sent once it resolves, and not before. */
  async take(most: number): Promise<readonly Task[]> {
    const taken: Operation[] = []
    while (taken.length < Math.min(most, MOST_LEASED_AT_ONCE) && !this.isEmpty) {
      const operation = this.#waiting[this.#at++]
      if (operation) taken.push(operation)
      if (this.isEmpty) this.#fill()
    }
    const [first] = taken
    if (!first) return []
    const time = this.#terms.nowMs()
    const lease = { t: 'lease', from: first.op, to: first.op + taken.length, at: first.offset, time } as const
    this.#journal.append(lease)
    await this.#journal.sync()
    this.#progress.take(lease)
    return taken.map((operation) => newTask(operation, time, this.#terms.windowMs))
  }

  /** Renews a lease that does not allow sending. `isRaised`: under a new key, because the record was proved absent. */
  renew(task: Task, why: string, isRaised: boolean): void {
    const { op, offset } = task.operation
    const time = this.#terms.nowMs()
    if (isRaised) task.gen += 1
    const again = { t: 'again', op, at: offset, gen: task.gen, time, why } as const
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

/** With `since`, an earlier job of the run may have sent it before this lease. */
function newTask(operation: Operation, leaseMs: number, windowMs: number): Task {
  const { gen = 0, since } = operation.head
  const leasedMs = Math.min(leaseMs, since ?? leaseMs)
  return {
    operation,
    gen,
    leasedMs,
    expiresMs: leasedMs + windowMs,
    // It is unknown how long the earlier job was sending.
    windowEndMs: since === undefined ? leasedMs + windowMs : Number.POSITIVE_INFINITY,
    tries: 0,
    isInDoubt: since !== undefined,
    isTaken: operation.head.taken === true,
    isResumed: since !== undefined,
    lastSentMs: undefined,
  }
}
