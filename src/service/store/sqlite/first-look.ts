import { existsSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { mayWrite, openReadOnly, WAIT_MS } from './read-only.ts'
import { storageFailure } from './storage-failure.ts'

/** The rows of a table before the database is opened; none if the file or the table is not there. */
export function lookAt<Row extends readonly unknown[]>(name: string, table: string, sql: string): readonly Row[] {
  const file = resolve(name)
  if (name === ':memory:' || !existsSync(file)) return []
  try {
    const canWrite = mayWrite(file) && mayWrite(dirname(file))
    // With write permission: a read-only connection that closes last would leave the log.
    using database = canWrite ? new DatabaseSync(file, { timeout: WAIT_MS }) : openReadOnly(file)
    const found = database.prepare('SELECT 1 FROM sqlite_schema WHERE name = ?').get(table)
    if (found === undefined) return []
    const statement = database.prepare(sql)
    statement.setReturnArrays(true)
    return statement.all() as unknown as readonly Row[]
  } catch (error) {
    throw storageFailure(file, error)
  }
}
