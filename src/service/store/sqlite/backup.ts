import { randomUUID } from 'node:crypto'
import { closeSync, createReadStream, fsyncSync, lstatSync, openSync, rmSync, statSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { CrmError } from '../../../core/errors.ts'
import { shellWord } from '../../../core/shell-words.ts'
import { errorCode, syncFolder, toMachineError } from '../../../files/machine-error.ts'
import { renamePath } from '../../../files/replace-file.ts'
import { ownTableScript } from '../schema.ts'
import { objectsIn, READ_OBJECTS } from '../stored-objects.ts'
import type { Connection } from './connection.ts'
import { openDatabase, openToRead } from './open-database.ts'
import { OTHER_FILE, storageFailure } from './storage-failure.ts'

const SQLITE_CORRUPT = 11

/**
 * Copies a consistent state of a database while services write to it. Uses VACUUM INTO, which reads in one transaction:
 * SQLite's backup interface restarts at every commit of another process and may never end. The copy is checked before it is
 * renamed. CrmError `machine` when it cannot be made.
 */
export async function backUpDatabase(file: string, target: string): Promise<{ readonly sizeBytes: number }> {
  checkNew(target)
  const source = openToRead(file)
  const temporary = temporaryBeside(target)
  try {
    // VACUUM INTO accepts an empty file; SQLite itself would create one that others can read.
    closeSync(openSync(temporary, 'wx', 0o600))
    source.run('VACUUM INTO ?', temporary)
    checkCopy(temporary)
    syncFile(temporary)
    await renamePath(temporary, target)
    await syncFolder(dirname(target))
    return { sizeBytes: statSync(target).size }
  } catch (error) {
    rmSync(temporary, { force: true })
    const failure = toMachineError(error, target)
    const isDamage = error instanceof Error && 'errcode' in error && error.errcode === SQLITE_CORRUPT
    throw failure === error ? storageFailure(isDamage ? file : target, error) : failure
  } finally {
    source.close()
  }
}

/** A dangling link counts as existing. */
function checkNew(target: string): void {
  try {
    if (lstatSync(target, { throwIfNoEntry: false }) === undefined) return
  } catch (error) {
    throw toMachineError(error, target)
  }
  throw new CrmError('machine', `${target} exists, and is not replaced`, { hint: 'name another file' })
}

/** Otherwise damage in the source would be found only on restore. */
function checkCopy(path: string): void {
  const copy = new DatabaseSync(path, { readOnly: true })
  try {
    const [first] = copy.prepare('PRAGMA integrity_check(1)').all()
    if (first?.integrity_check === 'ok') return
    throw new CrmError('machine', `the database is damaged: ${String(first?.integrity_check)}`, {
      hint: 'keep its files unchanged, and restore an earlier backup',
    })
  } finally {
    copy.close()
  }
}

function syncFile(path: string): void {
  // Windows syncs no file that is open for reading alone.
  const descriptor = openSync(path, 'r+')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

// Backups through a pipe. They pass through a file beside the database, which only its owner can read, and which is removed.

export async function* copiedBytes(database: string): AsyncGenerator<Uint8Array, void, undefined> {
  const temporary = temporaryBeside(database)
  try {
    await backUpDatabase(database, temporary)
    yield* createReadStream(temporary, { highWaterMark: 1024 * 1024 })
  } finally {
    rmSync(temporary, { force: true })
  }
}

/**
 * The copy of a backup is made as a backup is: it is checked and synced before it gets its name, and replaces nothing. The backup
 * itself is not opened, because that would bring an older one to the present schema.
 */
export async function restoreDatabase(
  backup: string | AsyncIterable<Uint8Array | string>,
  target: string,
): Promise<{ readonly sizeBytes: number }> {
  const temporary = temporaryBeside(target)
  const name = typeof backup === 'string' ? backup : 'stdin'
  checkNew(target)
  try {
    await writeAll(temporary, typeof backup === 'string' ? bytesOf(backup) : backup)
    requireOwn(temporary, typeof backup === 'string' ? backup : undefined)
    return await backUpDatabase(temporary, target)
  } catch (error) {
    throw namingBackup(error, { temporary, name })
  } finally {
    for (const end of ['', '-wal', '-shm']) rmSync(`${temporary}${end}`, { force: true })
  }
}

function requireOwn(temporary: string, backup: string | undefined): void {
  let db: Connection | undefined
  try {
    db = openToRead(temporary)
    requireOwnSchema(db, backup)
  } catch (cause) {
    const error = storageFailure(temporary, cause)
    if (db || errorCode(error) !== 'ERR_SQLITE_ERROR') throw error
    // Its tables are not those of the version that it states.
    const message = `database ${temporary} has another schema than it states: ${(cause as Error).message}`
    throw new CrmError('machine', message, { hint: 'name another backup', cause })
  } finally {
    db?.close()
  }
}

/** The file that was read has a temporary name. */
function namingBackup(error: unknown, { temporary, name }: Readonly<Record<'temporary' | 'name', string>>): unknown {
  if (!(error instanceof CrmError) || !error.message.includes(temporary)) return error
  const { hint: before = '', ...details } = error.details
  const hint =
    before === OTHER_FILE ? 'name a backup of crm serve' : before.replace('restore a backup', 'restore another one')
  return new CrmError(error.code, error.message.replace(`database ${temporary}`, `the backup ${name}`), {
    ...details,
    hint,
  })
}

/** CrmError `machine` for a database in use, whose last writes stand in another file. */
async function* bytesOf(backup: string): AsyncGenerator<Uint8Array, void, undefined> {
  if ((statSync(`${backup}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0) {
    throw new CrmError('machine', `${backup} is in use, or was not closed: it has a write-ahead log`, {
      hint: `crm serve backup FILE --database ${shellWord(backup)}`,
    })
  }
  try {
    yield* createReadStream(backup)
  } catch (error) {
    if (errorCode(error) === 'ENOENT')
      throw new CrmError('machine', `there is no file ${backup}`, { hint: 'name another backup', cause: error })
    throw toMachineError(error, backup)
  }
}

async function writeAll(path: string, bytes: AsyncIterable<Uint8Array | string>): Promise<void> {
  let sizeBytes = 0
  try {
    const file = await open(path, 'wx', 0o600)
    try {
      for await (const chunk of bytes) {
        await file.appendFile(chunk)
        sizeBytes += chunk.length
      }
    } finally {
      await file.close()
    }
  } catch (error) {
    throw toMachineError(error, path)
  }
  // SQLite takes an empty file for a new database.
  if (sizeBytes === 0) throw new CrmError('machine', 'the backup is empty', { hint: 'name another backup' })
}

function temporaryBeside(path: string): string {
  return join(dirname(path), `.${basename(path)}.${randomUUID()}`)
}

/**
 * Throws for a table, index, trigger or view that crm has not made so: a trigger would act on every write of the service.
 * `db` has the present schema. `file` is what the person named; undefined for stdin.
 */
function requireOwnSchema(db: Connection, file: string | undefined): void {
  const refuse = (fault: string, hint: string): never => {
    throw new CrmError('machine', `database ${db.file} ${fault}`, { hint })
  }
  const found = objectsOf(db)
  const empty = openDatabase(':memory:', true)
  for (const [plural, object] of Object.entries(objectsIn(db.all(READ_OBJECTS))))
    empty.script(ownTableScript('sqlite', plural, object))
  const made = objectsOf(empty)
  empty.close()
  for (const [object, sql] of made) {
    if (!found.has(object)) refuse(`lacks the ${object}`, 'name another backup')
    if (found.get(object) !== sql) refuse(`has another ${object} than crm makes`, 'name another backup')
  }
  const extra = [...found.keys()].find((object) => !made.has(object) && !OWN_INDEX.test(found.get(object) ?? ''))
  if (extra === undefined) return
  const [type = '', name = ''] = extra.split(/ (.*)/s)
  const drop = `DROP ${type.toUpperCase()} "${name.replaceAll('"', '""')}"`
  const hint = file === undefined ? 'name another backup' : `sqlite3 ${shellWord(file)} ${shellWord(drop)}`
  refuse(`has the ${type} ${JSON.stringify(name)}, which crm does not make`, hint)
}

/** By type and name, without those of SQLite itself, such as what ANALYZE writes. SQLite keeps the white space of a statement. */
function objectsOf(db: Connection): ReadonlyMap<string, string> {
  const rows = db.all<[string, string]>(
    `SELECT type || ' ' || name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY type DESC, name`,
  )
  return new Map(
    rows.map(([object, sql]) => [object, columnsInOrder(sql.replaceAll(/\s+/g, ' ').replaceAll(/ ?([(),]) ?/g, '$1'))]),
  )
}

/** Of a column that an object of a user has, or had as a start with another file failed. */
const OWN_INDEX = /^CREATE INDEX own_\w+ ON own_\w+\(f_\w+\)$/

/** Columns of objects of users are in the order in which they were added, and stay when their fields are no references any more. */
function columnsInOrder(sql: string): string {
  return sql.startsWith('CREATE TABLE own_') ? sql.replaceAll(/,f_\w+ TEXT(?=[,)])/g, '') : sql
}
