import { Buffer } from 'node:buffer'
import { existsSync } from 'node:fs'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { crc32 } from 'node:zlib'
import { CrmError } from '../../core/errors.ts'
import { parseExactJson } from '../../core/json.ts'
import type { CrmRecord } from '../../core/resources/registry.ts'
import type { InputBytes } from '../input/row.ts'
import {
  type JobTotals,
  type OperationHead,
  operationCount,
  type PlanHead,
  type PlanOperation,
} from '../plan/plan-format.ts'
import type { JobPaths } from './job-folder.ts'
import { isSqliteBusy, isSqliteError, storeBusy, storeError } from './sqlite-errors.ts'

/** Rows of a page: a reader holds no lock between two of them. */
const PAGE_ROWS = 256
const RESULTS_PAGE = 1000

/** How long a statement waits for another process that has the file; a commit takes milliseconds. */
const BUSY_MS = 10_000

/** Used as `op` of the header row. */
export const HEADER_ROW = -1

/** Stored as user_version. */
const FORMAT = 1

/** See docs/job-format.md; for `digest`, digestOfRow. */
export const TABLES = `
CREATE TABLE head (name TEXT PRIMARY KEY, text TEXT NOT NULL, digest INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE operation (op INTEGER PRIMARY KEY, head TEXT NOT NULL, body BLOB, input BLOB, digest INTEGER NOT NULL);
CREATE TABLE before (op INTEGER PRIMARY KEY, text TEXT NOT NULL, digest INTEGER NOT NULL);
CREATE TABLE input (op INTEGER, nth INTEGER, line INTEGER, bytes BLOB NOT NULL, digest INTEGER NOT NULL, PRIMARY KEY (op, nth)) WITHOUT ROWID;
CREATE TABLE left_out (place INTEGER PRIMARY KEY, text TEXT NOT NULL, digest INTEGER NOT NULL);
CREATE TABLE lease (place INTEGER PRIMARY KEY, text TEXT NOT NULL, digest INTEGER NOT NULL);
CREATE TABLE result (op INTEGER PRIMARY KEY, state INTEGER NOT NULL, text TEXT NOT NULL, digest INTEGER NOT NULL);
CREATE TABLE event (place INTEGER PRIMARY KEY, text TEXT NOT NULL, digest INTEGER NOT NULL);
PRAGMA user_version = ${FORMAT};`

/** CRC-32 of the key and the values of a row. SQLite does not detect a changed byte in a value. */
export function digestOfRow(place: string | number, text: string, ...bytes: (Uint8Array | null)[]): number {
  let digest = crc32(`${place} ${text}`)
  for (const each of bytes) if (each) digest = crc32(each, digest)
  return digest
}

/** The definitions and root pages of all tables: with a changed byte there, a table would be read as another or as empty. */
export const JOB_SCHEMA = "SELECT group_concat(rootpage || ' ' || sql, '; ' ORDER BY rootpage) FROM sqlite_schema"

/** Whether a row matches its digest. A changed byte may also change the type of a value. */
function isWhole(digest: unknown, place: string | number, text: unknown, ...bytes: unknown[]): boolean {
  if (typeof text !== 'string' || !bytes.every((each) => each === null || each instanceof Uint8Array)) return false
  return digestOfRow(place, text, ...(bytes as (Uint8Array | null)[])) === digest
}

type OperationRow = readonly [
  op: number,
  head: string,
  body: Uint8Array | null,
  input: Uint8Array | null,
  digest: number,
]

/** Values that are stored after planning. */
type NoteName = 'recheck' | 'failed'

/** `state` is a value of STATES. */
type ResultRow = readonly [op: number, state: number, text: string, digest: number]

type Row = readonly (string | number | Uint8Array | null)[]

/** The database of a job. Each row is checked against its digest when it is read. */
export class JobFile {
  readonly id: string
  readonly path: string
  readonly head: PlanHead
  readonly end: JobTotals
  readonly #database: DatabaseSync
  readonly #statements = new Map<string, StatementSync>()

  /** CrmError `machine` for a file that is damaged or cannot be read. */
  constructor({ id, db }: Pick<JobPaths, 'id' | 'db'>, database?: DatabaseSync) {
    this.id = id
    this.path = db
    this.#database = database ?? this.#guard(() => openDatabase(db))
    try {
      this.#requireFormat()
      this.head = this.#headNamed('plan') as PlanHead
      this.end = this.#headNamed('end') as JobTotals
      if (this.head.job !== id) throw this.damaged(`it is the file of ${this.head.job}`)
      const [[schema] = []] = this.rows(JOB_SCHEMA)
      if (this.#headNamed('schema') !== schema) throw this.damaged('its schema has changed')
    } catch (error) {
      this.close()
      throw error
    }
  }

  get count(): number {
    return operationCount(this.end)
  }

  close(): void {
    this.#database.close()
  }

  /** CrmError `machine` if an operation is missing. A changed operation is detected when it is read. */
  verify(): void {
    const [row] = this.rows('SELECT count(*), coalesce(max(op), -1) FROM operation')
    const [count, last] = row ?? []
    if (count !== this.count || last !== this.count - 1)
      throw this.damaged(`it has ${count} of ${this.count} operations`)
  }

  /** Reads all rows. CrmError `machine` if one is damaged. */
  verifyAll(): void {
    this.verify()
    for (const { op } of this.all()) this.inputAt(op)
    this.inputAt(HEADER_ROW)
    for (const _ of this.befores());
    for (const _ of this.leftOut());
  }

  operation(op: number): PlanOperation {
    const [operation] = this.#page(op, 1)
    if (operation?.op !== op) throw this.damaged(`operation ${op} is missing`)
    return operation
  }

  *operations(from = 0): Generator<readonly PlanOperation[], void, undefined> {
    for (let next = from; ; ) {
      const page = this.#page(next, PAGE_ROWS)
      const last = page.at(-1)
      if (!last) {
        if (next < this.count) throw this.damaged(`operation ${next} is missing`)
        return
      }
      if (page[0]?.op !== next || last.op !== next + page.length - 1)
        throw this.damaged(`an operation after ${next} is missing`)
      yield page
      next = last.op + 1
    }
  }

  *all(from = 0): Generator<PlanOperation, void, undefined> {
    for (const page of this.operations(from)) yield* page
  }

  /** The record as it was before the operation; undefined if none was stored. */
  before(op: number): CrmRecord | undefined {
    const [row] = this.texts('SELECT op, text, digest FROM before WHERE op = ?', op)
    return row && (parseExactJson(row.text) as CrmRecord)
  }

  /** These records as JSON, in the order of the operations. */
  *befores(): Generator<string, void, undefined> {
    yield* this.#texts('before', 'op')
  }

  /** The rows and members that the plan leaves out, as JSON. */
  *leftOut(): Generator<string, void, undefined> {
    yield* this.#texts('left_out', 'place')
  }

  /** The input rows of an operation: those that were merged into it, then its own. */
  inputOf({ op, head }: Pick<PlanOperation, 'op' | 'head'>): readonly InputBytes[] {
    const [[own] = []] = this.rows('SELECT input FROM operation WHERE op = ?', op)
    const last = own instanceof Uint8Array ? [{ line: head.line ?? 0, bytes: own }] : []
    return [...this.inputAt(op), ...last]
  }

  /** The input rows that were merged into an operation; the header row for HEADER_ROW. */
  inputAt(op: number): readonly InputBytes[] {
    const rows = this.rows('SELECT nth, line, bytes, digest FROM input WHERE op = ? ORDER BY nth', op)
    return rows.map(([nth, line, bytes, digest]) => {
      if (bytes === null || !isWhole(digest, `${op} ${nth} ${line}`, '', bytes))
        throw this.damaged(`line ${line} of its input has changed`)
      return { line: Number(line), bytes: bytes as Uint8Array }
    })
  }

  /** Whether this text occurs in any row, regardless of case in ASCII. */
  contains(text: string): boolean {
    const columns = ['body', 'input'].map((name) => `operation.${name}`)
    const texts = ['head', 'before', 'left_out', 'result', 'event'].map((name) => `${name}.text`)
    return [...columns, ...texts, 'input.bytes'].some((place) => {
      const [table, column] = place.split('.')
      const sql = `SELECT 1 FROM ${table} WHERE instr(lower(CAST(${column} AS TEXT)), lower(?)) > 0 LIMIT 1`
      return this.rows(sql, text).length > 0
    })
  }

  /** Whether input rows were stored. A job of a plan from another machine has none. */
  get hasInput(): boolean {
    return this.rows('SELECT 1 FROM input UNION ALL SELECT 1 FROM operation WHERE input IS NOT NULL LIMIT 1').length > 0
  }

  note(name: NoteName): unknown {
    return this.#noteNamed(name)
  }

  setNote(name: NoteName, value: unknown): void {
    const text = JSON.stringify(value)
    this.write('INSERT OR REPLACE INTO head VALUES (?, ?, ?)', name, text, digestOfRow(name, text))
  }

  /** The rows of a query for a key, `text` and `digest`. */
  texts(sql: string, ...values: (string | number)[]): readonly { readonly place: number; readonly text: string }[] {
    return this.rows(sql, ...values).map(([place, text, digest]) => {
      if (!isWhole(digest, Number(place), text))
        throw this.damaged(`row ${place} of ${/ FROM (\w+)/.exec(sql)?.[1]} has changed`)
      return { place: Number(place), text: String(text) }
    })
  }

  /** Rows as arrays; their digests are not checked. */
  rows(sql: string, ...values: (string | number | Uint8Array | null)[]): readonly Row[] {
    return this.#guard(() => this.#statement(sql).all(...values) as unknown as readonly Row[])
  }

  /** All results in the order of their operations, in pages: half the time of reading single rows. */
  *results(): Generator<readonly ResultRow[], void, undefined> {
    const sql = 'SELECT op, state, text, digest FROM result WHERE op > ? ORDER BY op LIMIT ?'
    for (let last = -1; ; ) {
      const rows = this.rows(sql, last, RESULTS_PAGE) as unknown as readonly ResultRow[]
      for (const [op, state, text, digest] of rows) {
        if (!isWhole(digest, `${op} ${state}`, text)) throw this.damaged(`the result of operation ${op} has changed`)
      }
      if (rows.length === 0) return
      yield rows
      last = rows.at(-1)?.[0] ?? last
    }
  }

  write(sql: string, ...values: (string | number | Uint8Array | null)[]): void {
    this.#guard(() => this.#statement(sql).run(...values))
  }

  /** For transactions, pragmas and temporary tables. */
  execute(sql: string): void {
    this.#guard(() => this.#database.exec(sql))
  }

  /** In WAL mode. CrmError `machine` if another process keeps reading an earlier state for longer than BUSY_MS. */
  checkpoint(): void {
    const [[isBusy, frames, moved] = []] = this.rows('PRAGMA wal_checkpoint(FULL)')
    if (isBusy !== 0 || frames !== moved) throw storeBusy(this.path)
  }

  /** Leaves WAL mode, so that the file can be read on read-only media. Does nothing while another process reads the file. */
  leaveWal(): void {
    this.#guard(() => {
      try {
        this.#database.exec('PRAGMA journal_mode = DELETE')
      } catch (error) {
        if (!isSqliteBusy(error)) throw error
      }
    })
  }

  damaged(why: string, cause?: unknown): CrmError {
    return new CrmError('machine', `${this.id} is damaged: ${why}`, {
      hint: `check the disk, and restore ${this.path} from a backup; or set it aside: crm jobs cancel ${this.id} --damaged`,
      job: this.id,
      cause,
    })
  }

  #page(from: number, most: number): readonly PlanOperation[] {
    const sql = 'SELECT op, head, body, input, digest FROM operation WHERE op >= ? ORDER BY op LIMIT ?'
    const rows = this.rows(sql, from, most) as unknown as readonly OperationRow[]
    return rows.map(([op, head, body, input, digest]) => {
      if (!isWhole(digest, op, head, body, input)) throw this.damaged(`operation ${op} has changed`)
      return { op, head: JSON.parse(head) as OperationHead, body: body && bufferOf(body) }
    })
  }

  *#texts(table: string, key: string): Generator<string, void, undefined> {
    for (let last = -1; ; ) {
      const page = this.texts(
        `SELECT ${key}, text, digest FROM ${table} WHERE ${key} > ? ORDER BY ${key} LIMIT ?`,
        last,
        PAGE_ROWS,
      )
      for (const { text } of page) yield text
      if (page.length === 0) return
      last = page.at(-1)?.place ?? last
    }
  }

  #requireFormat(): void {
    const [[version] = []] = this.rows('PRAGMA user_version')
    if (Number(version) > FORMAT)
      throw new CrmError(
        'machine',
        `${this.path} was made by a later version of crm: its format is ${version}, expected ${FORMAT}`,
        { hint: 'use that version: crm --version' },
      )
    if (version !== FORMAT) throw this.damaged('it is not the file of a job')
  }

  #headNamed(name: string): unknown {
    const value = this.#noteNamed(name)
    if (value === undefined) throw this.damaged(`it has no ${name}`)
    return value
  }

  #noteNamed(name: string): unknown {
    const [row] = this.rows('SELECT text, digest FROM head WHERE name = ?', name)
    if (!row) return undefined
    if (!isWhole(row[1], name, row[0])) throw this.damaged(`its ${name} has changed`)
    return JSON.parse(String(row[0]))
  }

  #statement(sql: string): StatementSync {
    const known = this.#statements.get(sql)
    if (known) return known
    const statement = this.#database.prepare(sql)
    statement.setReturnArrays(true)
    this.#statements.set(sql, statement)
    return statement
  }

  #guard<Result>(work: () => Result): Result {
    try {
      return work()
    } catch (error) {
      if (!isSqliteError(error)) throw error
      throw storeError(error, this.path) ?? this.damaged(error.message, error)
    }
  }
}

function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

/**
 * A database in WAL mode cannot be opened in a folder that is not writable, because SQLite must create its -wal and -shm files. If no
 * -wal file exists, the database is complete and can be opened as immutable (sqlite.org/wal.html, "Read-Only Databases").
 */
function openDatabase(path: string): DatabaseSync {
  if (!existsSync(path)) throw new CrmError('machine', `there is no file ${path}`, { hint: 'crm jobs list' })
  try {
    return begun(new DatabaseSync(path, { timeout: BUSY_MS }))
  } catch (error) {
    if (!isSqliteError(error) || existsSync(`${path}-wal`) || storeError(error, path) === undefined) throw error
    const url = pathToFileURL(path)
    url.search = 'immutable=1'
    return begun(new DatabaseSync(url, { readOnly: true }))
  }
}

/** Reads from the database once: SQLite opens the file only then. */
function begun(database: DatabaseSync): DatabaseSync {
  try {
    database.prepare('PRAGMA user_version').get()
    return database
  } catch (error) {
    database.close()
    throw error
  }
}
