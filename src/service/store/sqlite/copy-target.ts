import { failedRow, notEmpty, otherVersion, overtaken } from '../copy/copy-failures.ts'
import type { CopyTarget } from '../copy/ends.ts'
import { indexesOf, withoutIndexes } from '../copy/indexes.ts'
import { type CopiedTable, columnsOf, type Row } from '../copy/tables.ts'
import { pipelineStatements } from '../pipelines.ts'
import { type Connection, inTransaction } from './connection.ts'
import { copiedRows } from './copied-rows.ts'
import { COPY_ID, readOrigin, readPlace, STATE_TABLE, writeOrigin, writePlace } from './copy-state.ts'
import { SCHEMA_VERSION } from './migrations.ts'
import { APPLICATION_ID, checkIdentity, openFile, plainTables } from './open-database.ts'
import { SCHEMA } from './schema.ts'
import { isLockedOut, storageFailure } from './storage-failure.ts'

/** Opens a missing or empty file, or an unfinished copy, which no other process can open until `work` ends. */
export async function withSqliteTarget<T>(file: string, work: (target: CopyTarget) => Promise<T>): Promise<T> {
  const db = open(file)
  try {
    return await work(copyTarget(db))
  } finally {
    db.close()
  }
}

function open(file: string): Connection {
  try {
    return openFile(file, { isCreated: true, isExclusive: true, check: checkUnfinished, prepare: () => {} })
  } catch (error) {
    throw isLockedOut(error) ? overtaken({ name: file }) : error
  }
}

function checkUnfinished(db: Connection): void {
  if (!readOrigin(db)) {
    checkIdentity(db)
    throw notEmpty(db.file)
  }
  const [version] = db.get<[number]>('PRAGMA user_version') ?? []
  if (version !== SCHEMA_VERSION) throw otherVersion({ name: db.file })
}

function script(): string {
  return `${SCHEMA}; ${plainTables()}`
}

function copyTarget(db: Connection): CopyTarget {
  /** Failures of the disk get their message. */
  const inStorage = async (work: () => void): Promise<void> => {
    try {
      work()
    } catch (error) {
      throw storageFailure(db.file, error)
    }
  }
  return {
    ...copiedRows(db),
    name: db.file,
    origin: readOrigin(db),
    place: async () => readPlace(db),
    begin: (origin, pipelines, first) =>
      inStorage(() =>
        inTransaction(db, () => {
          db.script(`${withoutIndexes(script())}; ${STATE_TABLE}`)
          for (const statement of pipelineStatements(pipelines)) db.run(...statement)
          writeOrigin(db, origin, first)
          db.script(`PRAGMA user_version = ${SCHEMA_VERSION}; PRAGMA application_id = ${COPY_ID}`)
        }),
      ),
    write: (table, rows, { to }) =>
      inStorage(() => {
        // What a power cut takes away, is copied again.
        db.run('PRAGMA synchronous = NORMAL')
        inTransaction(db, () => {
          writeRows(db, table, rows)
          writePlace(db, to)
        })
      }),
    addIndexes: () =>
      inStorage(() =>
        inTransaction(db, () =>
          db.script(
            indexesOf(script())
              .map(({ sql }) => sql)
              .join('; '),
          ),
        ),
      ),
    finish: () =>
      inStorage(() => {
        db.run('PRAGMA synchronous = FULL')
        inTransaction(db, () => db.script(`DROP TABLE copy_state; PRAGMA application_id = ${APPLICATION_ID}`))
      }),
  }
}

function writeRows(db: Connection, table: CopiedTable, rows: readonly Row[]): void {
  const columns = columnsOf(table)
  const verb = table.hasOneRow ? 'INSERT OR REPLACE' : 'INSERT'
  const sql = `${verb} INTO ${table.name} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`
  for (const row of rows) {
    try {
      db.run(sql, ...row)
    } catch (error) {
      throw storageFailure(db.file, error) === error ? failedRow({ name: db.file }, { table, row }, error) : error
    }
  }
}
