import { CrmError } from '../../../core/errors.ts'
import { indexesOf } from '../copy/indexes.ts'
import type { PostgresSession } from './database.ts'
import { plainTables, SCHEMA } from './schema.ts'

// `pg_restore` makes the tables, then rows table by table, then keys and indexes, and the foreign keys last: one that was
// interrupted can leave a database that has the version, and lacks rows and indexes.

const TABLES = namesOf(SCHEMA)

/** Each is there if its table is; a table of an open resource may be missing, and is made at the start. */
const PARTS = [
  ...[...TABLES, ...namesOf(plainTables())].map((table) => ({ table, name: `${table}_pkey` })),
  ...indexesOf(`${SCHEMA}; ${plainTables()}`),
]

const FOREIGN_KEYS = SCHEMA.match(/ REFERENCES /g)?.length ?? 0

/** CrmError `machine` for a database of the current version that lacks a part of its schema. */
export async function checkWhole(session: PostgresSession & { readonly name: string }): Promise<void> {
  const here = 'current_schema()::regnamespace'
  const [found] = await session.all<[table: string | null, index: string | null, foreignKeys: number]>(
    `WITH here AS MATERIALIZED (SELECT relname FROM pg_class WHERE relnamespace = ${here})
      SELECT (SELECT min(name) FROM unnest($1::text[]) AS name WHERE name NOT IN (SELECT relname FROM here)),
        (SELECT min(name) FROM unnest($2::text[], $3::text[]) AS part (of_table, name)
          WHERE of_table IN (SELECT relname FROM here) AND name NOT IN (SELECT relname FROM here)),
        (SELECT count(*) FROM pg_constraint WHERE contype = 'f' AND connamespace = ${here})`,
    TABLES,
    PARTS.map(({ table }) => table),
    PARTS.map(({ name }) => name),
  )
  const [table, index, foreignKeys = 0] = found ?? []
  if (table) throw incomplete(session.name, `the table ${table}`)
  if (index) throw incomplete(session.name, `the index ${index}`)
  if (foreignKeys < FOREIGN_KEYS) throw incomplete(session.name, 'a foreign key')
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
      [...TABLES, ...namesOf(plainTables())],
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

function namesOf(script: string): readonly string[] {
  return [...script.matchAll(/CREATE (?:UNLOGGED )?TABLE (?:IF NOT EXISTS )?(\w+)/g)].map(([, name = '']) => name)
}
