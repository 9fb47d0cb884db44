import { closeSync, existsSync, openSync, rmSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { CrmError } from '../../core/errors.ts'
import { errorCode, toMachineError } from '../../files/machine-error.ts'
import { isRunning } from '../../files/processes.ts'
import { isJob, type JobPaths } from './job-folder.ts'
import { withJob } from './open-job.ts'
import { isSqliteBusy, isSqliteError, storeError } from './sqlite-errors.ts'

/** isJobLocked holds the lock for a moment. */
const TAKE_MS = 200

/** SQLITE_READONLY, sqlite.org/rescode.html. */
const READONLY = 8

/**
 * Runs `work` with an exclusive lock on the job: the write lock of an empty SQLite database. The kernel releases it when the process
 * ends. The file must not be opened by other code, because closing it would release the lock (sqlite.org/howtocorrupt.html, 2.2).
 * CrmError `conflict` if another process holds the lock.
 */
export async function withJobLock<Result>(paths: JobPaths, work: () => Promise<Result>): Promise<Result> {
  const database = take(paths)
  try {
    return await work()
  } finally {
    database.close()
    if (!isJob(paths)) rmSync(paths.lock, { force: true })
  }
}

export function isJobLocked({ lock }: JobPaths): boolean {
  if (!existsSync(lock)) return false
  const database = new DatabaseSync(lock, { timeout: 0 })
  try {
    database.exec('BEGIN IMMEDIATE; ROLLBACK')
    return false
  } catch (error) {
    if (isSqliteBusy(error)) return true
    if (!isSqliteError(error)) throw error
    // On a read-only file system, no process can send.
    if ((error.errcode & 0xff) === READONLY) return false
    throw storeError(error, lock) ?? error
  } finally {
    database.close()
  }
}

function take(paths: JobPaths): DatabaseSync {
  const { lock } = paths
  try {
    closeSync(openSync(lock, 'wx', 0o600))
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw toMachineError(error, lock)
  }
  const database = new DatabaseSync(lock, { timeout: TAKE_MS })
  try {
    database.exec('BEGIN IMMEDIATE')
    return database
  } catch (error) {
    database.close()
    if (isSqliteBusy(error)) throw heldError(paths)
    throw (isSqliteError(error) && storeError(error, lock)) || error
  }
}

function heldError(paths: JobPaths): CrmError {
  return new CrmError('conflict', `${paths.id} is held by ${holderOf(paths)}`, {
    hint: `wait until it ends: crm jobs show ${paths.id}`,
    job: paths.id,
    isBusy: true,
  })
}

/** For people: the process that holds the lock. */
export function holderOf(paths: JobPaths): string {
  const pid = lastSender(paths)
  return pid !== undefined && isRunning(pid) ? `process ${pid}` : 'another process'
}

function lastSender(paths: JobPaths): number | undefined {
  if (!isJob(paths)) return undefined
  const sql = "SELECT text ->> 'pid' FROM event WHERE text ->> 't' = 'open' ORDER BY place DESC LIMIT 1"
  const [[pid] = []] = withJob(paths, (job) => job.rows(sql))
  return typeof pid === 'number' ? pid : undefined
}
