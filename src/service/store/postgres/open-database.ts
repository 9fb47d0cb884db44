import { CrmError } from '../../../core/errors.ts'
import { isOpenResource } from '../../../core/resources/registry.ts'
import { filterColumn } from '../change-rules.ts'
import { unfinishedCopy } from '../copy.ts'
import { defaultPipeline, pipelineStatements } from '../pipelines.ts'
import {
  columnChanges,
  FIRST_ROWS,
  indexStatements,
  openTablesScript,
  SCHEMA_NAMES,
  schemaScript,
  type Table,
  tablesOf,
} from '../schema.ts'
import type { PostgresDatabase, PostgresSession, PostgresTransaction } from './database.ts'
import { MIGRATIONS, SCHEMA_VERSION, versionAfter } from './migrations.ts'
import { SCHEMA_LOCK } from './sequence.ts'

/** Older ones get no updates. */
const OLDEST_VERSION = 130_000

/** In the table that names the version, and so the program. */
const VERSION_TABLE = 'crm_schema'

/** In its place until the end of a copy: no crm takes the database for its own. */
export const COPY_TABLE = 'crm_copy'

export interface Preparing {
  /** False: a database without the tables is an error. */
  readonly isCreated: boolean
  /** Nothing is written: an older schema is an error. */
  readonly isOnlyRead: boolean
  /** The hint where the tables are missing; undefined: the command that makes them. */
  readonly hintIfMissing?: string
}

/** Makes or migrates the tables, once, whichever of several processes comes first; `steps` are those of the schema. */
export async function prepareDatabase(
  database: PostgresDatabase,
  preparing: Preparing,
  steps: readonly string[] = MIGRATIONS,
): Promise<void> {
  await database.adaptToPooler()
  await checkVersionAndEncoding(database)
  const version = await versionOf(database)
  const newest = versionAfter(steps)
  if (version === newest && (await checkWhole(database))) return
  const origin = version === undefined ? await readOrigin(database) : undefined
  if (origin !== undefined) throw unfinishedCopy(database.name, origin)
  if (version === undefined && !preparing.isCreated) throw missing(database.name, preparing.hintIfMissing)
  if (preparing.isOnlyRead) {
    if (version === newest) return
    throw version === undefined ? missing(database.name) : otherVersion(database.name, version, newest)
  }
  await database.begin(`BEGIN; SELECT pg_advisory_xact_lock(${SCHEMA_LOCK})`, async (tx) =>
    migrate(tx, database.name, steps),
  )
}

async function migrate(tx: PostgresTransaction, name: string, steps: readonly string[]): Promise<void> {
  const version = await versionOf(tx)
  if (version === undefined) {
    await checkEmpty(tx, name)
    await tx.script(`${schemaScript('postgres')}; ${FIRST_ROWS}`)
    await markVersion(tx)
    for (const statement of pipelineStatements([defaultPipeline()])) await tx.run(...statement)
  } else {
    const newest = versionAfter(steps)
    if (version > newest) throw otherVersion(name, version, newest)
    for (const step of steps.slice(version - 1)) await tx.script(step)
    await tx.script(`UPDATE ${VERSION_TABLE} SET version = ${newest}`)
  }
  await changeFilterColumns(tx)
  await tx.script(openTablesScript('postgres'))
}

/** As an object of crm gets a filter, and one of a user a reference. */
async function changeFilterColumns(tx: PostgresTransaction): Promise<void> {
  for (const { script, filling } of await changesIn(tx)) {
    await tx.script(script)
    if (!filling) continue
    const { resource, field, rows, fill } = filling
    const after = (id: number) => tx.all<[number, string]>(rows, id)
    for (let page = await after(0); page.length > 0; page = await after(page.at(-1)?.[0] ?? 0)) {
      for (const [id, text] of page) {
        const value = filterColumn(resource, field, text)
        if (value !== null) tx.later(fill, id, tx.dialect.bounded(value))
      }
    }
  }
}

async function changesIn(session: PostgresSession): Promise<ReturnType<typeof columnChanges>> {
  return columnChanges('postgres', new Set((await session.all<[string]>(SCHEMA_NAMES.postgres)).flat()))
}

/** Makes a database with the tables one of crm. */
export async function markVersion(tx: PostgresTransaction): Promise<void> {
  await tx.script(`CREATE TABLE ${VERSION_TABLE} (version integer NOT NULL);
    INSERT INTO ${VERSION_TABLE} VALUES (${SCHEMA_VERSION})`)
}

export async function checkVersionAndEncoding(session: PostgresSession): Promise<void> {
  const [[[version = '0', encoding = ''] = []] = []] = await session.script(
    `SELECT current_setting('server_version_num'), current_setting('server_encoding')`,
  )
  if (Number(version) < OLDEST_VERSION) {
    throw new CrmError('machine', `expected PostgreSQL 13 or newer, got ${Math.floor(Number(version) / 10_000)}`, {
      hint: 'update PostgreSQL',
    })
  }
  if (encoding !== 'UTF8') {
    throw new CrmError('machine', `expected a database in UTF8, got ${encoding}`, {
      hint: 'make one: createdb --encoding UTF8 --template template0 DATABASE',
    })
  }
}

/**
 * Reads pg_class: `to_regclass` takes no lock, so that after a wait for another process that makes the tables it may still
 * answer from a cache that lacks them.
 */
export async function versionOf(session: PostgresSession): Promise<number | undefined> {
  if (!(await hasTable(session, VERSION_TABLE))) return undefined
  return (await session.get<[number]>(`SELECT version FROM ${VERSION_TABLE}`))?.[0]
}

/** The source of an unfinished copy. */
export async function readOrigin(session: PostgresSession): Promise<string | undefined> {
  if (!(await hasTable(session, COPY_TABLE))) return undefined
  return (await session.get<[string]>(`SELECT location FROM ${COPY_TABLE}`))?.[0]
}

async function hasTable(session: PostgresSession, name: string): Promise<boolean> {
  const found = await session.get(
    `SELECT 1 FROM pg_class WHERE relname = '${name}' AND relnamespace = current_schema()::regnamespace`,
  )
  return found !== undefined
}

/** A database of another program is unchanged. */
export async function checkEmpty(tx: PostgresSession, name: string): Promise<void> {
  const found = await tx.get<[string]>(
    `SELECT relname FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
      WHERE relkind IN ('r', 'p', 'v') AND nspname = current_schema()
      ORDER BY relname = '${VERSION_TABLE}' DESC, relname LIMIT 1`,
  )
  if (!found) return
  if (found[0] === VERSION_TABLE) throw incomplete(name, `the row of the table ${VERSION_TABLE}`)
  throw new CrmError('machine', `database ${name} belongs to another program: it has a table ${found[0]}`, {
    hint: 'make one of its own: createdb DATABASE',
  })
}

function missing(name: string, hint = `crm serve --database '${name}'`): CrmError {
  return new CrmError('machine', `there is no database of crm at ${name}`, { hint })
}

function otherVersion(name: string, version: number, newest: number): CrmError {
  if (version > newest) {
    const message = `database ${name} was made by a newer crm: its schema is ${version}, expected at most ${newest}`
    return new CrmError('machine', message, { hint: 'update crm, or name another database' })
  }
  const message = `database ${name} was made by an older crm: its schema is ${version}, expected ${newest}`
  return new CrmError('machine', message, {
    hint: `migrate it as a user that may change its tables: crm serve --database '${name}'`,
  })
}

// `pg_restore` makes the tables, then rows table by table, then keys and indexes, and the foreign keys last: one that was
// interrupted can leave a database that has the version, and lacks rows and indexes.

const TABLES = tablesOf('postgres')

const FOREIGN_KEYS = schemaScript('postgres').match(/ REFERENCES /g)?.length ?? 0

/**
 * False for a database of the current version that lacks the table or a filter of an open resource, made at the start; CrmError
 * `machine` for one that lacks another part of its schema.
 */
async function checkWhole(session: PostgresSession & { readonly name: string }): Promise<boolean> {
  const found = new Set((await session.all<[string]>(session.dialect.tableNames)).map(([name]) => name))
  const changes = await changesIn(session)
  const isThere = ({ name, resource }: Table): boolean =>
    found.has(name) && !changes.some(({ filling }) => filling && filling.resource === resource)
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
  return changes.length === 0 && TABLES.every(isThere)
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

function incomplete(database: string, lacking: string): CrmError {
  return new CrmError('machine', `database ${database} is an incomplete database of crm: it lacks ${lacking}`, {
    hint: 'after a restore that was interrupted, drop it, and restore again with pg_restore --single-transaction',
  })
}
