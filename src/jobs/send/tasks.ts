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
  readonly #plan: JobFile
  readonly #rest: Iterator<PlanOperation, void>
  #next: PlanOperation | undefined

  constructor(plan: JobFile, parts: { journal: Journal; progress: JobProgress }, terms: LeaseTerms) {
    this.#journal = parts.journal
    this.#terms = terms
    this.#plan = plan
    this.#rest = plan.all(parts.progress.next)
    if (!terms.isClosed) this.#advance()
  }

  get isEmpty(): boolean {
    return this.#next === undefined
  }

  /** The next operations, at most so many; they may be sent when it returns: the lease is on the disk. */
  take(most: number): readonly Task[] {
    const taken: PlanOperation[] = []
    for (; this.#next && taken.length < Math.min(most, MOST_LEASED_AT_ONCE); this.#advance()) taken.push(this.#next)
    const [first] = taken
    if (!first) return []
    const time = this.#terms.nowMs()
    this.#journal.lease({ t: 'lease', from: first.op, to: first.op + taken.length, time })
    const { windowMs } = this.#terms
    const lease = { time, window: windowMs, gen: undefined }
    return taken.map((operation) => taskUnder(this.#plan, operation, lease, { windowMs, isSent: false }))
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

  #advance(): void {
    this.#next = this.#rest.next().value ?? undefined
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

export function resumeTasks(plan: JobFile, progress: JobProgress, terms: ResumeTerms): Resumed {
  const sent: Task[] = []
  const unsent: Task[] = []
  for (const range of progress.openLeases()) {
    for (const operation of plan.all(range.from)) {
      const { op } = operation
      if (op >= range.to) break
      if (progress.hasEnd(op)) continue
      const lease = progress.lastLease(op, range)
      const isBack = progress.endOf(op) === 'back'
      const windowMs = Math.min(terms.windowMs, lease.window)
      // With another API key, the server may not find our idempotency keys.
      const isKeyKnown = terms.isScopedByAccount || lease.key === terms.keyMark
      const found = { windowMs, isKeyKnown, isSent: !isBack, isTaken: progress.isTaken(op) }
      const tasks = isBack ? unsent : sent
      tasks.push(taskUnder(plan, operation, lease, found))
    }
  }
  return { sent, unsent }
}

interface TaskTerms {
  readonly windowMs: number
  /** Whether the server finds the keys that were sent under the lease. */
  readonly isKeyKnown?: boolean
  /** Whether an earlier process may have sent it. */
  readonly isSent: boolean
  readonly isTaken?: boolean
}

/** With `since`, an earlier job of the run may have sent it before this lease. */
function taskUnder(
  { head: { upsert } }: JobFile,
  operation: PlanOperation,
  lease: Pick<HeldLease, 'time' | 'window' | 'gen'>,
  { windowMs, isKeyKnown = true, isSent, isTaken = false }: TaskTerms,
): Task {
  const { gen = 0, since, taken = false } = operation.head
  const leasedMs = Math.min(lease.time, since ?? lease.time)
  const isInDoubt = isSent || since !== undefined
  return {
    operation,
    gen: lease.gen ?? gen,
    leasedMs,
    expiresMs: isKeyKnown ? leasedMs + windowMs : Number.NEGATIVE_INFINITY,
    // It is unknown how long the earlier job was sending.
    windowEndMs: since === undefined ? lease.time + lease.window : Number.POSITIVE_INFINITY,
    tries: 0,
    // The server turns creates of this job into changes where a record exists.
    isUpsert: upsert !== undefined && operation.head.do === 'create',
    isInDoubt,
    isTaken: taken || isTaken,
    isResumed: isInDoubt,
    lastSentMs: undefined,
  }
}

/** Enough for a server that answers all rows, or adjacent ones, with one id; a job of millions of rows does not keep all ids. */
export const LEAST_IDS = 20_000

export type TaskGroup = readonly Task[]

/** Tasks that may be sent, and groups of them that must wait. */
export class TaskQueue {
  #ready: Task[] = []
  #later: { readonly group: TaskGroup; readonly atMs: number }[] = []

  get readyCount(): number {
    return this.#ready.length
  }

  get count(): number {
    return this.#later.reduce((sum, { group }) => sum + group.length, this.#ready.length)
  }

  push(tasks: readonly Task[]): void {
    for (const task of tasks) this.#ready.push(task)
  }

  /** Not before `atMs`, by the clock of `takeDue`. */
  delay(group: TaskGroup, atMs: number): void {
    const index = this.#later.findIndex((other) => other.atMs > atMs)
    this.#later.splice(index < 0 ? this.#later.length : index, 0, { group, atMs })
  }

  /** A group whose wait has ended: it is older than what is ready. */
  takeDue(nowMs: number): TaskGroup | undefined {
    const [first] = this.#later
    return first && first.atMs <= nowMs ? this.#later.shift()?.group : undefined
  }

  take(): Task | undefined {
    return this.#ready.shift()
  }

  /** At most so many of the tasks that are ready and fit; the others keep their order. */
  takeFitting(most: number, isFit: (task: Task) => boolean): Task[] {
    const fitting: Task[] = []
    this.#ready = this.#ready.filter((task) => {
      if (fitting.length >= most || !isFit(task)) return true
      fitting.push(task)
      return false
    })
    return fitting
  }

  /** When the first waiting group is due. */
  get nextMs(): number | undefined {
    return this.#later[0]?.atMs
  }

  /** Removes and returns all tasks: they were not sent, or must be sent again. */
  drain(): readonly Task[] {
    const rest = [...this.#ready, ...this.#later.flatMap(({ group }) => group)]
    this.#ready = []
    this.#later = []
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
