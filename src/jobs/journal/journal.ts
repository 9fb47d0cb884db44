import { Buffer } from 'node:buffer'
import { closeSync, fdatasync, fdatasyncSync, ftruncateSync, openSync, writeSync } from 'node:fs'
import { promisify } from 'node:util'
import { toMachineError } from '../../files/machine-error.ts'
import type { Entry, Result } from './entry.ts'
import { encodeLine, type JournalEnd } from './read-journal.ts'

const syncData = promisify(fdatasync)

/** The number of results in one line: a line with many of them costs as much as a line with one. */
const MOST_RESULTS = 64

/**
 * Appends to a journal. A failed write is CrmError `machine`, and so is every later one: a line after a torn one would be
 * lost with it.
 */
export class Journal {
  readonly #path: string
  readonly #file: number
  readonly #now: () => number
  #serial: number
  #synced = 0
  #results: Result[] = []
  #failure: unknown

  /** `end` is the result of readJournal: everything after the intact part is truncated. `now` is the server's clock. */
  constructor(path: string, end: JournalEnd, now: () => number) {
    this.#path = path
    this.#serial = end.serial
    this.#now = now
    try {
      this.#file = openSync(path, 'a', 0o600)
      if (end.isTorn) this.#cut(end.wholeBytes)
    } catch (error) {
      throw toMachineError(error, path)
    }
  }

  /** Written when 64 results are waiting, with the next line, or by `flush`: the caller flushes before a long wait. */
  addResult(result: Result): void {
    this.#results.push(result)
    if (this.#results.length >= MOST_RESULTS) this.flush()
  }

  append(entry: Entry): void {
    this.flush()
    this.#write(entry)
  }

  flush(): void {
    if (this.#results.length === 0) return
    const r = this.#results
    this.#results = []
    this.#write({ t: 'done', time: this.#now(), r })
  }

  /** Resolves when all entries so far are on disk. */
  async sync(): Promise<void> {
    this.flush()
    const serial = this.#serial
    try {
      await syncData(this.#file)
      this.#synced = Math.max(this.#synced, serial)
    } catch (error) {
      this.#failure = toMachineError(error, this.#path)
      throw this.#failure
    }
  }

  close(): void {
    closeSync(this.#file)
  }

  /** Synced: after a crash, remains of the tail could otherwise follow the next line. */
  #cut(wholeBytes: number): void {
    ftruncateSync(this.#file, wholeBytes)
    fdatasyncSync(this.#file)
  }

  #write(entry: Entry): void {
    if (this.#failure !== undefined) throw this.#failure
    const bytes = Buffer.from(encodeLine(entry, { serial: this.#serial, synced: this.#synced }))
    try {
      for (let at = 0; at < bytes.length; ) at += writeSync(this.#file, bytes, at)
      this.#serial += 1
    } catch (error) {
      this.#failure = toMachineError(error, this.#path)
      throw this.#failure
    }
  }
}
