import { operationCount, type PlanEnd } from '../plan/plan-format.ts'
import type { AgainEntry, Entry, LeaseEntry, OpenEntry, OtherMark } from './entry.ts'
import { readJournal } from './journal.ts'

/** How an operation ended. `none`: no result is known. `back`: it was leased, and given back unsent. */
const ENDS = { none: 0, done: 1, failed: 2, doubt: 3, back: 4 } as const

export type OperationEnd = keyof typeof ENDS

/** A lease, and the terms under which it was taken. */
export interface HeldLease extends Omit<LeaseEntry, 't'> {
  /** Undefined: the first generation, from the plan. */
  readonly gen: number | undefined
  /** The mark of the API key that it was sent with. */
  readonly key: string
  readonly window: number
  readonly life: number
}

/** The rows for which the response shows other values than were sent. */
export interface OtherRows {
  readonly count: number
  /** Of the first one: its line or id, the member, and both values. */
  readonly first: string | undefined
}

/**
 * The state of a job after the entries of its journal. It takes one byte per operation, so that ten million fit in memory.
 */
export class JobProgress {
  readonly counts = { done: 0, failed: 0, doubt: 0, back: 0 }
  /** The first operation that was never leased. */
  next = 0
  /** A byte of the plan at or before its line; undefined: the first operation. */
  nextOffset: number | undefined
  /** How the last run of the job ended; undefined if it was stopped. */
  end: 'finished' | 'cancelled' | undefined
  lastOpen: OpenEntry | undefined
  /** The times of the first entry and the last, by the server's clock. */
  firstMs: number | undefined
  lastMs: number | undefined
  /** The reason of the last pause, if nothing was sent after it. */
  pausedBy: string | undefined
  otherRows: OtherRows = { count: 0, first: undefined }
  readonly #ends: Uint8Array
  readonly #leases: HeldLease[] = []
  readonly #again = new Map<number, HeldLease>()
  readonly #taken = new Set<number>()

  constructor(operations: number) {
    this.#ends = new Uint8Array(operations)
  }

  take(entry: Entry): void {
    if ('time' in entry) {
      this.firstMs ??= entry.time
      this.lastMs = entry.time
    }
    switch (entry.t) {
      case 'open':
        this.lastOpen = entry
        this.end = undefined
        this.pausedBy = undefined
        break
      case 'lease':
        this.#lease(entry)
        break
      case 'again':
        this.#leaseAgain(entry)
        break
      case 'done':
        for (const [op, , , , other] of entry.r) {
          this.settle(op, 'done')
          if (other !== undefined) this.countOther(other)
        }
        break
      case 'doubt':
        if (entry.taken) this.#taken.add(entry.op)
        this.settle(entry.op, 'doubt')
        break
      case 'failed':
        this.settle(entry.op, 'failed')
        break
      case 'back':
        for (const [from, to] of entry.ops) for (let op = from; op < to; op++) this.settle(op, 'back')
        break
      case 'pause':
        this.pausedBy = entry.why
        break
      case 'end':
        this.end = entry.state
    }
  }

  /** A later result replaces an earlier one: an operation in doubt may be settled. */
  settle(op: number, end: OperationEnd): void {
    const before = this.endOf(op)
    if (before !== 'none') this.counts[before] -= 1
    if (end !== 'none') this.counts[end] += 1
    this.#ends[op] = ENDS[end]
  }

  countOther(other: OtherMark): void {
    const { count, first } = this.otherRows
    this.otherRows = { count: count + 1, first: first ?? (other === 1 ? undefined : other) }
  }

  /** Reopens operations in doubt, in memory: in the journal they stay in doubt until there is a better result. */
  reopenDoubts(): number {
    const { doubt } = this.counts
    for (let op = 0, left = doubt; left > 0 && op < this.#ends.length; op++) {
      if (this.#ends[op] !== ENDS.doubt) continue
      this.settle(op, 'none')
      left -= 1
    }
    return doubt
  }

  endOf(op: number): OperationEnd {
    return NAMES[this.#ends[op] ?? 0] ?? 'none'
  }

  /** The leases with operations that have no end, in the order of the plan. */
  *openLeases(): Generator<HeldLease, void, undefined> {
    for (const lease of this.#leases) {
      for (let op = lease.from; op < lease.to; op++) {
        if (!this.hasEnd(op)) {
          yield lease
          break
        }
      }
    }
  }

  /** Whether nothing more is to be sent for it. */
  hasEnd(op: number): boolean {
    const end = this.endOf(op)
    return end !== 'none' && end !== 'back'
  }

  /** Whether it was leased, not given back, and has no result: it is unknown whether it was sent. */
  isUnanswered(op: number): boolean {
    return op < this.next && this.endOf(op) === 'none'
  }

  /** Whether the create was answered with a 2xx that does not show the record. */
  isTaken(op: number): boolean {
    return this.#taken.has(op)
  }

  /** The number of unanswered operations. */
  get unanswered(): number {
    const { done, failed, doubt, back } = this.counts
    return this.next - done - failed - doubt - back
  }

  /** The lease that an operation was sent under last; `lease` is the one of its range. */
  lastLease(op: number, lease: HeldLease): HeldLease {
    return this.#again.get(op) ?? lease
  }

  #lease({ from, to, at, time }: LeaseEntry): void {
    this.#leases.push(this.#held({ from, to, at, time }, undefined))
    this.next = Math.max(this.next, to)
    this.nextOffset = at
  }

  #leaseAgain({ op, at, gen, time }: AgainEntry): void {
    this.#again.set(op, this.#held({ from: op, to: op + 1, at, time }, gen))
    // It was in doubt or had failed, and is sent again.
    this.settle(op, 'none')
  }

  #held(lease: Omit<LeaseEntry, 't'>, gen: number | undefined): HeldLease {
    const { key = '', window = 0, life = 0 } = this.lastOpen ?? {}
    return { ...lease, gen, key, window, life }
  }
}

const NAMES = Object.keys(ENDS) as readonly OperationEnd[]

/** After all entries of a journal. */
export function readProgress(journal: string, operations: number): JobProgress {
  const progress = new JobProgress(operations)
  readJournal(journal, (entry) => progress.take(entry))
  return progress
}

/** The number of rows by outcome. */
export interface Account {
  readonly rows: number
  readonly done: number
  readonly unchanged: number
  readonly skipped: number
  readonly failed: number
  /** Sent, and it is unknown whether the server applied it; or sent by a process that has ended, until the job is resumed. */
  readonly in_doubt: number
  readonly unsent: number
}

/** Throws when the rows do not add up, which is a bug: a row would have been lost, or counted twice. */
export function rowTotals(end: PlanEnd, progress: JobProgress): Account {
  const { done, failed, doubt, back } = progress.counts
  const account: Account = {
    rows: end.rows,
    done,
    unchanged: end.unchanged,
    skipped: end.skipped,
    failed,
    in_doubt: doubt + progress.unanswered,
    unsent: operationCount(end) - progress.next + back,
  }
  const { rows, ...parts } = account
  const sum = Object.values(parts).reduce((total, part) => total + part, 0)
  if (sum !== rows) throw new Error(`the account does not add up: ${JSON.stringify(account)} come to ${sum}`)
  return account
}
