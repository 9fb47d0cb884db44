import { createHash } from 'node:crypto'
import { CrmError } from '../../core/errors.ts'
import { encodeId } from '../../core/ids.ts'
import type { JsonObject } from '../../core/json.ts'
import type { StoredResource } from '../../core/resources/registry.ts'
import { shellWord } from '../../core/shell-words.ts'
import { uniqueValues } from './change-rules.ts'
import { bounded, isShortened, withNul, withoutNul } from './postgres/bounded-text.ts'
import { indexStatements, sharedColumns, type Table, tableOf, tableStatements, tablesOf } from './schema.ts'
import type { Cell, Session, Transaction } from './sql.ts'
import { countFitting } from './walks.ts'

/** Rows that are read, and so kept in memory, at once; fewer of those that are long. */
const ROWS_AT_ONCE = 1000

export interface CopyOptions {
  readonly signal: AbortSignal
  readonly onProgress: (progress: CopyProgress) => void
}

export interface CopyProgress {
  readonly phase: 'copied' | 'compared'
  readonly done: number
  readonly total: number
}

/** A table whose rows are equal in both databases. */
export interface CopiedTable {
  readonly table: string
  readonly rows: number
  /** SHA-256 of its rows in the order of their key, each as a line of JSON: equal rows have one digest in any database. */
  readonly sha256: string
}

/** A row as SQLite has it. */
type Row = readonly Cell[]

/**
 * Makes the tables in the transaction, and copies all rows. CrmError `machine` where one database has other rows than the other
 * afterwards. Indexes come after the rows: sorted once, they take a quarter of the time.
 */
export async function copyRows(
  source: Session,
  target: Transaction,
  { signal, onProgress }: CopyOptions,
): Promise<readonly CopiedTable[]> {
  const { kind } = target.dialect
  const tables = tablesOf(kind)
  // An earlier version of crm left an unfinished copy with its tables.
  for (const { name } of tables.toReversed()) await target.run(`DROP TABLE IF EXISTS ${name}`)
  for (const sql of tables.flatMap((table) => tableStatements(kind, table))) await target.run(sql)
  const copied = tables.filter(({ key }) => key)
  let total = 0
  for (const { name } of copied) total += (await source.get<[number]>(`SELECT count(*) FROM ${name}`))?.[0] ?? 0
  let done = 0
  const tell = (phase: CopyProgress['phase']) => (rows: number) => {
    done += rows
    onProgress({ phase, done, total })
    signal.throwIfAborted()
  }
  for (const table of copied) await copyTable(source, target, table, tell('copied'))
  done = 0
  tell('compared')(0)
  for (const sql of tables.flatMap((table) => [...indexStatements(kind, table).values()])) await target.run(sql)
  const compared: CopiedTable[] = []
  for (const table of copied) {
    const [ours, theirs] = await Promise.all([
      digestOf(source, table, tell('compared')),
      digestOf(target, table, () => {}),
    ])
    if (ours.sha256 !== theirs.sha256) throw differentRows(ours, theirs)
    compared.push(theirs)
  }
  return compared
}

/** Each batch is read while the one before it is written. */
async function copyTable(
  source: Session,
  target: Transaction,
  table: Table,
  onRows: (rows: number) => void,
): Promise<void> {
  // SQLite deletes answers in the order in which they were written, which is that of their age.
  const order = table.name === 'idempotency' && source.dialect.isRemote ? ['at_ms', 'key'] : table.key
  let writing: Promise<void> = Promise.resolve()
  for await (const rows of batches(source, table, order)) {
    await writing
    writing = writeRows(target, table, rows)
    writing.catch(() => {})
    onRows(rows.length)
  }
  await writing
}

async function digestOf(session: Session, table: Table, onRows: (rows: number) => void): Promise<CopiedTable> {
  const hash = createHash('sha256')
  let count = 0
  for await (const rows of batches(session, table, table.key)) {
    for (const row of rows) hash.update(`${JSON.stringify(row)}\n`)
    count += rows.length
    onRows(rows.length)
  }
  return { table: table.name, rows: count, sha256: hash.digest('hex') }
}

/** All rows in the order of unique columns. */
async function* batches(session: Session, table: Table, order: readonly string[] = []): AsyncGenerator<readonly Row[]> {
  const columns = [...sharedColumns(table).keys()]
  const by = order.join(', ')
  let after: Row = []
  for (;;) {
    const where = after.length === 0 ? '' : `WHERE (${by}) > (${after.map((_, place) => `$${place + 1}`).join(', ')})`
    const rest = `FROM ${table.name} ${where} ORDER BY ${by} LIMIT $${after.length + 1}`
    const read = <T extends Row>(what: string, limit: number) =>
      session.all<T>(`SELECT ${what} ${rest}`, ...after, limit)
    const sizes = table.long && (await read<[number | null]>(`octet_length(${table.long})`, ROWS_AT_ONCE))
    const rows = await read(columns.join(', '), sizes ? countFitting(sizes.map(([size]) => size ?? 0)) : ROWS_AT_ONCE)
    const last = rows.at(-1)
    if (!last) return
    yield session.dialect.isRemote ? await Promise.all(rows.map((row) => decoded(session, table, row))) : rows
    after = order.map((name) => last[columns.indexOf(name)] ?? null)
  }
}

async function writeRows(tx: Transaction, table: Table, rows: readonly Row[]): Promise<void> {
  const columns = sharedColumns(table)
  const insert = `INSERT INTO ${table.name} (${[...columns.keys()].join(', ')})`
  const params = [...columns.keys()].map((_, place) => `$${place + 1}`)
  try {
    if (tx.dialect.isRemote) {
      const types = [...columns.values()]
      const lists = types.map((type, place) => rows.map((row) => encoded(type, row[place] ?? null)))
      const given = types.map((type, place) => `${params[place]}::${LIST_TYPES[type] ?? 'text'}[]`)
      await tx.run(`${insert} SELECT * FROM unnest(${given.join(', ')})`, ...lists)
    } else for (const row of rows) tx.later(`${insert} VALUES (${params.join(', ')})`, ...row)
  } catch (error) {
    throw isRefused(error) ? refusedRow(table, rows[0], error) : error
  }
}

const LIST_TYPES: Readonly<Record<string, string>> = { bigint: 'bigint', integer: 'bigint', real: 'double precision' }

function encoded(type: string, cell: Cell): Cell {
  if (typeof cell !== 'string') return cell
  if (type === 'bounded') return bounded(cell)
  return type.startsWith('plain') ? withoutNul(cell) : cell
}

/** Restores the texts that `encoded` wrote. */
async function decoded(session: Session, table: Table, row: Row): Promise<Row> {
  if (!row.some((cell) => typeof cell === 'string' && cell.includes('\u0001'))) return row
  const columns = [...sharedColumns(table)]
  const cellOf = (name: string): string => `${row[columns.findIndex(([column]) => column === name)]}`
  const cells: Cell[] = []
  for (const [place, [name, type]] of columns.entries()) {
    const cell = row[place] ?? null
    if (typeof cell !== 'string' || !/^(bounded|plain)/.test(type)) cells.push(cell)
    else if (type !== 'bounded' || !isShortened(cell)) cells.push(withNul(cell))
    else if (table.resource) cells.push(wholeText(cellOf('text'), name, cell))
    else {
      const table = tableOf(cellOf('resource') as StoredResource)
      const found = await session.get<[string]>(`SELECT text FROM ${table} WHERE id = $1`, Number(cellOf('record_id')))
      cells.push(wholeText(found?.[0] ?? '{}', cellOf('member'), cell))
    }
  }
  return cells
}

/** The member of a record, as it was sent or normalised, that was shortened to this; else the same. */
function wholeText(text: string, member: string, shortened: string): string {
  const texts = [(JSON.parse(text) as JsonObject)[member], uniqueValues(text, [member]).get(member)]
  return (texts.find((each) => typeof each === 'string' && bounded(each) === shortened) as string) ?? shortened
}

/** Invalid data and violated constraints: classes 22 and 23 of PostgreSQL, SQLITE_CONSTRAINT of SQLite. */
function isRefused(error: unknown): error is Error {
  const { code, errcode } = error as { readonly code?: unknown; readonly errcode?: unknown }
  return errcode === undefined ? /^2[23]...$/.test(`${code}`) : (Number(errcode) & 0xff) === 19
}

function refusedRow({ name, key = [], resource }: Table, row: Row = [], cause: Error): CrmError {
  const [id] = row
  const at = resource && typeof id === 'number' ? encodeId(resource, id) : row.slice(0, key.length).join(' ')
  return new CrmError('machine', `the target refuses a row of ${name}, at or after ${at}: ${cause.message}`, {
    hint: 'correct this row in the source, then copy again',
    cause,
  })
}

function differentRows(ours: CopiedTable, theirs: CopiedTable): CrmError {
  const counts = `${ours.rows} rows in the source, ${theirs.rows} in the target`
  return new CrmError('machine', `the table ${ours.table} of the target differs from that of the source: ${counts}`, {
    hint: 'nothing was kept; check the disks and the memory of the machines, then copy again',
  })
}

/** For what opens a database in which a copy has not come to its end. */
export function unfinishedCopy(target: string, source: string): CrmError {
  return new CrmError('machine', `database ${target} is an unfinished copy of ${source}`, {
    hint: `copy again: crm serve copy --from ${shellWord(source)} --to ${shellWord(target)}`,
  })
}

export function notEmpty(target: string): CrmError {
  return new CrmError('machine', `${target} is a database of crm already, expected an empty database`, {
    hint: `name another database with --to; a copy becomes a database of crm at its end, so that if this is one it is complete: crm serve --database ${shellWord(target)}`,
  })
}

/** `seen`: what shows it. */
export function inUse(source: string, seen: string): CrmError {
  return new CrmError('machine', `database ${source} is in use: ${seen}`, {
    hint: 'stop every crm serve on it, then copy again',
    isRetryable: true,
  })
}
