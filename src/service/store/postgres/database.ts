import { createHash } from 'node:crypto'
import pg from 'pg'
import type { Session, SqlDatabase, SqlDialect, Transaction, TransactionKind, Value, WalkText } from '../sql.ts'
import type { StoreObserver } from '../store-options.ts'
import { PAGE_COUNT } from '../walks.ts'
import type { Address } from './address.ts'
import { bounded, withoutNul } from './bounded-text.ts'
import { DatabaseConnections, Sockets } from './connections.ts'
import { CommitInDoubt, databaseFailure, isConnectionLost, isPreparedLost } from './failure.ts'

export interface PostgresSession extends Session {
  /** Runs statements without values in one round trip, and returns the rows of each. */
  script(sql: string): Promise<readonly (readonly (readonly unknown[])[])[]>
}

export type PostgresTransaction = PostgresSession & Transaction

/** Classes of advisory locks: `crmL` and so on, in ASCII. */
const LINE_LOCKS = 0x63726d4c
const PRUNE_LOCK = 0x63726d50

const DIALECT: SqlDialect = {
  kind: 'postgres',
  isRemote: true,
  greatest: (one, other) => `greatest(${one}, ${other})`,
  isIn: (column, list, type) => `${column} = ANY(${list}::${type}[])`,
  // An array, unlike IN, is looked up by the index whatever the planner expects of it.
  isOneOf: (column, select) => `${column} = ANY (ARRAY(${select}))`,
  lockLines: `SELECT pg_advisory_xact_lock(${LINE_LOCKS}, lock) FROM unnest($1::int[]) AS lock`,
  tryPruning: `SELECT pg_try_advisory_xact_lock(${PRUNE_LOCK})`,
  answerAge: 'at_ms',
  lockPruning: `SELECT pg_advisory_xact_lock(${PRUNE_LOCK})`,
  skipLocked: 'FOR UPDATE SKIP LOCKED',
  indexedBy: () => '',
  member: (column, name) => `${column}::json ->> '${name}'`,
  tableNames: 'SELECT relname FROM pg_class WHERE relnamespace = current_schema()::regnamespace',
  // Every table of crm, with its indexes and long texts.
  sizeBytes: `SELECT coalesce(sum(pg_total_relation_size(oid)), 0)::bigint FROM pg_class
    WHERE relkind = 'r' AND relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = 'sequence'::regclass)`,
  plain: withoutNul,
  bounded,
  walk: walked,
  mergedWalks: (walks) => {
    const rows = walks.map((each) => `SELECT * FROM (${walked(each)}) AS found`)
    return `${rows.join(' UNION ALL ')} ORDER BY serial DESC LIMIT ${PAGE_COUNT}`
  },
  unwalked: (column) => column,
  newestOfEach: (table, column) =>
    `SELECT given.value, found.id, found.size FROM unnest($1::bigint[]) AS given (value) CROSS JOIN LATERAL (
      SELECT id, octet_length(text) AS size FROM ${table}
      WHERE (${column}, -id) > (given.value, -$3::bigint) AND (${column}, -id) <= (given.value, 0)
      ORDER BY ${column}, -id LIMIT $2) AS found`,
}

/**
 * Nothing in it tells the planner that few rows match, or it would read and sort them all, which may be half of the table: two
 * bounds on column and id stand for the equality, OFFSET 0 keeps the conditions outside of the walk, and CASE hides them.
 */
function walked({ select, table, least, conditions, driver }: WalkText): string {
  const rows = driver ? walkOf(driver, least) : `id < $1 AND id >= ${least ?? 0} ORDER BY id DESC`
  const where = conditions.length === 0 ? '' : `WHERE CASE WHEN ${conditions.join(' AND ')} THEN true END `
  return `SELECT ${select} FROM (SELECT * FROM ${table} WHERE ${rows} OFFSET 0) AS walked ${where}LIMIT ${PAGE_COUNT}`
}

/** Indexes end with the negative id; a partial one has only what is not null. */
function walkOf({ column, value }: NonNullable<WalkText['driver']>, least = '0'): string {
  return `(${column}, -id) > (${value}, -$1::bigint) AND (${column}, -id) <= (${value}, -${least}::bigint)
    AND ${column} IS NOT NULL ORDER BY ${column}, -id`
}

export interface PostgresDatabase extends PostgresSession, SqlDatabase {
  /** They share connections, and do not wait for one another's answers. Sent again when the connection is lost. */
  readonly short: PostgresSession
  /**
   * `begin` starts the transaction, with more statements; `work` gets their rows, and what `early` has read: its statements are
   * sent with those of `begin`, whose rows it may await. Rolled back when one of them rejects.
   */
  begin<T>(begin: string, work: Work<T, undefined>): Promise<T>
  begin<T, Read>(begin: string, work: Work<T, Read>, early: Early<Read>): Promise<T>
  /** A connection of its own, outside the pool. */
  connect(): Promise<pg.Client>
  /** Prepares no statements where a pooler may give each transaction another connection; fails where it allows none. */
  adaptToPooler(): Promise<void>
  /** Ends all connections, and those that are made later, without an answer of the server. */
  cut(): void
  close(): Promise<void>
}

type Begun = Awaited<ReturnType<PostgresSession['script']>>

type Work<T, Read> = (tx: PostgresTransaction, begun: Begun, read: Read) => Promise<T>

type Early<Read> = (tx: PostgresSession, begun: Promise<Begun>) => Promise<Read>

/** Enough for reads beside one writer; `max_connections` of PostgreSQL is 100 by default. */
const MAX_CONNECTIONS = 10

/** For a connection, and for a free one of the pool. */
const CONNECT_MS = 5000

/** Of one statement; a partition of the network is noticed no later. */
const STATEMENT_MS = 60_000

const INT8 = 20

/** 64-bit numbers are serials, times and counts, all within 53 bits. */
const TYPES: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    oid === INT8 ? Number : pg.types.getTypeParser(oid, format as 'text'),
}

/** The name of the connections of services, by which `crm serve copy` finds them. */
export const SERVICE_NAME = 'crm serve'

/** A transaction waits so long for a lock. */
const WAITING = 'BEGIN; SET LOCAL lock_timeout = 5000'

/** Also where the database is set to acknowledge before the disk has it. */
export const DURABLY = `SELECT set_config('synchronous_commit', 'on', true) WHERE current_setting('synchronous_commit') IN ('off', 'local')`

/** Rules need the row of `sequence`, which a store takes before. */
const BEGIN: Readonly<Record<TransactionKind, string>> = {
  durable: `${WAITING}; ${DURABLY}`,
  quick: `${WAITING}; SET LOCAL synchronous_commit = off`,
  rules: `${WAITING}; ${DURABLY}`,
}

interface PoolOptions {
  readonly observer?: StoreObserver | undefined
  /** The name of the connections. */
  readonly program?: string
  /** How long a statement may take. */
  readonly statementMs?: number
  /** False: nothing is prepared, because a pooler may give a transaction the connection of an earlier process. */
  readonly isPrepared?: boolean
}

export function openPool(
  { name, password, ...address }: Address,
  { observer, program = SERVICE_NAME, statementMs = STATEMENT_MS, isPrepared = true }: PoolOptions = {},
): PostgresDatabase {
  const sockets = new Sockets()
  const config: pg.ClientConfig = {
    ...address,
    password: typeof password === 'string' ? password : endingWithout(password),
    types: TYPES,
    application_name: program,
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: statementMs,
    // Statements that do not wait for one another are sent at once, and share a round trip.
    pipeline: true,
    keepAlive: true,
    stream: () => sockets.open(),
  }
  const pool = new pg.Pool({ ...config, max: MAX_CONNECTIONS, idleTimeoutMillis: 30_000 })
  // A connection that is lost while idle leaves the pool; the next operation makes another one.
  pool.on('error', () => {})
  // The server may close a connection before its borrower listens for errors; an unhandled one would end the process.
  pool.on('connect', (client) => client.on('error', () => {}))
  const tell = (): void => observer?.pool({ open: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount })
  for (const event of ['connect', 'acquire', 'release', 'remove'] as const) pool.on(event, tell)
  const failed = (error: unknown): unknown => databaseFailure(name, error)
  const names = new StatementNames()
  if (!isPrepared) names.stop()

  const connections = new DatabaseConnections(
    pool,
    (error) => error instanceof CommitInDoubt || isConnectionLost(error),
  )
  const faultsNamed = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work
    } catch (error) {
      if (isPreparedLost(error)) names.stop()
      throw failed(error)
    }
  }
  const send = async (client: pg.PoolClient, query: Query): Promise<pg.QueryArrayResult> => {
    try {
      return await client.query(names.named(query))
    } catch (error) {
      if (!isPreparedLost(error)) throw error
      names.stop()
      return await client.query(query)
    }
  }
  const begin = <T, Read>(script: string, work: Work<T, Read | undefined>, early?: Early<Read>) =>
    faultsNamed(connections.alone((client) => transact(client, { name, names }, { begin: script, early, work })))
  const once = sessionOf((query) => faultsNamed(connections.alone((client) => send(client, query))))

  return {
    ...once,
    short: sessionOf((query) => faultsNamed(onceMore(() => connections.shared((client) => send(client, query))))),
    name,
    begin,
    transaction: (kind, work) => begin(BEGIN[kind], work),
    connect: async () => {
      const client = new pg.Client(config)
      client.on('error', () => {})
      try {
        await client.connect()
      } catch (error) {
        throw failed(error)
      }
      return client
    },
    adaptToPooler: () =>
      faultsNamed(
        connections.alone(async (client) => {
          if (!(await isPooled(client))) return
          names.stop()
          await transact(client, { name, names }, { begin: 'BEGIN', early: undefined, work: async () => undefined })
        }),
      ),
    cut: () => sockets.cut(),
    close: () => pool.end(),
  }
}

/** A pooler has numbers of its own for its connections. */
async function isPooled(client: pg.PoolClient): Promise<boolean> {
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
  return rows[0]?.pid !== (client as unknown as { processID: number }).processID
}

/** pg leaves a connection open for which there is no password, until the server ends it after a minute. */
function endingWithout(find: () => Promise<string>) {
  return async function (this: pg.Client): Promise<string> {
    try {
      return await find()
    } catch (error) {
      void this.end()
      throw error
    }
  }
}

async function onceMore<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (error) {
    if (!isConnectionLost(error)) throw error
    return read()
  }
}

interface Parts<T, Read> {
  readonly begin: string
  readonly early: Early<Read> | undefined
  readonly work: Work<T, Read | undefined>
}

async function transact<T, Read>(
  client: pg.PoolClient,
  { name, names }: { readonly name: string; readonly names: StatementNames },
  { begin, early, work }: Parts<T, Read>,
): Promise<T> {
  const session = sessionOf((query) => client.query(names.named(query)))
  const last: string[] = []
  const sent: Promise<unknown>[] = []
  const later: Transaction['later'] = (sql, ...values) => {
    const one = session.run(sql, ...values)
    // A failure is found when the transaction ends.
    one.catch(() => {})
    sent.push(one)
  }
  const notify = (channel: string, payload = ''): void => void last.push(`NOTIFY ${channel}, '${payload}'`)
  const tx: PostgresTransaction = { ...session, later, notify }
  let isCommitting = false
  try {
    const begun = session.script(begin)
    const [rows, read] = await Promise.all([begun, early?.(session, begun)])
    const result = await work(tx, rows, read)
    isCommitting = true
    await Promise.all([...sent, session.script([...last, 'COMMIT'].join('; '))])
    return result
  } catch (error) {
    // Statements after the one that failed are refused because of it.
    const ends = await Promise.allSettled(sent)
    const fault = ends.find((end) => end.status === 'rejected')?.reason ?? error
    if (isConnectionLost(fault)) {
      if (isCommitting) throw new CommitInDoubt(name, fault)
      throw fault
    }
    await client.query('ROLLBACK')
    throw fault
  }
}

type Query = pg.QueryArrayConfig & { readonly name?: string }

function sessionOf(send: (query: Query) => Promise<pg.QueryArrayResult>): PostgresSession {
  const query = (text: string, values: readonly Value[]) => send({ text, values: [...values], rowMode: 'array' })
  return {
    dialect: DIALECT,
    all: async <Row>(sql: string, ...values: Value[]) => (await query(sql, values)).rows as unknown as readonly Row[],
    get: async <Row>(sql: string, ...values: Value[]) =>
      (await query(sql, values)).rows[0] as unknown as Row | undefined,
    run: async (sql, ...values) => (await query(sql, values)).rowCount ?? 0,
    script: async (sql) => {
      // pg returns a list for several statements, and one result for one.
      const results: pg.QueryArrayResult | pg.QueryArrayResult[] = await send({ text: sql, rowMode: 'array' })
      return [results].flat().map(({ rows }) => rows)
    },
  }
}

/** Each text is prepared once per connection, under one name. */
class StatementNames {
  readonly #names = new Map<string, string>()
  #isStopped = false

  named(query: Query): Query {
    if (this.#isStopped || query.values === undefined) return query
    const { text } = query
    let name = this.#names.get(text)
    if (name === undefined) {
      name = createHash('sha256').update(text).digest('hex').slice(0, 32)
      this.#names.set(text, name)
    }
    return { ...query, name }
  }

  /** From now on nothing is prepared: a pooler gives each transaction another connection. */
  stop(): void {
    this.#isStopped = true
  }
}
