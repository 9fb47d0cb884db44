import type { PlanOperation } from '../plan/plan-format.ts'

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
