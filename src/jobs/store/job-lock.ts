import { closeSync, existsSync, openSync, rmSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { CrmError } from '../../core/errors.ts'
import { toMachineError } from '../../files/machine-error.ts'
import { isRunning } from '../../files/processes.ts'
import { isJob, type JobPaths } from './job-folder.ts'
import { withJob } from './open-job.ts'
import { isSqliteError, storeError } from './sqlite-errors.ts'

/** Another process takes the lock for a moment to see whether it is free. */
const TAKE_MS = 200

/** Result codes of SQLite, sqlite.org/rescode.html. */
const BUSY = 5
const READONLY = 8

/**
 * Runs `work` while no other process sends or changes the job. The lock is that of an empty database beside the file of the job: the
 * kernel frees it when the process ends, however that ends, and no code but SQLite's opens it, which would free it too
 * (sqlite.org/howtocorrupt.html, 2.2). CrmError `machine` while another process has it.
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

/** Whether another process has it now. */
export function isJobLocked({ lock }: JobPaths): boolean {
  if (!existsSync(lock)) return false
  const database = new DatabaseSync(lock, { timeout: 0 })
  try {
    database.exec('BEGIN IMMEDIATE; ROLLBACK')
    return false
  } catch (error) {
    if (!isSqliteError(error)) throw error
    const code = error.errcode & 0xff
    // Where nothing can be written, nothing is being sent.
    if (code === BUSY || code === READONLY) return code === BUSY
    throw storeError(error, lock) ?? error
  } finally {
    database.close()
  }
}

function take(paths: JobPaths): DatabaseSync {
  const { lock } = paths
  try {
    if (!existsSync(lock)) closeSync(openSync(lock, 'ax', 0o600))
  } catch (error) {
    if (!existsSync(lock)) throw toMachineError(error, lock)
  }
  const database = new DatabaseSync(lock, { timeout: TAKE_MS })
  try {
    database.exec('BEGIN IMMEDIATE')
    return database
  } catch (error) {
    database.close()
    if (!isSqliteError(error)) throw error
    throw (error.errcode & 0xff) === BUSY ? heldError(paths) : (storeError(error, lock) ?? error)
  }
}

function heldError(paths: JobPaths): CrmError {
  const pid = lastSender(paths)
  const holder = pid !== undefined && isRunning(pid) ? `process ${pid}` : 'another process'
  return new CrmError('machine', `${paths.id} is held by ${holder}`, {
    hint: `wait until it ends: crm jobs show ${paths.id}`,
    job: paths.id,
    isBusy: true,
  })
}

/** The process that began to send the job last. */
function lastSender(paths: JobPaths): number | undefined {
  if (!isJob(paths)) return undefined
  const sql = "SELECT text ->> 'pid' FROM event WHERE text ->> 't' = 'open' ORDER BY place DESC LIMIT 1"
  const [[pid] = []] = withJob(paths, (job) => job.rows(sql))
  return typeof pid === 'number' ? pid : undefined
}
