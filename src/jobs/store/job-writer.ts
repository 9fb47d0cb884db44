import { Buffer } from 'node:buffer'
import { closeSync, existsSync, openSync, readSync } from 'node:fs'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { toMachineError } from '../../files/machine-error.ts'
import type { InputBytes, RowPlace } from '../input/row.ts'
import type { JobTotals, NewOperation, OperationHead, PlanCounts, PlanHead, PlanInput } from '../plan/plan-format.ts'
import { digestOfRow, JOB_SCHEMA, TABLES } from './job-file.ts'
import { isSqliteError, storeError } from './sqlite-errors.ts'

const SQL = {
  head: 'INSERT INTO head VALUES (?, ?, ?)',
  operation: 'INSERT INTO operation VALUES (?, ?, ?, ?, ?)',
  before: 'INSERT INTO before VALUES (?, ?, ?)',
  input: 'INSERT INTO input VALUES (?, ?, ?, ?, ?)',
  leftOut: 'INSERT INTO left_out (text, digest) VALUES (?, ?)',
} as const

/** Writes the database of a job during planning. It is not a job until `end`. */
export class JobWriter {
  readonly #path: string
  readonly #database: DatabaseSync
  readonly #statements: Readonly<Record<keyof typeof SQL, StatementSync>>
  #count = 0
  #left = 0
  #isClosed: boolean

  /** Writes to `database` if given, which stays open; else creates the file. CrmError `machine` if that fails. */
  constructor(path: string, head: PlanHead, database?: DatabaseSync) {
    this.#path = path
    this.#isClosed = database !== undefined
    this.#database = database ?? createDatabase(path)
    // Only the last transaction is synced, which syncs the whole file.
    this.#database.exec(
      `PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE; BEGIN; ${TABLES}`,
    )
    const prepared = Object.entries(SQL).map(([name, sql]) => [name, this.#database.prepare(sql)])
    this.#statements = Object.fromEntries(prepared)
    this.#put('plan', head)
  }

  get count(): number {
    return this.#count
  }

  /** `before`: the record before the operation, as JSON. `input`: its input rows, its own last. */
  add({ head, body }: NewOperation, before?: string, input: readonly InputBytes[] = []): void {
    const op = this.#count++
    const [text, bytes] = [JSON.stringify(head), body === undefined ? null : Buffer.from(body)]
    const own = input.at(-1)?.bytes ?? null
    this.#run('operation', op, text, bytes, own, digestOfRow(op, text, bytes, own))
    if (before !== undefined) this.#run('before', op, before, digestOfRow(op, before))
    if (input.length > 1) this.addInput(op, input.slice(0, -1))
  }

  /** The input rows that were merged into an operation; the header row for HEADER_ROW. */
  addInput(op: number, rows: readonly InputBytes[]): void {
    for (const [nth, { line, bytes }] of rows.entries())
      this.#run('input', op, nth, line, bytes, digestOfRow(`${op} ${nth} ${line}`, '', bytes))
  }

  /** A row or member that the plan leaves out, as JSON. */
  leaveOut(text: string): void {
    this.#run('leftOut', text, digestOfRow(++this.#left, text))
  }

  /** Synced to disk when it returns. Closes the file. */
  end(counts: PlanCounts & Pick<JobTotals, 'sha256'>): JobTotals {
    const end: JobTotals = { end: true, ...counts }
    this.#guard(() => this.#database.exec('COMMIT; PRAGMA synchronous = FULL'))
    const schema = this.#database.prepare(JOB_SCHEMA)
    schema.setReturnArrays(true)
    this.#put('schema', (schema.get() as unknown as readonly unknown[])[0])
    this.#put('end', end)
    this.close()
    return end
  }

  close(): void {
    if (!this.#isClosed) this.#database.close()
    this.#isClosed = true
  }

  #put(name: string, value: unknown): void {
    const text = JSON.stringify(value)
    this.#run('head', name, text, digestOfRow(name, text))
  }

  #run(name: keyof typeof SQL, ...values: (string | number | Uint8Array | null)[]): void {
    this.#guard(() => this.#statements[name].run(...values))
  }

  #guard(work: () => unknown): void {
    try {
      work()
    } catch (error) {
      throw isSqliteError(error) ? (storeError(error, this.#path) ?? error) : error
    }
  }
}

function createDatabase(path: string): DatabaseSync {
  try {
    closeSync(openSync(path, 'wx', 0o600))
    return new DatabaseSync(path)
  } catch (error) {
    throw toMachineError(error, path)
  }
}

const WINDOW_BYTES = 256 * 1024

/** Reads raw rows from the copy of an input; fastest in their order. */
export class InputCopy {
  #file: number | undefined
  #window: Buffer = Buffer.alloc(0)
  #windowAt = 0

  /** The file may not exist: a plan from another machine has no input. */
  constructor(path: string) {
    this.#file = existsSync(path) ? openSync(path, 'r') : undefined
  }

  /** The rows of an operation, its own last; empty without an input. The bytes are valid until the next call. */
  rowsOf({ line = 0, at, also = [] }: Pick<OperationHead, 'line' | 'at' | 'also'>): readonly InputBytes[] {
    if (!at) return []
    return also.length === 0
      ? this.#read([line, ...at])
      : [...also, [line, ...at] as const].flatMap((place) => this.#copy(place))
  }

  header(input: Pick<PlanInput, 'verdict'> | undefined): readonly InputBytes[] {
    const head = input?.verdict.head
    return head ? this.#copy([1, head.offset, head.length]) : []
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file)
    this.#file = undefined
  }

  #copy(place: RowPlace): readonly InputBytes[] {
    return this.#read(place).map(({ line, bytes }) => ({ line, bytes: Buffer.from(bytes) }))
  }

  #read([line, offset, length]: RowPlace): readonly InputBytes[] {
    if (this.#file === undefined) return []
    let from = offset - this.#windowAt
    if (from < 0 || from + length > this.#window.length) {
      const window = Buffer.alloc(Math.max(WINDOW_BYTES, length))
      this.#window = window.subarray(0, readSync(this.#file, window, 0, window.length, offset))
      this.#windowAt = offset
      from = 0
    }
    return [{ line, bytes: this.#window.subarray(from, from + length) }]
  }
}
