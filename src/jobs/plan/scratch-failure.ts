import { CrmError } from '../../core/errors.ts'
import { toMachineError } from '../../files/machine-error.ts'

/** Result codes of SQLite (sqlite.org/rescode.html) that are the disk's doing. */
const TROUBLES: Readonly<Record<number, string>> = {
  8: 'it cannot be written',
  10: 'the disk reports an input/output error',
  13: 'no space left on the disk',
  14: 'a file in it cannot be opened',
}

/** CrmError `machine` where the disk is in the way of planning; every other error as it came. */
export function planningFailure(error: unknown, folder: string): unknown {
  const code = error instanceof Error && 'errcode' in error ? Number(error.errcode) & 0xff : 0
  const trouble = TROUBLES[code]
  if (trouble === undefined) return toMachineError(error, folder)
  return new CrmError('machine', `cannot use ${folder}: ${trouble}`, {
    hint: 'free some space, or name another place with CRM_STATE_HOME; nothing was sent',
    cause: error,
  })
}
