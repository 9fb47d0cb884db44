import { accessSync, closeSync, constants, existsSync, openSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { DatabaseSync, type SQLOutputValue } from 'node:sqlite'
import { CrmError } from '../../../core/errors.ts'
import { filterFields } from '../../../core/resources/registry.ts'
import { shellWord } from '../../../core/shell-words.ts'
import { makeFolders } from '../../../files/folders.ts'
import { errorCode } from '../../../files/machine-error.ts'
import { filterColumn, filterColumns } from '../change-rules.ts'
import { unfinishedCopy } from '../copy.ts'
import { defaultPipeline, pipelineStatements } from '../pipelines.ts'
import { columnChanges, FIRST_ROWS, openTablesScript, SCHEMA_NAMES, schemaScript } from '../schema.ts'
import { type Connection, connect, inTransaction } from './connection.ts'
import { MIGRATIONS, SCHEMA_VERSION } from './migrations.ts'
import { mayWrite, openReadOnly } from './read-only.ts'
import { BUSY_TIMEOUT_MS, OTHER_FILE, storageFailure } from './storage-failure.ts'

/** `CRM1`, in the header of every crm database. */
export const APPLICATION_ID = 0x43524d31

/** `CRMc`, in the header of an unfinished copy: no crm takes it for its own. */
export const COPY_ID = 0x43524d63

/** How long a statement blocks this thread for another process while the database is opened and created. */
const OPENING_TIMEOUT_MS = 5000

/** FULL: commits survive a power cut; on macOS only with fullfsync, which no other system has. The write-ahead log is truncated after a burst. */
const SETTINGS = `
  PRAGMA synchronous = FULL;
  PRAGMA fullfsync = ON;
  PRAGMA foreign_keys = ON;
  PRAGMA cache_size = -65536;
  PRAGMA journal_size_limit = 67108864;
  PRAGMA temp_store = MEMORY;
`

interface Opening {
  readonly isCreated: boolean
  /** No other process has the file open then; one that has it open is waited for, as for a lock. */
  readonly isExclusive?: boolean
  /** Throws for a database that is not new and that this is not. Nothing is written before. */
  check(db: Connection): void
  prepare(db: Connection): void
}

/** Opens or creates a crm database; `:memory:` is private to the connection. */
export function openDatabase(name: string, isCreated: boolean, isExclusive = false): Connection {
  const prepare = (db: Connection): void => {
    migrate(db)
    changeFilterColumns(db)
    db.script(openTablesScript('sqlite'))
    db.script(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`)
  }
  return openFile(name, { isCreated, isExclusive, check: (db) => checkIdentity(db), prepare })
}

export function openFile(name: string, { isCreated, isExclusive = false, check, prepare }: Opening): Connection {
  const isInMemory = name === ':memory:'
  // Absolute, as SQLite reads a name that starts with `file:` as a URI with settings.
  const file = isInMemory ? name : resolve(name)
  if (!isInMemory) prepareDatabaseFile(file, isCreated)
  const open = (): DatabaseSync => {
    const database = new DatabaseSync(file, { timeout: OPENING_TIMEOUT_MS })
    database.function('contact_column', { deterministic: true }, contactColumn())
    return database
  }
  return connected(file, open, (db) => {
    // Before the first read, with which the connection then takes the lock of the file.
    if (isExclusive) db.script('PRAGMA locking_mode = EXCLUSIVE')
    // Before anything is written: a database of another program is unchanged.
    if (!isNew(db)) check(db)
    const [mode] = db.get<[string]>('PRAGMA journal_mode = WAL') ?? []
    if (mode !== 'wal' && !isInMemory) throw noWriteAheadLog(file)
    db.script(SETTINGS)
    prepare(db)
  })
}

/** A connection that is closed again when `prepare` throws. */
function connected(file: string, open: () => DatabaseSync, prepare: (db: Connection) => void): Connection {
  try {
    const db = connect(open(), file)
    try {
      prepare(db)
    } catch (error) {
      db.close()
      throw error
    }
    return db
  } catch (error) {
    throw storageFailure(file, error)
  }
}

/** Under a lock, as another process may be creating the same database. */
function migrate(db: Connection): void {
  if (versionOf(db) === SCHEMA_VERSION) return
  inTransaction(db, () => {
    if (isNew(db)) {
      db.script(`${schemaScript('sqlite')}; ${FIRST_ROWS}`)
      for (const statement of pipelineStatements([defaultPipeline()])) db.run(...statement)
    } else {
      checkIdentity(db)
      for (const step of MIGRATIONS.slice(versionOf(db) - 1)) db.script(step)
    }
    db.script(`PRAGMA user_version = ${SCHEMA_VERSION}; PRAGMA application_id = ${APPLICATION_ID};`)
  })
}

/** As an object of crm gets a filter, and one of a user a reference. */
function changeFilterColumns(db: Connection): void {
  const changes = () => columnChanges('sqlite', new Set(db.all<[string]>(SCHEMA_NAMES.sqlite).flat()))
  if (changes().length === 0) return
  inTransaction(db, () => {
    for (const { script, filling } of changes()) {
      db.script(script)
      if (!filling) continue
      const { resource, field, rows, fill } = filling
      const after = (id: number) => db.all<[number, string]>(rows, id)
      for (let page = after(0); page.length > 0; page = after(page.at(-1)?.[0] ?? 0))
        for (const [id, text] of page) db.run(fill, id, filterColumn(resource, field, text))
    }
  })
}

/** For a migration: the value of a contact in the column of a filter. A text is parsed once for all its columns. */
function contactColumn(): (text: SQLOutputValue, name: SQLOutputValue) => string | null {
  const names = filterFields('contact')
  let last: SQLOutputValue | undefined
  let values: readonly (string | null)[] = []
  return (text, name) => {
    if (text !== last) values = filterColumns('contact', `${text}`)
    last = text
    return values[names.indexOf(`${name}`)] ?? null
  }
}

function isNew(db: Connection): boolean {
  const [count] = db.get<[number]>('SELECT count(*) FROM sqlite_schema') ?? []
  return count === 0 && applicationIdOf(db) === 0 && versionOf(db) === 0
}

/** `read-only`: also rejects an older schema, which cannot be migrated. */
export function checkIdentity(db: Connection, mode: 'migrate' | 'read-only' = 'migrate'): void {
  const version = versionOf(db)
  const origin = originOf(db)
  if (origin !== undefined) throw unfinishedCopy(db.file, origin)
  if (applicationIdOf(db) !== APPLICATION_ID || version === 0) {
    throw new CrmError('machine', `database ${db.file} belongs to another program`, {
      hint: OTHER_FILE,
    })
  }
  if (version > SCHEMA_VERSION) {
    throw new CrmError(
      'machine',
      `database ${db.file} was made by a newer crm: its schema is ${version}, expected at most ${SCHEMA_VERSION}`,
      { hint: `update crm, or ${OTHER_FILE}` },
    )
  }
  if (mode === 'read-only' && version < SCHEMA_VERSION) {
    const message = `database ${db.file} was made by an older crm: its schema is ${version}, expected ${SCHEMA_VERSION}`
    throw new CrmError('machine', message, {
      hint: `migrate it as a user with write permission: crm serve stats --database ${shellWord(db.file)}`,
    })
  }
}

/** The source of an unfinished copy. */
export function originOf(db: Connection): string | undefined {
  if (applicationIdOf(db) !== COPY_ID) return undefined
  return db.get<[string]>('SELECT location FROM copy_state')?.[0]
}

function applicationIdOf(db: Connection): number {
  return db.get<[number]>('PRAGMA application_id')?.[0] ?? 0
}

function versionOf(db: Connection): number {
  return db.get<[number]>('PRAGMA user_version')?.[0] ?? 0
}

function noWriteAheadLog(file: string): CrmError {
  return new CrmError('machine', `database ${file} cannot keep a write-ahead log on this file system`, {
    hint: `keep the database on a local disk: ${OTHER_FILE}`,
  })
}

/**
 * Creates an empty file and its folder, readable by the owner alone, or checks that an existing file can be used. SQLite
 * itself would create it with the default mode, and through a link.
 */
function prepareDatabaseFile(file: string, isCreated: boolean): void {
  try {
    if (isCreated && makeFile(file)) return
    if (!isCreated && !existsSync(file)) {
      throw new CrmError('machine', `there is no database ${file}`, { hint: `crm serve --database ${shellWord(file)}` })
    }
    if (!statSync(file).isFile()) {
      throw new CrmError('machine', `database ${file} is not a file`, {
        hint: 'name a file with --database, or --to of a copy',
      })
    }
    accessSync(file, constants.R_OK | constants.W_OK)
  } catch (error) {
    throw storageFailure(file, error)
  }
}

/** `wx` fails when anything has the name, also a dangling link. */
function makeFile(file: string): boolean {
  makeFolders(dirname(file))
  try {
    closeSync(openSync(file, 'wx', 0o600))
    return true
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false
    if (errorCode(error) !== 'ENOENT') throw error
    // The folder exists but files cannot be created in it, as in /proc.
    const message = `database ${file} cannot be created: its folder does not accept files`
    throw new CrmError('machine', message, {
      hint: OTHER_FILE,
      cause: error,
    })
  }
}

/**
 * Opens a crm database for inspection, also without write permission and while services use it. Without write permission
 * the write-ahead log cannot be created, and without writers it is not needed.
 */
export function openToRead(name: string): Connection {
  const file = resolve(name)
  // With write permission: a read-only connection that closes last would leave the log.
  if (!existsSync(file) || (mayWrite(file) && mayWrite(dirname(file)))) return openDatabase(name, false)
  if (!statSync(file, { throwIfNoEntry: false })?.isFile()) return openDatabase(name, false)
  const open = (): DatabaseSync => {
    accessSync(file, constants.R_OK)
    return openReadOnly(file)
  }
  return connected(file, open, (db) => checkIdentity(db, 'read-only'))
}
