import type { Kind } from './schema.ts'

/** A value of a statement; a list is one parameter, which `SqlDialect.isIn` reads. */
export type Value = Cell | readonly Cell[]

export type Cell = string | number | null

/**
 * Statements of one connection or of any. A text is the same for both databases: parameters are `$1`, types are written as
 * CAST, and what differs comes from the dialect. Rows are arrays, in the order of the selected columns.
 */
export interface Session {
  readonly dialect: SqlDialect
  all<Row extends readonly unknown[]>(sql: string, ...values: Value[]): Promise<readonly Row[]>
  get<Row extends readonly unknown[]>(sql: string, ...values: Value[]): Promise<Row | undefined>
  /** Returns the number of changed rows. */
  run(sql: string, ...values: Value[]): Promise<number>
}

export interface Transaction extends Session {
  /** Runs a statement whose result is not needed, without a wait for its end. Where it fails, the transaction fails. */
  later(sql: string, ...values: Value[]): void
  /** Tells the other processes when the transaction is committed; of a file they find out themselves. */
  notify(channel: string, payload?: string): void
}

/**
 * `durable`: survives a power cut. `quick`: survives a killed process alone. `rules`: durable, changes what writes are checked
 * against, and follows all writes that were begun before.
 */
export type TransactionKind = 'durable' | 'quick' | 'rules'

export interface SqlDatabase extends Session {
  /** For messages. */
  readonly name: string
  /** For statements that read a few rows by an index. */
  readonly short: Session
  /** Rolled back when `work` rejects. Statements of other sessions wait for its end on SQLite, so `work` uses `tx` alone. */
  transaction<T>(kind: TransactionKind, work: (tx: Transaction) => Promise<T>): Promise<T>
}

/** What the databases write in different ways. */
export interface SqlDialect {
  readonly kind: Kind
  /** Answers take a round trip. */
  readonly isRemote: boolean
  /** The larger of two values. */
  greatest(one: string, other: string): string
  /** Whether a column has one of the values of a list. */
  isIn(column: string, list: string, type: 'bigint' | 'text'): string
  /** Whether a column has one of the values that a select gives, looked up by its index. */
  isOneOf(column: string, select: string): string
  /** Holds queues of deliveries until the end of a transaction: their numbers are the list $1. Undefined: each transaction is alone. */
  readonly lockLines: string | undefined
  /** Waits until this transaction is the only one that deletes from the log. Undefined: it is. */
  readonly lockPruning: string | undefined
  /** Whether this transaction is the only one that deletes from the log. Undefined: it is. */
  readonly tryPruning: string | undefined
  /** The column by which answers to idempotency keys are in the order of their age. */
  readonly answerAge: string
  /** The end of a select whose rows are then changed: without those that another transaction has locked. */
  readonly skipLocked: string
  /** After the name of a table: the index that is walked, where the planner may choose a worse one. */
  indexedBy(index: string): string
  /** A member of a JSON text, as text. */
  member(column: string, name: string): string
  /** Selects the names of all tables. */
  readonly tableNames: string
  /** Selects the size on disk. */
  readonly sizeBytes: string
  /** A text that is shown again. */
  plain(text: string): string
  /** A text that is only compared. */
  bounded(text: string): string
  /**
   * The $2 newest rows below the serial $1 that meet the conditions, newest first: nothing may be read but the index that drives
   * the walk, or without one the table, back in time.
   */
  walk(walk: WalkText): string
  /** The $2 newest rows of several walks, whose columns have the serial as `serial`. */
  mergedWalks(walks: readonly WalkText[]): string
  /** A column in a condition of a walk that another one drives. */
  unwalked(column: string): string
  /** For each number of the list $1: it, the id and the size of the text of the $2 newest rows below $3 that have it in a column. */
  newestOfEach(table: string, column: string, index: string): string
}

export interface WalkText {
  readonly select: string
  readonly table: string
  /** From this serial on. */
  readonly least?: string | undefined
  readonly conditions: readonly string[]
  readonly driver?: { readonly column: string; readonly index: string; readonly value: string }
}

/** Reads rows of these columns as objects: `last_used_at_ms` is the member `lastUsedAtMs`, and NULL is undefined. */
export function rowReader<T>(columns: string): (row: readonly unknown[]) => T {
  const names = columns.split(/,\s+/).map((name) => name.replace(/_(\w)/g, (_, sign: string) => sign.toUpperCase()))
  return (row) => Object.fromEntries(names.map((name, place) => [name, row[place] ?? undefined])) as T
}

/** The condition that a column has one of these values as $1, and that: a list costs SQLite 6 µs more than a value. */
export function isWanted(
  { isIn }: SqlDialect,
  column: string,
  values: readonly (string | number)[],
): readonly [condition: string, value: Value] {
  const [only] = values
  if (only !== undefined && values.length === 1) return [`${column} = $1`, only]
  return [isIn(column, '$1', typeof only === 'string' ? 'text' : 'bigint'), values]
}
