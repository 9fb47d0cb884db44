import { DatabaseSync } from 'node:sqlite'
import { inject } from 'vitest'
import { connectTo } from './database.ts'

type Rows = Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>

/** Every table of a database of `newDatabase` with its rows, by name. */
export async function tableRows(address: string): Promise<Rows> {
  return inject('postgres') ? rowsOfPostgres(address) : rowsOfSqlite(address)
}

/** Runs a statement in one, past the service. */
export async function execute(address: string, sql: string): Promise<void> {
  if (inject('postgres')) {
    await (await connectTo(address)).query(sql)
    return
  }
  const db = new DatabaseSync(address)
  db.exec(sql)
  db.close()
}

function rowsOfSqlite(file: string): Rows {
  const db = new DatabaseSync(file, { readOnly: true })
  const names = db.prepare(`SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'`).all()
  const rows = names.map(({ name }) => [name, db.prepare(`SELECT * FROM "${name}"`).all()])
  db.close()
  return Object.fromEntries(rows)
}

async function rowsOfPostgres(address: string): Promise<Rows> {
  const client = await connectTo(address)
  const { rows: names } = await client.query(
    `SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace`,
  )
  const tables: [string, Rows[string]][] = []
  for (const { relname } of names) {
    tables.push([relname, (await client.query(`SELECT * FROM ${relname} ORDER BY ctid`)).rows])
  }
  return Object.fromEntries(tables)
}
