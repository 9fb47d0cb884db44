import { setTimeout } from 'node:timers/promises'
import { CrmError } from '../../../core/errors.ts'
import { LOCK_WAIT_MS, RETRY_MS } from '../write-queue.ts'

interface Failure {
  readonly what: string
  readonly hint: string
  readonly isRetryable?: true
}

const BUSY: Failure = {
  what: 'is locked by another process',
  hint: 'wait for the other process to finish, or stop it, then try again',
  isRetryable: true,
}

const NOT_WRITABLE: Failure = {
  what: 'cannot be written: permission denied',
  hint: 'check the permissions of the file and of its folder, or name another file with --database',
}

const SQLITE_BUSY = 5

/** Primary result codes of SQLite (https://sqlite.org/rescode.html) caused by the machine, not by a bug. */
const SQLITE_FAILURES: Readonly<Record<number, Failure>> = {
  3: NOT_WRITABLE,
  [SQLITE_BUSY]: BUSY,
  6: BUSY,
  8: NOT_WRITABLE,
  10: { what: 'cannot be read or written: disk I/O error', hint: 'check the disk, then try again' },
  11: { what: 'is damaged', hint: 'restore a backup, or name another file with --database' },
  13: { what: 'cannot grow: the disk is full', hint: 'free some space, then try again', isRetryable: true },
  14: { what: 'cannot be opened', hint: 'check the permissions of its folder, or name another file with --database' },
  15: { what: 'cannot be locked', hint: 'keep the database on a local disk: name another file with --database' },
  26: { what: 'is not a database', hint: 'name another file with --database' },
}

/** Errors of the file system by code. */
const FILE_FAILURES: Readonly<Record<string, Failure>> = {
  EACCES: NOT_WRITABLE,
  EPERM: NOT_WRITABLE,
  EROFS: { what: 'cannot be written: read-only file system', hint: 'name another file with --database' },
  ENOSPC: { what: 'cannot be created: the disk is full', hint: 'free some space, then try again' },
  EDQUOT: { what: 'cannot be created: the disk quota is used up', hint: 'free some space, then try again' },
  ENOTDIR: { what: 'has a file in place of a folder in its path', hint: 'name another file with --database' },
  EEXIST: { what: 'has a file in place of a folder in its path', hint: 'name another file with --database' },
  ENOENT: { what: 'is a dangling link', hint: 'name the file itself with --database' },
  ELOOP: { what: 'is a dangling link', hint: 'name the file itself with --database' },
  ENAMETOOLONG: { what: 'has too long a name', hint: 'name another file with --database' },
}

/** The CrmError for a failed statement or file operation; any other error is returned unchanged. */
export function storageFailure(file: string, error: unknown): unknown {
  const failure = failureOf(error)
  if (!failure) return error
  return new CrmError('machine', `database ${file} ${failure.what}`, {
    hint: failure.hint,
    isRetryable: failure.isRetryable ?? false,
    cause: error,
  })
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
