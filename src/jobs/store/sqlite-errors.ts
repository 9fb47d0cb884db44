import { CrmError } from '../../core/errors.ts'

/** SQLITE_BUSY. */
const BUSY = 5

type Cause = readonly [why: string, hint: string]

const HELD: Cause = ['another process has it', 'wait until it has ended, and repeat the command']

/** Primary result codes (sqlite.org/rescode.html) that do not mean that the file is damaged. */
const CAUSES: Readonly<Record<number, Cause>> = {
  [BUSY]: HELD,
  8: ['it cannot be written', 'see its owner and its mode: ls -l'],
  10: ['the disk reports an input/output error', 'check the disk, and repeat the command'],
  13: ['no space left on the disk', 'free some space, or name another place with CRM_STATE_HOME'],
  14: ['it, or a file beside it, cannot be opened', 'see the owner and the mode of its folder: ls -ld'],
}

interface SqliteError extends Error {
  readonly errcode: number
}

export function isSqliteError(error: unknown): error is SqliteError {
  return error instanceof Error && 'errcode' in error
}

export function isSqliteBusy(error: unknown): boolean {
  return isSqliteError(error) && (error.errcode & 0xff) === BUSY
}

/** Undefined if the error means that the file is damaged. */
export function storeError(error: SqliteError, path: string): CrmError | undefined {
  const cause = CAUSES[error.errcode & 0xff]
  return cause && causedBy(cause, path, error)
}

export function storeBusy(path: string): CrmError {
  return causedBy(HELD, path)
}

function causedBy([why, hint]: Cause, path: string, cause?: SqliteError): CrmError {
  return new CrmError('machine', `cannot use ${path}: ${why}`, { hint, cause })
}
