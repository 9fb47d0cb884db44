import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import type { Value } from '../sql.ts'

/** Deal filters make many statements; the oldest ones are dropped beyond this number. */
const MAX_CACHED_STATEMENTS = 300

/** One open database. Rows are arrays, in the order of the selected columns. Parameters are `?` or `$1`; a list is bound as JSON. */
export interface Connection {
  /** The name in messages. */
  readonly file: string
  readonly isInTransaction: boolean
  all<Row extends readonly unknown[]>(sql: string, ...values: Value[]): readonly Row[]
  get<Row extends readonly unknown[]>(sql: string, ...values: Value[]): Row | undefined
  /** Returns the number of changed rows. */
  run(sql: string, ...values: Value[]): number
  /** Runs any number of statements without caching them. */
  script(sql: string): void
  close(): void
}

interface Prepared {
  readonly statement: StatementSync
  /** Which value each `?` of the statement gets, where its text had numbers in another order. */
  readonly order: readonly number[]
}

/** Prepared statements are cached by their text. */
export function connect(database: DatabaseSync, file: string): Connection {
  const statements = new Map<string, Prepared>()
  const prepare = (sql: string): Prepared => {
    const kept = statements.get(sql)
    if (kept) return kept
    const order: number[] = []
    // Node binds a list of values to parameters without names alone.
    const text = sql.replace(/[?$](\d+)/g, (_, number) => {
      order.push(Number(number) - 1)
      return '?'
    })
    const isInOrder = order.every((at, place) => at === place)
    const prepared = { statement: database.prepare(text), order: isInOrder ? [] : order }
    prepared.statement.setReturnArrays(true)
    const [oldest] = statements.keys()
    if (oldest !== undefined && statements.size >= MAX_CACHED_STATEMENTS) statements.delete(oldest)
    statements.set(sql, prepared)
    return prepared
  }
  // The type declarations support rows only as objects: https://github.com/DefinitelyTyped/DefinitelyTyped
  return {
    file,
    get isInTransaction() {
      return database.isTransaction
    },
    all: <Row>(sql: string, ...values: Value[]) => {
      const { statement, order } = prepare(sql)
      return statement.all(...bound(order, values)) as unknown as readonly Row[]
    },
    get: <Row>(sql: string, ...values: Value[]) => {
      const { statement, order } = prepare(sql)
      return statement.get(...bound(order, values)) as unknown as Row | undefined
    },
    run: (sql, ...values) => {
      const { statement, order } = prepare(sql)
      return Number(statement.run(...bound(order, values)).changes)
    },
    script: (sql) => database.exec(sql),
    close: () => {
      statements.clear()
      database.close()
    },
  }
}

function bound(order: readonly number[], values: readonly Value[]): readonly SQLInputValue[] {
  if (order.length > 0) return order.map((at) => toInput(values[at]))
  return values.some(Array.isArray) ? values.map(toInput) : (values as readonly SQLInputValue[])
}

function toInput(value: Value = null): SQLInputValue {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : value
}

/** IMMEDIATE: a transaction that reads first fails without a retry when another process writes before it does. */
export function inTransaction<T>(db: Connection, work: () => T): T {
  db.run('BEGIN IMMEDIATE')
  try {
    const result = work()
    db.run('COMMIT')
    return result
  } catch (error) {
    // A full disk or an I/O error may have rolled it back already.
    if (db.isInTransaction) db.run('ROLLBACK')
    throw error
  }
}

/**
 * Does not wait for the disk, so a power cut may undo it. Other commits are not affected: the next synchronous commit syncs
 * the whole log (https://sqlite.org/pragma.html#pragma_synchronous).
 */
export function inQuickTransaction<T>(db: Connection, work: () => T): T {
  db.run('PRAGMA synchronous = NORMAL')
  try {
    return inTransaction(db, work)
  } finally {
    db.run('PRAGMA synchronous = FULL')
  }
}
