import type { PlanOperation } from '../plan/plan-format.ts'
import type { JobFile } from '../store/job-file.ts'
import type { Journal } from '../store/journal.ts'
import type { HeldLease, JobProgress } from '../store/progress.ts'

/** An operation that is leased and has no end yet. */
export interface Task {
  readonly operation: PlanOperation
  gen: number
  /** When its key may have been sent first, by the server's clock. */
  leasedMs: number
  /** After this time, the server may not know the key. */
  expiresMs: number
  /** The end of the window as known at the time of the lease. */
  windowEndMs: number
  /** Tries of this process. */
  tries: number
  /** Whether it is a create that the server turns into a change if the record exists, so that a repetition does no harm. */
  readonly isUpsert: boolean
  /** Whether a try, of this process or of an earlier one, may have taken effect. */
  isInDoubt: boolean
  /** Whether the response to a create was a 2xx that does not show the record: it is looked up, and never sent again. */
  isTaken: boolean
  /** Whether an earlier process leased it. */
  isResumed: boolean
  /** By the steady clock of this machine; undefined when this process has not sent it. */
  lastSentMs: number | undefined
}

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
  readonly #terms: LeaseTerms
  readonly #batches: Iterator<readonly PlanOperation[]>
  readonly #isUpserted: boolean
  #waiting: readonly PlanOperation[] = []
  #at = 0

  constructor(plan: JobFile, parts: { journal: Journal; progress: JobProgress }, terms: LeaseTerms) {
    this.#journal = parts.journal
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
    this.#journal.lease({ t: 'lease', from: first.op, to: first.op + taken.length, time })
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
    this.#journal.append({ t: 'again', op, gen: task.gen, time })
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

/** Enough for a server that answers all rows, or adjacent ones, with one id; a job of millions of rows does not keep all ids. */
export const LEAST_IDS = 20_000

/** Tasks that are sent in one request. */
export type TaskGroup = readonly Task[]

/** Tasks that may be sent, and groups of them that must wait. */
export class TaskQueue {
  readonly #ready: Task[] = []
  #taken = 0
  #later: { readonly group: TaskGroup; readonly atMs: number }[] = []
  #waiting = 0

  get readyCount(): number {
    return this.#ready.length - this.#taken
  }

  get count(): number {
    return this.readyCount + this.#waiting
  }

  push(tasks: readonly Task[]): void {
    for (const task of tasks) this.#ready.push(task)
  }

  /** Not before `atMs`, by the clock of `takeDue`. */
  delay(group: TaskGroup, atMs: number): void {
    const index = this.#later.findIndex((other) => other.atMs > atMs)
    this.#later.splice(index < 0 ? this.#later.length : index, 0, { group, atMs })
    this.#waiting += group.length
  }

  /** A group whose wait has ended: it is older than what is ready. */
  takeDue(nowMs: number): TaskGroup | undefined {
    const [first] = this.#later
    if (!first || first.atMs > nowMs) return undefined
    this.#later.shift()
    this.#waiting -= first.group.length
    return first.group
  }

  take(): Task | undefined {
    const task = this.#ready[this.#taken]
    if (task === undefined) return undefined
    this.#taken += 1
    if (this.#taken >= 1024 || this.#taken === this.#ready.length) {
      this.#ready.splice(0, this.#taken)
      this.#taken = 0
    }
    return task
  }

  /** At most so many of the tasks that are ready and fit; the others keep their order. */
  takeFitting(most: number, isFit: (task: Task) => boolean): Task[] {
    const fitting: Task[] = []
    const others = this.#ready.slice(this.#taken).filter((task) => {
      if (fitting.length >= most || !isFit(task)) return true
      fitting.push(task)
      return false
    })
    this.#ready.splice(0, this.#ready.length, ...others)
    this.#taken = 0
    return fitting
  }

  /** When the first waiting group is due. */
  get nextMs(): number | undefined {
    return this.#later[0]?.atMs
  }

  /** Removes and returns all tasks: they were not sent, or must be sent again. */
  drain(): readonly Task[] {
    const rest = [...this.#ready.slice(this.#taken), ...this.#later.flatMap(({ group }) => group)]
    this.#ready.length = 0
    this.#taken = 0
    this.#later = []
    this.#waiting = 0
    return rest
  }
}

/** The latest ids of created records: of two rows with the same id at most one made a record. */
export class AnsweredIds {
  #latest = new Set<string>()
  /** As many as LEAST_IDS that came before: a set from which the oldest is deleted each time gets slow. */
  #earlier: ReadonlySet<string> = new Set()

  /** With those of earlier processes. */
  constructor(before: Iterable<string> = []) {
    for (const id of before) this.add(id)
  }

  /** False if the response to another create had this id. */
  add(id: string): boolean {
    if (this.#latest.has(id) || this.#earlier.has(id)) return false
    if (this.#latest.size === LEAST_IDS) {
      this.#earlier = this.#latest
      this.#latest = new Set()
    }
    this.#latest.add(id)
    return true
  }
}
