import { DatabaseSync } from 'node:sqlite'
import { isPostgresUri } from '../../../../../src/core/database-uri.ts'
import { connectTo } from '../../../../harness/database.ts'

interface RowChange {
  readonly table: string
  /** Undefined removes the row. */
  readonly change: string | undefined
  readonly where: string
}

/** Changes one row by SQL that both databases understand; throws if there is none. */
export async function changeRow(database: string, { table, change, where }: RowChange): Promise<void> {
  const place = isPostgresUri(database) ? 'ctid' : 'rowid'
  const key = table === 'deliveries' ? 'event_id' : table === 'unique_field_values' ? 'value' : place
  const one = `${key} IN (SELECT ${key} FROM ${table} WHERE ${where} ORDER BY ${key} LIMIT 1)`
  const sql = change === undefined ? `DELETE FROM ${table} WHERE ${one}` : `UPDATE ${table} SET ${change} WHERE ${one}`
  const changed = isPostgresUri(database)
    ? (await (await connectTo(database)).query(sql)).rowCount
    : changeFile(database, sql)
  if (changed !== 1) throw new Error(`${changed} rows are changed by ${sql}`)
}

function changeFile(file: string, sql: string): number {
  const database = new DatabaseSync(file)
  try {
    database.exec('PRAGMA foreign_keys = OFF')
    return Number(database.prepare(sql).run().changes)
  } finally {
    database.close()
  }
}
