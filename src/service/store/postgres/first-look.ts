import type { Env } from '../../../core/streams.ts'
import { readAddress } from './address.ts'
import { openPool } from './database.ts'

/** The rows of a table before the database is opened; none if the table is not there. */
export async function lookAt<Row extends readonly unknown[]>(
  address: string,
  env: Env,
  table: string,
  sql: string,
): Promise<readonly Row[]> {
  const database = openPool(readAddress(address, env), {})
  try {
    await database.adaptToPooler()
    const names = await database.all<[string]>(database.dialect.tableNames)
    return names.some(([name]) => name === table) ? await database.all<Row>(sql) : []
  } finally {
    await database.close()
    database.cut()
  }
}
