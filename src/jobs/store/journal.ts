import { digestOfRow, type JobFile } from './job-file.ts'
import { type Entry, type JobProgress, type LeaseEntry, type OperationEnd, type Result, STATES } from './progress.ts'

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

  /** `progress` is the state of the job; entries are added to it, too. `now` is the server's clock. */
  constructor(file: JobFile, progress: JobProgress, now: () => number) {
    this.#file = file
    this.#progress = progress
    this.#now = now
    // Commits are not synced, checkpoints are (sqlite.org/pragma.html#pragma_synchronous).
    file.execute('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL')
  }

  /** Committed after 64 entries or by `flush`; call that before a long wait. */
  append(entry: Entry): void {
    this.#write(entry)
    this.#progress.take(entry)
  }

  /** As append. */
  addResult(result: Result): void {
    this.append({ t: 'done', r: [result] })
  }

  /** The operations may be sent when it returns: the lease is on the disk. */
  lease(entry: LeaseEntry): void {
    this.#write(entry)
    this.sync()
    this.#progress.take(entry)
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

  #write(entry: Entry): void {
    this.#requireUsable()
    this.#attempt(() => {
      if (this.#waiting === 0) this.#file.execute('BEGIN IMMEDIATE')
      this.#waiting += 1
      this.#add(entry)
    })
    if (this.#waiting >= MOST_RESULTS) this.flush()
  }

  #commit(): void {
    this.#event({ t: 'last', time: this.#now() }, LAST_RESULTS)
    this.#file.execute('COMMIT')
    this.#waiting = 0
  }

  #add(entry: Entry): void {
    switch (entry.t) {
      case 'lease':
        this.#lease(entry)
        break
      case 'again':
        this.#lease(entry)
        this.#put(entry.op, 'none', {})
        break
      case 'done':
        for (const [op, status, id, flag, other] of entry.r)
          this.#put(op, 'done', { status, id, ...(flag && { flag }), ...(other !== undefined && { other }) })
        break
      case 'failed': {
        const { t, op, ...failure } = entry
        this.#put(op, 'failed', failure)
        break
      }
      case 'doubt': {
        const { op, why, taken = this.#progress.isTaken(op) } = entry
        this.#put(op, 'doubt', { why, ...(taken && { taken }) })
        break
      }
      case 'back':
        for (const [from, to] of entry.ops) for (let op = from; op < to; op++) this.#put(op, 'back', {})
        break
      default:
        this.#event(entry)
    }
  }

  #put(op: number, state: OperationEnd, value: object): void {
    const [number, text] = [STATES[state], JSON.stringify(value)]
    const digest = digestOfRow(`${op} ${number}`, text)
    this.#file.write('INSERT OR REPLACE INTO result VALUES (?, ?, ?, ?)', op, number, text, digest)
  }

  #lease(entry: Parameters<JobProgress['leaseOf']>[0]): void {
    const [text, place] = [JSON.stringify(this.#progress.leaseOf(entry)), this.#next('lease')]
    this.#file.write('INSERT INTO lease VALUES (?, ?, ?)', place, text, digestOfRow(place, text))
  }

  #event(entry: Entry, place = this.#next('event')): void {
    const text = JSON.stringify(entry)
    this.#file.write('INSERT OR REPLACE INTO event VALUES (?, ?, ?)', place, text, digestOfRow(place, text))
  }

  #next(table: 'lease' | 'event'): number {
    const [[last] = []] = this.#file.rows(`SELECT coalesce(max(place), 0) FROM ${table}`)
    return Number(last) + 1
  }

  #requireUsable(): void {
    if (this.#failure !== undefined) throw this.#failure
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
