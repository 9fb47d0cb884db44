import { CrmError } from '../../../core/errors.ts'
import { isOpenResource } from '../../../core/resources/registry.ts'
import { indexStatements, schemaScript, type Table, tablesOf } from '../schema.ts'
import type { PostgresSession } from './database.ts'

// `pg_restore` makes the tables, then rows table by table, then keys and indexes, and the foreign keys last: one that was
// interrupted can leave a database that has the version, and lacks rows and indexes.

const TABLES = tablesOf('postgres')

const FOREIGN_KEYS = schemaScript('postgres').match(/ REFERENCES /g)?.length ?? 0

/**
 * False for a database of the current version that lacks the table of an open resource, which is made at the start; CrmError
 * `machine` for one that lacks another part of its schema.
 */
export async function checkWhole(session: PostgresSession & { readonly name: string }): Promise<boolean> {
  const found = new Set((await session.all<[string]>(session.dialect.tableNames)).map(([name]) => name))
  const isThere = ({ name }: Table): boolean => found.has(name)
  for (const table of TABLES) {
    if (!isThere(table) && !(table.resource && isOpenResource(table.resource)))
      throw incomplete(session.name, `the table ${table.name}`)
    const indexes = [`${table.name}_pkey`, ...indexStatements('postgres', table).keys()]
    const lacking = isThere(table) && indexes.find((name) => !found.has(name))
    if (lacking) throw incomplete(session.name, `the index ${lacking}`)
  }
  const [foreignKeys = 0] =
    (await session.get<[number]>(
      `SELECT count(*) FROM pg_constraint WHERE contype = 'f' AND connamespace = current_schema()::regnamespace`,
    )) ?? []
  if (foreignKeys < FOREIGN_KEYS) throw incomplete(session.name, 'a foreign key')
  return TABLES.every(isThere)
}

/** CrmError `machine` for a user that can read, and could store nothing. */
export async function checkRights(session: PostgresSession & { readonly name: string }): Promise<void> {
  const [table, user] =
    (await session.get<[string, string]>(
      `SELECT relname, current_user FROM pg_class
        WHERE relnamespace = current_schema()::regnamespace AND relname = ANY ($1::text[]) AND NOT (
          has_table_privilege(oid, 'SELECT') AND has_table_privilege(oid, 'INSERT')
          AND has_table_privilege(oid, 'UPDATE') AND has_table_privilege(oid, 'DELETE'))
        ORDER BY relname LIMIT 1`,
      TABLES.map(({ name }) => name),
    )) ?? []
  if (table === undefined) return
  throw new CrmError('machine', `the user ${user} of database ${session.name} may not write to its table ${table}`, {
    hint: `as the owner of the tables: GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO ${user}`,
  })
}

export function incomplete(database: string, lacking: string): CrmError {
  return new CrmError('machine', `database ${database} is an incomplete database of crm: it lacks ${lacking}`, {
    hint: 'after a restore that was interrupted, drop it, and restore again with pg_restore --single-transaction',
  })
}
