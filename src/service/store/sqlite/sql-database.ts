import type { Session, SqlDatabase, SqlDialect, Transaction, TransactionKind, Value, WalkText } from '../sql.ts'
import { PAGE_COUNT } from '../walks.ts'
import type { Connection } from './connection.ts'
import { storageFailure, whenUnlocked } from './storage-failure.ts'

const SQLITE: SqlDialect = {
  kind: 'sqlite',
  isRemote: false,
  greatest: (one, other) => `max(${one}, ${other})`,
  isIn: (column, list) => `${column} IN (SELECT value FROM json_each(${list}))`,
  isOneOf: (column, select) => `${column} IN (${select})`,
  lockLines: undefined,
  lockPruning: undefined,
  tryPruning: undefined,
  // Rows stay in order of age, so that no index is needed.
  answerAge: 'number',
  skipLocked: '',
  indexedBy: (index) => `INDEXED BY ${index}`,
  member: (column, name) => `${column} ->> '$.${name}'`,
  tableNames: `SELECT name FROM sqlite_schema WHERE type = 'table'`,
  sizeBytes: 'SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()',
  plain: (text) => text,
  bounded: (text) => text,
  walk: (walk) => `${walked(walk)} ORDER BY id DESC LIMIT ${PAGE_COUNT}`,
  mergedWalks: (walks) => `${walks.map(walked).join(' UNION ALL ')} ORDER BY serial DESC LIMIT ${PAGE_COUNT}`,
  unwalked: (column) => `+${column}`,
  // A short scan of the index back in time for each. Not sorted, as sorting would read every text.
  newestOfEach: (table, column, index) =>
    `SELECT given.value, ${table}.id, octet_length(${table}.text) FROM json_each($1) AS given CROSS JOIN ${table}
      WHERE ${table}.id IN (SELECT id FROM ${table} AS walked INDEXED BY ${index}
        WHERE walked.${column} = given.value AND id < $3 ORDER BY id DESC LIMIT $2 + 0)`,
}

/** `INDEXED BY` and `+` keep the planner from sorting all matches instead, also after ANALYZE. */
function walked({ select, table, least, conditions, driver }: WalkText): string {
  const driving = driver && `${driver.column} = ${driver.value}`
  const where = [driving, 'id < $1', least && `id >= ${least}`, ...conditions].filter(Boolean).join(' AND ')
  return `SELECT ${select} FROM ${table} ${driver ? `INDEXED BY ${driver.index}` : ''} WHERE ${where}`
}

export interface SqliteDatabase extends SqlDatabase {
  /** As `transaction`, but rejects at once when another process holds the lock. */
  attempt: SqlDatabase['transaction']
  /** Runs `work` while no transaction of this process is open; repeated for a while when another process holds the lock. */
  alone<T>(work: () => T, waitMs?: number): Promise<T>
}

/**
 * The statements of a connection, one after another: what is not part of a transaction waits for its end. While another process
 * holds the lock, the thread is free; `onWaited` gets the time.
 */
export function sqlDatabase(db: Connection, onWaited: ((ms: number) => void) | undefined): SqliteDatabase {
  let underWay: Promise<void> | undefined
  const between = async <T>(work: () => T): Promise<T> => {
    while (underWay) await underWay
    try {
      return work()
    } catch (error) {
      throw storageFailure(db.file, error)
    }
  }
  const alone = <T>(work: () => T, waitMs?: number): Promise<T> =>
    whenUnlocked(() => between(work), { waitMs, onWaited })
  const attempt = async <T>(kind: TransactionKind, work: (tx: Transaction) => Promise<T>): Promise<T> => {
    while (underWay) await underWay
    const { promise, resolve } = Promise.withResolvers<void>()
    underWay = promise
    try {
      return await transact(db, kind, () => work(tx))
    } catch (error) {
      throw storageFailure(db.file, error)
    } finally {
      underWay = undefined
      resolve()
    }
  }
  const outside = sessionOf(db, alone)
  const tx: Transaction = {
    ...sessionOf(db, async (statement) => statement()),
    later: (sql, ...values) => void db.run(sql, ...values),
    notify: () => {},
  }
  return {
    ...outside,
    name: db.file,
    short: outside,
    attempt,
    alone,
    transaction: (kind, work) => whenUnlocked(() => attempt(kind, work), { onWaited }),
  }
}

/** IMMEDIATE: a transaction that reads first fails without a retry when another process writes before it does. */
async function transact<T>(db: Connection, kind: TransactionKind, work: () => Promise<T>): Promise<T> {
  // Other commits are not affected: the next one syncs the whole log (https://sqlite.org/pragma.html#pragma_synchronous).
  if (kind === 'quick') db.run('PRAGMA synchronous = NORMAL')
  try {
    db.run('BEGIN IMMEDIATE')
    const result = await work()
    db.run('COMMIT')
    return result
  } catch (error) {
    // A full disk or an I/O error may have rolled it back already.
    if (db.isInTransaction) db.run('ROLLBACK')
    throw error
  } finally {
    if (kind === 'quick') db.run('PRAGMA synchronous = FULL')
  }
}

function sessionOf(db: Connection, run: <T>(statement: () => T) => Promise<T>): Session {
  return {
    dialect: SQLITE,
    all: <Row extends readonly unknown[]>(sql: string, ...values: Value[]) => run(() => db.all<Row>(sql, ...values)),
    get: <Row extends readonly unknown[]>(sql: string, ...values: Value[]) => run(() => db.get<Row>(sql, ...values)),
    run: (sql, ...values) => run(() => db.run(sql, ...values)),
  }
}
