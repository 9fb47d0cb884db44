import { inUse } from '../copy/copy-failures.ts'
import type { CopySource } from '../copy/ends.ts'
import type { Connection } from './connection.ts'
import { copiedRows } from './copied-rows.ts'
import { openDatabase } from './open-database.ts'
import { isLockedOut } from './storage-failure.ts'

/** Until `work` ends no other process can open the file; CrmError `machine` if one has it open. */
export async function withSqliteSource<T>(file: string, work: (source: CopySource) => Promise<T>): Promise<T> {
  const db = openExclusively(file)
  try {
    return await work({ ...copiedRows(db), name: db.file, orderOf: ({ key }) => key })
  } finally {
    db.close()
  }
}

/** A service has the file open for as long as it runs. */
function openExclusively(file: string): Connection {
  try {
    return openDatabase(file, false, true)
  } catch (error) {
    throw isLockedOut(error) ? inUse(file, 'another process has it open') : error
  }
}
