import { CrmError } from '../../core/errors.ts'

/** Result codes of SQLite (sqlite.org/rescode.html) that are errors of the disk or of another process, not of the file. */
const CAUSES: Readonly<Record<number, readonly [why: string, hint: string]>> = {
  5: ['another process has it', 'wait until it has ended, and repeat the command'],
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

/** CrmError `machine` for an error of the disk; undefined for any other, which is damage. */
export function storeError(error: SqliteError, path: string): CrmError | undefined {
  const [why, hint] = CAUSES[error.errcode & 0xff] ?? []
  return why && hint ? new CrmError('machine', `cannot use ${path}: ${why}`, { hint, cause: error }) : undefined
}
