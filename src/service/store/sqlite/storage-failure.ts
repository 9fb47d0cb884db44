import { setTimeout } from 'node:timers/promises'
import { CrmError } from '../../../core/errors.ts'
import { LOCK_WAIT_MS, RETRY_MS } from '../write-queue.ts'

type Failure = readonly [what: string, hint: string, isRetryable?: true]

/** The flags of `crm serve` and of `crm serve copy`. */
export const OTHER_FILE = 'name another file with --database, or --to of a copy'

const WAIT = 'wait for the other process to finish, or stop it, then try again'

const BUSY: Failure = ['is locked by another process', WAIT, true]

const CHECK = `check the permissions of the file and of its folder, or ${OTHER_FILE}`

const NOT_WRITABLE: Failure = ['cannot be written: permission denied', CHECK]

const SQLITE_BUSY = 5

/** Primary result codes of SQLite (https://sqlite.org/rescode.html) caused by the machine, not by a bug. */
const SQLITE_FAILURES: Readonly<Record<number, Failure>> = {
  3: NOT_WRITABLE,
  [SQLITE_BUSY]: BUSY,
  6: BUSY,
  8: NOT_WRITABLE,
  10: ['cannot be read or written: disk I/O error', 'check the disk, then try again'],
  11: ['is damaged', `restore a backup, or ${OTHER_FILE}`],
  13: ['cannot grow: the disk is full', 'free some space, then try again', true],
  14: ['cannot be opened', `check the permissions of its folder, or ${OTHER_FILE}`],
  15: ['cannot be locked', `keep the database on a local disk: ${OTHER_FILE}`],
  26: ['is not a database', OTHER_FILE],
}

const NO_FOLDER: Failure = ['has a file in place of a folder in its path', OTHER_FILE]

const DANGLING: Failure = ['is a dangling link', 'name the file itself with --database, or --to of a copy']

/** Errors of the file system by code. */
const FILE_FAILURES: Readonly<Record<string, Failure>> = {
  EACCES: NOT_WRITABLE,
  EPERM: NOT_WRITABLE,
  EROFS: ['cannot be written: read-only file system', OTHER_FILE],
  ENOSPC: ['cannot be created: the disk is full', 'free some space, then try again'],
  EDQUOT: ['cannot be created: the disk quota is used up', 'free some space, then try again'],
  ENOTDIR: NO_FOLDER,
  EEXIST: NO_FOLDER,
  ENOENT: DANGLING,
  ELOOP: DANGLING,
  ENAMETOOLONG: ['has too long a name', OTHER_FILE],
}

/** The CrmError for a failed statement or file operation; any other error is returned unchanged. */
export function storageFailure(file: string, error: unknown): unknown {
  const failure = failureOf(error)
  if (!failure) return error
  const [what, hint, isRetryable = false] = failure
  return new CrmError('machine', `database ${file} ${what}`, { hint, isRetryable, cause: error })
}

/** Whether the error means that another process locked the database and nothing was done. */
export function isLockedOut(error: unknown): boolean {
  return error instanceof CrmError && primaryCode(error.cause) === SQLITE_BUSY
}

function failureOf(error: unknown): Failure | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined
  const code = primaryCode(error)
  return code === undefined ? FILE_FAILURES[String(error.code)] : SQLITE_FAILURES[code]
}

/** The low byte of SQLite's extended result code. */
function primaryCode(error: unknown): number | undefined {
  if (!(error instanceof Error && 'errcode' in error && typeof error.errcode === 'number')) return undefined
  return error.errcode & 0xff
}

/** How long a statement blocks this thread for another process: about one commit. */
export const BUSY_TIMEOUT_MS = 10

interface LockWait {
  readonly waitMs?: number | undefined
  /** Called after a wait, with its time, also when it was in vain. */
  readonly onWaited?: ((ms: number) => void) | undefined
}

/** Runs `work`, and repeats it while another process locks the database. */
export async function whenUnlocked<T>(
  work: () => Promise<T>,
  { waitMs = LOCK_WAIT_MS, onWaited }: LockWait = {},
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!isLockedOut(error)) throw error
  }
  const startMs = performance.now()
  try {
    for (;;) {
      await setTimeout(RETRY_MS)
      try {
        return await work()
      } catch (error) {
        if (!isLockedOut(error) || performance.now() >= startMs + waitMs) throw error
      }
    }
  } finally {
    onWaited?.(performance.now() - startMs)
  }
}
