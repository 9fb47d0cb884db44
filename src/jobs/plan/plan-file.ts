import { createHash, type Hash } from 'node:crypto'
import { closeSync, constants, fdatasyncSync, fstatSync, openSync, readSync, writeSync } from 'node:fs'
import { CrmError } from '../../core/errors.ts'
import { isJsonObject, type JsonObject } from '../../core/json.ts'
import { errorCode, toMachineError } from '../../files/machine-error.ts'
import type { NewOperation, OperationHead, PlanCounts, PlanEnd, PlanHead, PlanOperation } from './plan-format.ts'

const CHUNK_BYTES = 64 * 1024
/** A record of the input has at most 1 MiB, and JSON encodes a byte in up to six. */
const LONGEST_RECORD_BYTES = 8 * 1024 * 1024
/** A line has a record before and after its change. */
const LONGEST_LINE_BYTES = 2 * LONGEST_RECORD_BYTES
const BODY = Buffer.from(',"body":')
const LINE_END = 10

/** An operation, and the bytes of its line. */
interface PlanLine extends PlanOperation {
  readonly bytes: Buffer
}

/** A finished plan, read-only. */
export class PlanFile {
  readonly path: string
  readonly head: PlanHead
  readonly end: PlanEnd
  /** The bytes of the first line and of the last one. */
  readonly ends: { readonly head: Buffer; readonly end: Buffer }
  readonly #file: number
  /** The offset of the last line. */
  #endOffset: number

  /** CrmError `invalid_input` for an incomplete or invalid plan, `machine` for an unreadable file. */
  constructor(path: string) {
    this.path = path
    try {
      // Without O_NONBLOCK, which Windows has not, open waits for a writer of a named pipe.
      this.#file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
    } catch (error) {
      // The error of open for a socket.
      throw errorCode(error) === 'ENXIO' ? notAFile(path) : toMachineError(error, path)
    }
    try {
      const stats = fstatSync(this.#file)
      if (!stats.isFile()) throw notAFile(path)
      this.#endOffset = stats.size
      const { value: first } = this.#lines().next()
      if (!first) throw damaged(path, 'there is no whole line at byte 0')
      this.head = parseHead(first.line, path)
      const { line, offset } = this.#lastLine(stats.size)
      this.end = parseEnd(line, path)
      this.#endOffset = offset
      this.ends = { head: first.line, end: line }
    } catch (error) {
      closeSync(this.#file)
      throw toMachineError(error, path)
    }
  }

  close(): void {
    closeSync(this.#file)
  }

  /** CrmError `invalid_input` if a byte has changed since the plan was made. */
  verify(): void {
    const hash = createHash('sha256')
    for (const { lines } of this.#parts()) hash.update(lines)
    if (hash.digest('hex') !== this.end.sha256) {
      throw damaged(this.path, 'it has changed since it was made: its checksum differs')
    }
  }

  *all(): Generator<PlanLine, void, undefined> {
    for (const { line, at } of this.#lines()) {
      if (at > 0) yield { ...parseOperation(line, at, this.path), bytes: line }
    }
  }

  *#lines(): Generator<{ readonly line: Buffer; readonly at: number }, void, undefined> {
    for (const { lines, at } of this.#parts()) {
      for (let start = 0; start < lines.length; ) {
        const end = lines.indexOf(LINE_END, start)
        yield { line: lines.subarray(start, end), at: at + start }
        start = end + 1
      }
    }
  }

  /** Whole lines before the end, and the offset of the first. */
  *#parts(): Generator<{ readonly lines: Buffer; readonly at: number }, void, undefined> {
    let rest: Buffer = Buffer.alloc(0)
    for (let at = 0; at < this.#endOffset; ) {
      // A new buffer each time: bodies are views into it, and are used until they are sent.
      // Doubled for a long line, which is copied with each chunk.
      const more = Math.min(Math.max(CHUNK_BYTES, rest.length), LONGEST_LINE_BYTES + 1 - rest.length)
      const chunk = Buffer.allocUnsafeSlow(rest.length + Math.min(more, this.#endOffset - at))
      rest.copy(chunk)
      const length = readSync(this.#file, chunk, rest.length, chunk.length - rest.length, at)
      if (length === 0) throw damaged(this.path, 'it ends too soon')
      const whole = chunk.subarray(0, rest.length + length)
      const last = whole.lastIndexOf(LINE_END)
      // An operation longer than a chunk is not complete yet.
      if (last >= 0) yield { lines: whole.subarray(0, last + 1), at: at - rest.length }
      at += length
      rest = whole.subarray(last + 1)
      if (rest.length > LONGEST_LINE_BYTES) throw damaged(this.path, `the line at byte ${at - rest.length} is too long`)
    }
  }

  #lastLine(size: number): { line: Buffer; offset: number } {
    const length = Math.min(4096, size)
    const chunk = Buffer.allocUnsafe(length)
    readSync(this.#file, chunk, 0, length, size - length)
    const start = chunk.lastIndexOf(LINE_END, length - 2) + 1
    if (chunk[length - 1] !== LINE_END || start === 0) throw damaged(this.path, 'it has no end')
    return { line: chunk.subarray(start, length - 1), offset: size - length + start }
  }
}

/** The body stays bytes: it is sent unchanged, and parsing it would cost more than everything else. */
function parseOperation(line: Buffer, offset: number, path: string): PlanOperation {
  // Quotes inside JSON texts are escaped, so this occurs only before the last member.
  const at = line.indexOf(BODY)
  const text = at < 0 ? line.toString('utf8') : `${line.toString('utf8', 0, at)}}`
  const { op, ...head } = parseLine(text, path) as unknown as { op: number } & OperationHead
  if (!Number.isInteger(op)) throw damaged(path, `the line at byte ${offset} is not an operation`)
  return { op, head, body: at < 0 ? null : line.subarray(at + BODY.length, -1) }
}

function parseHead(line: Buffer, path: string): PlanHead {
  const head = parseLine(line.toString('utf8'), path) as unknown as PlanHead
  if (head.crm_plan === 1) return head
  throw damaged(path, 'its first line is not the head of a plan of this version')
}

function parseEnd(line: Buffer, path: string): PlanEnd {
  const end = parseLine(line.toString('utf8'), path) as unknown as PlanEnd
  if (end.end === true) return end
  throw damaged(path, 'it has no end: the command that made it was interrupted')
}

function parseLine(text: string, path: string): JsonObject {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    throw damaged(path, 'it holds a line that is not JSON', cause)
  }
  if (isJsonObject(value)) return value
  throw damaged(path, 'it holds a line that is not a JSON object')
}

function notAFile(path: string): CrmError {
  return damaged(path, 'it is not a regular file')
}

function damaged(path: string, reason: string, cause?: unknown): CrmError {
  return new CrmError('invalid_input', `${path} is not a usable plan: ${reason}`, {
    hint: 'make a new one: run its command with --plan again',
    cause,
  })
}

const PLAN_CHUNK_CHARS = 64 * 1024
/** UTF-8 takes at most three bytes per unit of UTF-16. */
const BYTES_PER_CHAR = 3

/** Writes a plan from its head to its end; without the end it is invalid. */
export class PlanWriter {
  readonly #path: string
  readonly #file: number
  readonly #hash: Hash = createHash('sha256')
  #text: string
  #count = 0
  /** Reused: new buffers would not be collected in time. */
  #chunk = Buffer.allocUnsafeSlow(2 * PLAN_CHUNK_CHARS)
  #isClosed = false

  /** CrmError `machine` if the file exists or cannot be created. */
  constructor(path: string, head: PlanHead) {
    this.#path = path
    try {
      this.#file = openSync(path, 'wx', 0o600)
    } catch (error) {
      throw toMachineError(error, path)
    }
    this.#text = `${JSON.stringify(head)}\n`
  }

  /** The number of operations so far. */
  get count(): number {
    return this.#count
  }

  add({ head, body }: NewOperation): void {
    const text = JSON.stringify(head)
    const tail = body === undefined ? '}' : `,"body":${body}}`
    this.#text += `{"op":${this.#count++},${text.slice(1, -1)}${tail}\n`
    if (this.#text.length > PLAN_CHUNK_CHARS) this.#flush()
  }

  /** Synced when it returns. */
  end(counts: PlanCounts): PlanEnd {
    this.#flush()
    const end: PlanEnd = { end: true, ...counts, sha256: this.#hash.digest('hex') }
    this.#write(`${JSON.stringify(end)}\n`)
    try {
      fdatasyncSync(this.#file)
    } catch (error) {
      throw toMachineError(error, this.#path)
    }
    this.close()
    return end
  }

  /** May be called more than once. */
  close(): void {
    if (!this.#isClosed) closeSync(this.#file)
    this.#isClosed = true
  }

  #flush(): void {
    const most = this.#text.length * BYTES_PER_CHAR
    if (this.#chunk.length < most) this.#chunk = Buffer.allocUnsafeSlow(most)
    const bytes = this.#chunk.subarray(0, this.#chunk.write(this.#text))
    this.#text = ''
    this.#hash.update(bytes)
    this.#write(bytes)
  }

  #write(data: string | Buffer): void {
    const bytes = typeof data === 'string' ? Buffer.from(data) : data
    try {
      for (let at = 0; at < bytes.length; ) at += writeSync(this.#file, bytes, at)
    } catch (error) {
      throw toMachineError(error, this.#path)
    }
  }
}
