import { DatabaseSync } from 'node:sqlite'
import { isPostgresUri } from '../../../../../src/core/database-uri.ts'
import { connectTo } from '../../../../harness/database.ts'

const OF_FILE = 'SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY name'

const OF_POSTGRES = `SELECT table_name AS name, column_name || ' ' || data_type || ' ' || is_nullable AS sql FROM information_schema.columns
    WHERE table_schema = 'public'
  UNION ALL SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'public'
  UNION ALL SELECT conname, pg_get_constraintdef(oid) FROM pg_constraint WHERE connamespace = 'public'::regnamespace
  ORDER BY 1, 2`

/** The tables, indexes, triggers and constraints of a database, and what says that it is one of crm. */
export async function schemaOf(database: string): Promise<readonly unknown[]> {
  if (isPostgresUri(database)) return (await (await connectTo(database)).query(OF_POSTGRES)).rows
  const connection = new DatabaseSync(database, { readOnly: true })
  const rows = ['PRAGMA application_id', 'PRAGMA user_version', OF_FILE].map((sql) => connection.prepare(sql).all())
  connection.close()
  return rows.flat()
}
