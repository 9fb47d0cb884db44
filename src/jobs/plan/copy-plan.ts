import { constants, copyFileSync } from 'node:fs'
import { CrmError } from '../../core/errors.ts'
import { errorCode } from '../../files/error-code.ts'
import { toMachineError } from '../../files/machine-error.ts'
import type { JobPaths } from '../journal/job-folder.ts'

/** CrmError `usage` when there is a file of that name already. */
export async function copyPlan({ plan }: JobPaths, to: string): Promise<void> {
  try {
    copyFileSync(plan, to, constants.COPYFILE_EXCL)
  } catch (cause) {
    if (errorCode(cause) === 'EEXIST') {
      throw new CrmError('usage', `there is a file ${to} already`, { hint: 'name another one, or remove it', cause })
    }
    throw toMachineError(cause, to)
  }
}
