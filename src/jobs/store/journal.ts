import type { Entry, FailedEntry, Result } from './entry.ts'
import { digestOfRow, type JobFile } from './job-file.ts'
import { type HeldLease, type JobProgress, type OperationEnd, STATES } from './progress.ts'

/** The number of entries after which they are committed. */
const MOST_RESULTS = 64

/** The key of the event with the time of the last commit. */
const LAST_RESULTS = 0

/**
 * Records in the database of a job what happens to its operations. Entries survive a kill of the process after `flush`, and a power
 * cut after `sync`. A failed write is CrmError `machine`; after it, every write fails.
 */
export class Journal {
  readonly #file: JobFile
  readonly #progress: JobProgress
  readonly #now: () => number
  #waiting = 0
  #failure: unknown

  /** `progress` is the state of the job, which the caller updates. `now` is the server's clock. */
  constructor(file: JobFile, progress: JobProgress, now: () => number) {
    this.#file = file
    this.#progress = progress
    this.#now = now
    // Commits are not synced, checkpoints are (sqlite.org/pragma.html#pragma_synchronous).
    file.execute('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL')
  }

  /** Committed after 64 entries or by `flush`; call that before a long wait. */
  addResult([op, ...rest]: Result): void {
    this.#write(() => this.#put(op, 'done', doneText(rest)))
  }

  /** As addResult. */
  append(entry: Entry): void {
    this.#write(() => this.#add(entry))
  }

  flush(): void {
    this.#requireUsable()
    if (this.#waiting === 0) return
    this.#attempt(() => this.#commit())
  }

  /** Also syncs all entries to disk, and moves them from the -wal file to the database, which is then enough for a resume. */
  sync(): void {
    this.flush()
    this.#attempt(() => this.#file.checkpoint())
  }

  /** Syncs pending entries, unless a write has failed. */
  close(): void {
    if (this.#failure !== undefined) return
    this.sync()
    this.#file.leaveWal()
  }

  #commit(): void {
    this.#event(JSON.stringify({ t: 'last', time: this.#now() }), LAST_RESULTS)
    this.#file.execute('COMMIT')
    this.#waiting = 0
  }

  #add(entry: Entry): void {
    switch (entry.t) {
      case 'lease':
        this.#lease(this.#progress.leaseOf(entry, undefined))
        break
      case 'again':
        this.#lease(this.#progress.leaseOf({ from: entry.op, to: entry.op + 1, time: entry.time }, entry.gen))
        this.#put(entry.op, 'none', '{}')
        break
      case 'done':
        for (const [op, ...rest] of entry.r) this.#put(op, 'done', doneText(rest))
        break
      case 'failed': {
        const { t, op, ...failure }: FailedEntry = entry
        this.#put(op, 'failed', JSON.stringify(failure))
        break
      }
      case 'doubt': {
        const isTaken = entry.taken === true || this.#progress.isTaken(entry.op)
        this.#put(entry.op, 'doubt', JSON.stringify({ why: entry.why, ...(isTaken && { taken: true }) }))
        break
      }
      case 'back':
        for (const [from, to] of entry.ops) for (let op = from; op < to; op++) this.#put(op, 'back', '{}')
        break
      default:
        this.#event(JSON.stringify(entry))
    }
  }

  #put(op: number, state: OperationEnd, text: string): void {
    const number = STATES[state]
    const digest = digestOfRow(`${op} ${number}`, text)
    this.#file.write('INSERT OR REPLACE INTO result VALUES (?, ?, ?, ?)', op, number, text, digest)
  }

  #lease(lease: HeldLease): void {
    const [text, place] = [JSON.stringify(lease), this.#next('lease')]
    this.#file.write('INSERT INTO lease VALUES (?, ?, ?)', place, text, digestOfRow(place, text))
  }

  #event(text: string, place = this.#next('event')): void {
    this.#file.write('INSERT OR REPLACE INTO event VALUES (?, ?, ?)', place, text, digestOfRow(place, text))
  }

  #next(table: 'lease' | 'event'): number {
    const [[last] = []] = this.#file.rows(`SELECT coalesce(max(place), 0) FROM ${table}`)
    return Number(last) + 1
  }

  #requireUsable(): void {
    if (this.#failure !== undefined) throw this.#failure
  }

  #write(work: () => void): void {
    this.#requireUsable()
    this.#attempt(() => {
      if (this.#waiting === 0) this.#file.execute('BEGIN IMMEDIATE')
      this.#waiting += 1
      work()
    })
    if (this.#waiting >= MOST_RESULTS) this.flush()
  }

  #attempt(work: () => void): void {
    try {
      work()
    } catch (error) {
      this.#failure = error
      throw error
    }
  }
}

function doneText([status, id, flag, other]: DropFirst<Result>): string {
  return JSON.stringify({ status, id, ...(flag && { flag }), ...(other !== undefined && { other }) })
}

type DropFirst<Values extends readonly unknown[]> = Values extends readonly [unknown, ...infer Rest] ? Rest : never
