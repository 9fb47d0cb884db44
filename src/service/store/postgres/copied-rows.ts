import { RESOURCES, type StoredResource } from '../../../core/resources/registry.ts'
import { uniqueValues } from '../change-rules.ts'
import { type CopiedRows, LONG_AT_ONCE, ROWS_AT_ONCE } from '../copy/ends.ts'
import {
  type Cell,
  type CopiedTable,
  type CopiedType,
  cellsOf,
  columnsOf,
  filterCell,
  type Row,
} from '../copy/tables.ts'
import { readPipelines } from '../pipelines.ts'
import type { Value } from '../sql.ts'
import { bounded, isShortened, withNul, withoutNul } from './bounded-text.ts'
import type { PostgresSession, PostgresTransaction } from './database.ts'

/** The rows of a database, with texts as clients sent them. */
export function copiedRows(session: PostgresSession): CopiedRows {
  return {
    read: async (table, order, after) => {
      const rows = await session.all<Row>(batchQuery(table, order, after), ...(after ?? []))
      const decoded: Row[] = []
      for (const row of rows) decoded.push(hasOtherForms(table, row) ? await decode(session, table, row) : row)
      return decoded
    },
    count: async ({ name }) => (await session.get<[number]>(`SELECT count(*) FROM ${name}`))?.[0] ?? 0,
    pipelines: () => readPipelines(session),
    lastSerial: async () => (await session.get<[number]>('SELECT last_serial FROM sequence'))?.[0] ?? 0,
  }
}

/** The lengths are added up by the database, so that long rows are not sent. */
function batchQuery(table: CopiedTable, order: readonly string[], after: Row | undefined): string {
  const columns = columnsOf(table).join(', ')
  const by = order.join(', ')
  const where = after ? `WHERE (${by}) > (${order.map((_, place) => `$${place + 1}`).join(', ')})` : ''
  const batch = `SELECT ${columns} FROM ${table.name} ${where} ORDER BY ${by} LIMIT ${ROWS_AT_ONCE}`
  if (table.long === undefined) return batch
  const length = `coalesce(octet_length(${table.long}), 0)`
  const before = `sum(${length}) OVER (ORDER BY ${by} ROWS UNBOUNDED PRECEDING) - ${length}`
  return `SELECT ${columns} FROM (SELECT *, ${before} AS length_before FROM (${batch}) AS batch) AS sized
    WHERE length_before < ${LONG_AT_ONCE} ORDER BY ${by}`
}

const SQL_TYPES: Readonly<Record<CopiedType, string>> = {
  integer: 'bigint',
  real: 'double precision',
  text: 'text',
  'any text': 'text',
  'compared text': 'text',
}

export async function writeRows(tx: PostgresTransaction, table: CopiedTable, rows: readonly Row[]): Promise<void> {
  const columns = Object.entries(table.columns)
  const names = columnsOf(table)
  const lists = columns.map(([, type], place) => rows.map((row) => encode(type, row[place] ?? null)))
  if (table.hasOneRow) {
    const assigned = names.map((name, place) => `${name} = $${place + 1}`).join(', ')
    await tx.run(`UPDATE ${table.name} SET ${assigned}`, ...lists.map((list) => list[0] ?? null))
    return
  }
  const given = columns.map(([, type], place) => `$${place + 1}::${SQL_TYPES[type]}[]`).join(', ')
  const values: readonly Value[] = lists
  await tx.run(`INSERT INTO ${table.name} (${names.join(', ')}) SELECT * FROM unnest(${given})`, ...values)
}

function encode(type: CopiedType, cell: Cell): Cell {
  if (typeof cell !== 'string') return cell
  if (type === 'any text') return withoutNul(cell)
  return type === 'compared text' ? bounded(cell) : cell
}

async function decode(session: PostgresSession, table: CopiedTable, row: Row): Promise<Row> {
  const decoded: Cell[] = []
  for (const [place, [column, type]] of Object.entries(table.columns).entries()) {
    const cell = row[place] ?? null
    decoded.push(isOtherForm(type, cell) ? await textOf(session, table, { row, column, cell }) : cell)
  }
  return decoded
}

function hasOtherForms({ columns }: CopiedTable, row: Row): boolean {
  return Object.values(columns).some((type, place) => isOtherForm(type, row[place] ?? null))
}

function isOtherForm(type: CopiedType, cell: Cell): cell is string {
  return (type === 'any text' || type === 'compared text') && typeof cell === 'string' && cell.includes('\u0001')
}

interface Shown {
  readonly row: Row
  readonly column: string
  readonly cell: string
}

/** Restores a truncated text from its record; returns it unchanged if the text of the record truncates to another. */
async function textOf(session: PostgresSession, table: CopiedTable, { row, column, cell }: Shown): Promise<Cell> {
  if (!isShortened(cell)) return withNul(cell)
  const whole = table.resource ? ownText(table, table.resource, { row, column }) : await uniqueText(session, table, row)
  return typeof whole === 'string' && bounded(whole) === cell ? whole : cell
}

function ownText(table: CopiedTable, resource: StoredResource, { row, column }: Pick<Shown, 'row' | 'column'>): Cell {
  const [text] = cellsOf(table, ['text'], row)
  return filterCell(resource, column, `${text}`)
}

async function uniqueText(session: PostgresSession, table: CopiedTable, row: Row): Promise<Cell> {
  const [resource, member, id = null] = cellsOf(table, ['resource', 'member', 'record_id'], row)
  const { plural } = RESOURCES[resource as StoredResource]
  const [text = '{}'] = (await session.get<[string]>(`SELECT text FROM ${plural} WHERE id = $1`, id)) ?? []
  return uniqueValues(text, [`${member}`]).get(`${member}`) ?? null
}
