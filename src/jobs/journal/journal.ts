import { Buffer } from 'node:buffer'
import { closeSync, fdatasync, fdatasyncSync, fstatSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { promisify } from 'node:util'
import { crc32 } from 'node:zlib'
import { CrmError } from '../../core/errors.ts'
import { errorCode, toMachineError } from '../../files/machine-error.ts'
import type { Entry, Result } from './entry.ts'

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

  /** Writes the results that are waiting, unless a write has failed. */
  close(): void {
    try {
      if (this.#failure === undefined) this.flush()
    } finally {
      closeSync(this.#file)
    }
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

interface JournalEnd {
  /** The length of the intact part; the rest is truncated. */
  readonly wholeBytes: number
  /** The number of intact lines, and so the serial of the next one. */
  readonly serial: number
  /** Whether anything follows the intact part. */
  readonly isTorn: boolean
}

/**
 * Passes every intact entry to `take`, in order. A tail torn by a crash or a power cut ends the journal: nothing in it had
 * been synced. CrmError `machine` if a line is damaged that a later line records as synced.
 */
export function readJournal(path: string, take: (entry: Entry) => void): JournalEnd {
  let wholeBytes = 0
  let serial = 0
  let isTorn = false
  for (const { line, hasEnd } of linesOf(path)) {
    const decoded = decodeLine(line)
    if (!isTorn && hasEnd && decoded?.serial === serial) {
      take(decoded.entry)
      serial += 1
      wholeBytes += line.length + 1
    } else {
      isTorn = true
      if (decoded && decoded.synced > serial) throw damaged(path, wholeBytes)
    }
  }
  return { wholeBytes, serial, isTorn }
}

function damaged(path: string, at: number): CrmError {
  return new CrmError('machine', `${path} is damaged at byte ${at}: data that had been synced to the disk is missing`, {
    hint: `check the disk, and restore its folder from a backup; or set it aside: crm jobs cancel ${basename(dirname(path))} --damaged`,
  })
}

const LEAST_CHUNK_BYTES = 64 * 1024
const MOST_CHUNK_BYTES = 1024 * 1024
const LINE_END = 10

interface JournalLine {
  /** Without its line end; valid until the next line is requested. */
  readonly line: Buffer
  /** False for a truncated last line. */
  readonly hasEnd: boolean
}

/** The lines of a file; none if it does not exist. */
function* linesOf(path: string): Generator<JournalLine, void, undefined> {
  const file = openIfExists(path)
  if (file === undefined) return
  try {
    const { size } = fstatSync(file)
    let chunk = Buffer.allocUnsafe(Math.min(Math.max(size, LEAST_CHUNK_BYTES), MOST_CHUNK_BYTES))
    let filled = 0
    for (;;) {
      const length = readSync(file, chunk, filled, chunk.length - filled, null)
      if (length === 0) break
      filled += length
      const whole = chunk.subarray(0, filled)
      let start = 0
      for (let end = whole.indexOf(LINE_END); end >= 0; end = whole.indexOf(LINE_END, start)) {
        yield { line: whole.subarray(start, end), hasEnd: true }
        start = end + 1
      }
      const rest = whole.subarray(start)
      if (rest.length === chunk.length) chunk = Buffer.concat([rest, Buffer.allocUnsafe(chunk.length)])
      else rest.copy(chunk)
      filled = rest.length
    }
    if (filled > 0) yield { line: chunk.subarray(0, filled), hasEnd: false }
  } finally {
    closeSync(file)
  }
}

function openIfExists(path: string): number | undefined {
  try {
    return openSync(path, 'r')
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined
    throw toMachineError(error, path)
  }
}

/** Eight hex digits and a space. */
const PREFIX_BYTES = 9
const SPACE = 32

interface LinePlace {
  /** Lines before it. */
  readonly serial: number
  /** Lines that were synced when it was written. */
  readonly synced: number
}

export function encodeLine(entry: Entry, { serial, synced }: LinePlace): string {
  const json = `{"s":${serial},"y":${synced},${JSON.stringify(entry).slice(1)}`
  return `${crc32(json).toString(16).padStart(8, '0')} ${json}\n`
}

/** The entry of a line without its line end; undefined if the line is damaged. */
function decodeLine(line: Buffer): (LinePlace & { readonly entry: Entry }) | undefined {
  if (line.length <= PREFIX_BYTES || line[PREFIX_BYTES - 1] !== SPACE) return undefined
  const json = line.subarray(PREFIX_BYTES)
  const crc = line.toString('latin1', 0, PREFIX_BYTES - 1)
  if (!/^[0-9a-f]{8}$/.test(crc) || Number.parseInt(crc, 16) !== crc32(json)) return undefined
  const { s: serial, y: synced, ...entry } = JSON.parse(json.toString('utf8')) as { s: number; y: number } & Entry
  return { serial, synced, entry: entry as Entry }
}
