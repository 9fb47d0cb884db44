import { randomUUID } from 'node:crypto'
import { createReadStream, rmSync, statSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { CrmError } from '../../../core/errors.ts'
import { shellWord } from '../../../core/shell-words.ts'
import { errorCode, toMachineError } from '../../../files/machine-error.ts'
import { backUpDatabase, checkNew } from './backup.ts'
import type { Connection } from './connection.ts'
import { openDatabase } from './open-database.ts'
import { openToRead } from './read-database.ts'
import { storageFailure } from './storage-failure.ts'

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
  const db = openMigrated(temporary)
  try {
    requireOwnSchema(db, backup)
  } catch (error) {
    throw storageFailure(temporary, error)
  } finally {
    db.close()
  }
}

function openMigrated(temporary: string): Connection {
  try {
    return openToRead(temporary)
  } catch (error) {
    if (errorCode(error) !== 'ERR_SQLITE_ERROR') throw error
    // Its tables are not those of the version that it states.
    const message = `database ${temporary} has another schema than it states: ${(error as Error).message}`
    throw new CrmError('machine', message, { hint: 'name another backup', cause: error })
  }
}

/** The file that was read has a temporary name. */
function namingBackup(error: unknown, { temporary, name }: Readonly<Record<'temporary' | 'name', string>>): unknown {
  if (!(error instanceof CrmError) || !error.message.includes(temporary)) return error
  const { hint: before = '', ...details } = error.details
  const hint = before
    .replace('restore a backup', 'restore another one')
    .replace(/^name another file with --database$/, 'name a backup of crm serve')
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

type SchemaObject = readonly [type: string, name: string, sql: string]

/**
 * Throws for a table, index, trigger or view that crm has not made so: a trigger would act on every write of the service.
 * `db` has the present schema. `file` is what the person named; undefined for stdin.
 */
function requireOwnSchema(db: Connection, file: string | undefined): void {
  const found = new Map(objectsOf(db).map((object) => [`${object[0]} ${object[1]}`, object]))
  const made = openDatabase(':memory:', true)
  try {
    for (const [type, name, sql] of objectsOf(made)) {
      const place = `${type} ${name}`
      const [, , foundSql] = found.get(place) ?? []
      if (foundSql !== sql) {
        const fault = foundSql === undefined ? `lacks the ${place}` : `has another ${place} than crm makes`
        throw foreign(db, fault, 'name another backup')
      }
      found.delete(place)
    }
  } finally {
    made.close()
  }
  for (const [type, name] of found.values()) {
    const drop = `DROP ${type.toUpperCase()} "${name.replaceAll('"', '""')}"`
    const hint = file === undefined ? 'name another backup' : `sqlite3 ${shellWord(file)} ${shellWord(drop)}`
    throw foreign(db, `has the ${type} ${JSON.stringify(name)}, which crm does not make`, hint)
  }
}

function foreign(db: Connection, fault: string, hint: string): CrmError {
  return new CrmError('machine', `database ${db.file} ${fault}`, { hint })
}

/** Without those of SQLite itself, such as what ANALYZE writes. SQLite keeps the text of a statement, with its white space. */
function objectsOf(db: Connection): readonly SchemaObject[] {
  const rows = db.all<SchemaObject>(
    `SELECT type, name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY type DESC, name`,
  )
  return rows.map(([type, name, sql]) => [type, name, sql.replaceAll(/\s+/g, ' ').replaceAll(/ ?([(),]) ?/g, '$1')])
}
