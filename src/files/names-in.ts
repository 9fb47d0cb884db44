import { readdirSync } from 'node:fs'
import { errorCode } from './error-code.ts'
import { toMachineError } from './machine-error.ts'

/** What is in a folder; nothing in one that is not there. CrmError `machine` when it may not be read. */
export function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return []
    throw toMachineError(error, folder)
  }
}
