import { type CopiedRows, LONG_AT_ONCE, ROWS_AT_ONCE } from '../copy/ends.ts'
import { type CopiedTable, columnsOf, type Row } from '../copy/tables.ts'
import { readPipelines } from '../pipelines.ts'
import type { Connection } from './connection.ts'
import { sqlDatabase } from './sql-database.ts'

/** The rows of a database as they stand in its tables. */
export function copiedRows(db: Connection): CopiedRows {
  return {
    read: async (table, order, after) => readBatch(db, { table, order, after }),
    count: async ({ name }) => db.get<[number]>(`SELECT count(*) FROM ${name}`)?.[0] ?? 0,
    pipelines: () => readPipelines(sqlDatabase(db, undefined)),
    lastSerial: async () => db.get<[number]>('SELECT last_serial FROM sequence')?.[0] ?? 0,
  }
}

interface Batch {
  readonly table: CopiedTable
  readonly order: readonly string[]
  readonly after: Row | undefined
}

function readBatch(db: Connection, { table, order, after }: Batch): readonly Row[] {
  const columns = columnsOf(table)
  const by = order.join(', ')
  const where = after ? `WHERE (${by}) > (${order.map(() => '?').join(', ')})` : ''
  const sql = `SELECT ${columns.join(', ')} FROM ${table.name} ${where} ORDER BY ${by} LIMIT ${ROWS_AT_ONCE}`
  const longAt = table.long === undefined ? -1 : columns.indexOf(table.long)
  const rows: Row[] = []
  let length = 0
  for (const row of db.iterate<Row>(sql, ...(after ?? []))) {
    rows.push(row)
    length += `${row[longAt] ?? ''}`.length
    if (length >= LONG_AT_ONCE) break
  }
  return rows
}
