import { closeSync, existsSync, openSync, writeSync } from 'node:fs'
import { CrmError } from '../../core/errors.ts'
import { linesOf } from '../../files/lines.ts'
import { errorCode, toMachineError } from '../../files/machine-error.ts'
import type { JobPaths } from '../journal/job-folder.ts'

const RECORD = ',"record":'

/**
 * Writes the records that a job will change or delete, as they are, to a file of JSON lines; returns their number. CrmError
 * `usage` if the file exists.
 */
export async function writeBefore({ before }: JobPaths, to: string): Promise<number> {
  const file = create(to)
  let count = 0
  try {
    if (!existsSync(before)) return 0
    for await (const line of linesOf(before)) {
      // Quotes inside JSON texts are escaped, so this occurs first before the record. It is copied with all digits.
      const record = line.slice(line.indexOf(RECORD) + RECORD.length, -1)
      writeSync(file, `${record}\n`)
      count += 1
    }
    return count
  } catch (error) {
    throw toMachineError(error, to)
  } finally {
    closeSync(file)
  }
}

function create(path: string): number {
  try {
    return openSync(path, 'wx', 0o600)
  } catch (cause) {
    if (errorCode(cause) !== 'EEXIST') throw toMachineError(cause, path)
    throw new CrmError('usage', `the file ${path} already exists; nothing was sent`, {
      hint: 'name another one, or remove it',
      cause,
    })
  }
}
