import { readdirSync } from 'node:fs'
import { errorCode } from './error-code.ts'
import { toMachineError } from './machine-error.ts'

/** The names in a folder; empty for a missing folder. CrmError `machine` without permission to read it. */
export function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return []
    throw toMachineError(error, folder)
  }
}
