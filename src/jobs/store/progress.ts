import { type JobTotals, operationCount } from '../plan/plan-format.ts'
import type { JobFile } from './job-file.ts'

/** What happens to a job; docs/job-format.md describes each member. Times are of the server's clock. */
export type Entry =
  | OpenEntry
  | LeaseEntry
  | { readonly t: 'again'; readonly op: number; readonly gen: number; readonly time: number }
  /** Earlier versions wrote the time of each. */
  | { readonly t: 'done'; readonly time?: number; readonly r: readonly Result[] }
  | FailedEntry
  /** `taken`: the create was answered with a 2xx, so it is never sent again. */
  | { readonly t: 'doubt'; readonly op: number; readonly why: string; readonly taken?: true }
  /** Ranges of operations that were leased and not sent. */
  | { readonly t: 'back'; readonly ops: readonly (readonly [from: number, to: number])[] }
  | { readonly t: 'pause'; readonly time: number; readonly why: string }
  | (Record<'time' | 'done' | 'failed' | 'doubt' | 'unsent', number> & {
      readonly t: 'end'
      readonly state: 'finished' | 'cancelled'
    })
  /** When the last results came. */
  | { readonly t: 'last'; readonly time: number }

interface OpenEntry {
  readonly t: 'open'
  readonly time: number
  readonly wall: number
  readonly pid: number
  readonly version: string
  readonly key: string
  readonly window: number
  readonly life: number
}

export interface LeaseEntry {
  readonly t: 'lease'
  readonly from: number
  readonly to: number
  readonly time: number
}

export interface FailedEntry {
  readonly t: 'failed'
  readonly op: number
  readonly status: number | null
  readonly code: string
  readonly field: string | null
  readonly reason: string
  readonly request: string | null
}

/**
 * `o`: replayed from a request of another job; `u`: a create that changed an existing record; `m`: an upsert that was repeated, and
 * changed the record that it had made; `e`: a create whose response shows an existing record.
 */
export type ResultFlag = 'a' | 'g' | 'r' | 'o' | 'u' | 'm' | 'e'

/** `other` marks an answer with other values than were sent: by the text of the first such row of the job; 1 for all others. */
export type Result = readonly [
  op: number,
  status: number,
  id: string | null,
  flag?: ResultFlag | null,
  other?: string | 1,
]

/** How an operation ended, and its number in the file. `none`: no result is known. `back`: it was leased, and given back unsent. */
export const STATES = { none: 0, done: 1, failed: 2, doubt: 3, back: 4 } as const

export type OperationEnd = keyof typeof STATES

const NAMES = Object.keys(STATES) as readonly OperationEnd[]

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
 * The state of a job, as its file has it and with the entries since. It takes one byte per operation, so that ten million fit in memory.
 */
export class JobProgress {
  readonly counts = { done: 0, failed: 0, doubt: 0, back: 0 }
  /** The first operation that was never leased. */
  next = 0
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

  /** The state in the file of a job. CrmError `machine` if a row of it has changed, or one is missing. */
  static of(file: JobFile): JobProgress {
    const progress = new JobProgress(file.count)
    let places = 0
    for (const { place, text } of file.texts('SELECT place, text, digest FROM lease ORDER BY place')) {
      if (place !== ++places) throw file.damaged(`lease ${places} is missing`)
      progress.#hold(JSON.parse(text) as HeldLease)
    }
    for (const { text } of file.texts('SELECT place, text, digest FROM event ORDER BY place')) {
      progress.take(JSON.parse(text) as Entry)
    }
    for (const page of file.results()) {
      for (const [op, state, text] of page) progress.#takeResult(op, NAMES[state] ?? 'none', text)
      const [last = 0] = page.at(-1) ?? []
      if (last >= progress.next) throw file.damaged(`operation ${last} has a result, and no lease`)
    }
    return progress
  }

  take(entry: Entry): void {
    if ('time' in entry && entry.time !== undefined) this.#noteTime(entry.time)
    switch (entry.t) {
      case 'open':
        this.lastOpen = entry
        this.end = undefined
        this.pausedBy = undefined
        break
      case 'lease':
        this.#hold(this.leaseOf(entry))
        break
      case 'again':
        this.#hold(this.leaseOf(entry))
        // It was in doubt or had failed, and is sent again.
        this.#settle(entry.op, 'none')
        break
      case 'done':
        for (const [op, , , , other] of entry.r) {
          this.#settle(op, 'done')
          if (other !== undefined) this.#countOther(other)
        }
        break
      case 'doubt':
        if (entry.taken) this.#taken.add(entry.op)
        this.#settle(entry.op, 'doubt')
        break
      case 'failed':
        this.#settle(entry.op, 'failed')
        break
      case 'back':
        for (const [from, to] of entry.ops) for (let op = from; op < to; op++) this.#settle(op, 'back')
        break
      case 'pause':
        this.pausedBy = entry.why
        break
      case 'end':
        this.end = entry.state
    }
  }

  /** Reopens operations in doubt, in memory: in the journal they stay in doubt until there is a better result. */
  reopenDoubts(): number {
    const { doubt } = this.counts
    for (let op = 0, left = doubt; left > 0 && op < this.#ends.length; op++) {
      if (this.#ends[op] !== STATES.doubt) continue
      this.#settle(op, 'none')
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
      let op = lease.from
      while (op < lease.to && this.hasEnd(op)) op += 1
      if (op < lease.to) yield lease
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

  isInDoubt(op: number): boolean {
    return this.endOf(op) === 'doubt' || this.isUnanswered(op)
  }

  /** Whether the create was answered with a 2xx that does not show the record. */
  isTaken(op: number): boolean {
    return this.#taken.has(op)
  }

  get unanswered(): number {
    const { done, failed, doubt, back } = this.counts
    return this.next - done - failed - doubt - back
  }

  /** The lease that an operation was sent under last; `lease` is the one of its range. */
  lastLease(op: number, lease: HeldLease): HeldLease {
    return this.#again.get(op) ?? lease
  }

  /** The generation that an operation was sent under last; undefined: the first one, from the plan. */
  genOf(op: number): number | undefined {
    return this.#again.get(op)?.gen
  }

  leaseOf(entry: Extract<Entry, { readonly t: 'lease' | 'again' }>): HeldLease {
    const { key = '', window = 0, life = 0 } = this.lastOpen ?? {}
    const { time } = entry
    const [from, to, gen] =
      entry.t === 'lease' ? [entry.from, entry.to, undefined] : [entry.op, entry.op + 1, entry.gen]
    return { from, to, time, gen, key, window, life }
  }

  /** A later result replaces an earlier one: an operation in doubt may be settled. */
  #settle(op: number, end: OperationEnd): void {
    const before = this.endOf(op)
    if (before !== 'none') this.counts[before] -= 1
    if (end !== 'none') this.counts[end] += 1
    this.#ends[op] = STATES[end]
  }

  #countOther(other: string | 1): void {
    const { count, first } = this.otherRows
    this.otherRows = { count: count + 1, first: first ?? (other === 1 ? undefined : other) }
  }

  #takeResult(op: number, end: OperationEnd, text: string): void {
    this.#settle(op, end)
    if (end === 'doubt' && (JSON.parse(text) as { taken?: true }).taken) this.#taken.add(op)
    // Parsing a million of them would take a second.
    if (end === 'done' && text.includes('"other":')) this.#countOther((JSON.parse(text) as { other: string | 1 }).other)
  }

  #hold(lease: HeldLease): void {
    this.#noteTime(lease.time)
    if (lease.gen !== undefined) return void this.#again.set(lease.from, lease)
    this.#leases.push(lease)
    this.next = Math.max(this.next, lease.to)
  }

  #noteTime(time: number): void {
    this.firstMs = Math.min(this.firstMs ?? time, time)
    this.lastMs = Math.max(this.lastMs ?? time, time)
  }
}

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
export function rowTotals(end: JobTotals, progress: JobProgress): Account {
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
