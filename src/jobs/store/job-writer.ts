import { Buffer } from 'node:buffer'
import { closeSync, openSync } from 'node:fs'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { toMachineError } from '../../files/machine-error.ts'
import type { InputBytes } from '../input/row.ts'
import type { JobTotals, NewOperation, PlanCounts, PlanHead } from '../plan/plan-format.ts'
import { digestOfRow, PLACES, TABLES } from './job-file.ts'
import { isSqliteError, storeError } from './sqlite-errors.ts'

const SQL = {
  head: 'INSERT INTO head VALUES (?, ?, ?)',
  operation: 'INSERT INTO operation VALUES (?, ?, ?, ?, ?)',
  before: 'INSERT INTO before VALUES (?, ?, ?)',
  input: 'INSERT OR IGNORE INTO input VALUES (?, ?, ?, ?)',
  leftOut: 'INSERT INTO left_out (text, digest) VALUES (?, ?)',
} as const

/** Writes the file of a job that is being planned; without its end it is none. */
export class JobWriter {
  readonly #path: string
  readonly #database: DatabaseSync
  readonly #statements: Readonly<Record<keyof typeof SQL, StatementSync>>
  #count = 0
  #left = 0
  #isClosed: boolean

  /** CrmError `machine` if the file exists or cannot be created. With a database, that is written instead, and stays open. */
  constructor(path: string, head: PlanHead, database?: DatabaseSync) {
    this.#path = path
    this.#isClosed = database !== undefined
    this.#database = database ?? createDatabase(path)
    // A draft is nothing until it is whole, so only its last transaction is synced, and with it the file.
    this.#database.exec(
      `PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE; BEGIN; ${TABLES}`,
    )
    const prepared = Object.entries(SQL).map(([name, sql]) => [name, this.#database.prepare(sql)])
    this.#statements = Object.fromEntries(prepared)
    this.#put('plan', head)
  }

  /** The number of operations so far. */
  get count(): number {
    return this.#count
  }

  /** `before`: the record before it, as JSON; `input`: the rows that it comes from, its own last. */
  add({ head, body }: NewOperation, before?: string, input: readonly InputBytes[] = []): void {
    const op = this.#count++
    const [text, bytes] = [JSON.stringify(head), body === undefined ? null : Buffer.from(body)]
    const own = input.at(-1)?.bytes ?? null
    this.#run('operation', op, text, bytes, own, digestOfRow(op, text, bytes, own))
    if (before !== undefined) this.#run('before', op, before, digestOfRow(op, before))
    if (input.length > 1) this.addInput(op, input.slice(0, -1))
  }

  /** Rows of the input that were merged into that of an operation, or that stand before all rows. */
  addInput(op: number, rows: readonly InputBytes[]): void {
    for (const { line, bytes } of rows) this.#run('input', op, line, bytes, digestOfRow(`${op} ${line}`, '', bytes))
  }

  /** A row or member that is left out, as JSON. */
  leaveOut(text: string): void {
    this.#run('leftOut', text, digestOfRow(++this.#left, text))
  }

  /** On the disk when it returns. */
  end(counts: PlanCounts & Pick<JobTotals, 'sha256'>): JobTotals {
    const end: JobTotals = { end: true, ...counts }
    this.#guard(() => this.#database.exec('COMMIT; PRAGMA synchronous = FULL'))
    const [[places] = []] = this.#places()
    this.#put('tables', places)
    this.#put('end', end)
    this.close()
    return end
  }

  /** May be called more than once. */
  close(): void {
    if (!this.#isClosed) this.#database.close()
    this.#isClosed = true
  }

  #put(name: string, value: unknown): void {
    const text = JSON.stringify(value)
    this.#run('head', name, text, digestOfRow(name, text))
  }

  #places(): readonly (readonly unknown[])[] {
    const statement = this.#database.prepare(PLACES)
    statement.setReturnArrays(true)
    return statement.all() as unknown as readonly (readonly unknown[])[]
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
