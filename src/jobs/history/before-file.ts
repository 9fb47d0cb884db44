import { closeSync, openSync, writeSync } from 'node:fs'
import { CrmError } from '../../core/errors.ts'
import { errorCode, toMachineError } from '../../files/machine-error.ts'
import type { JobPaths } from '../store/job-folder.ts'
import { openJob } from '../store/open-job.ts'

/**
 * Writes the records that a job will change or delete, as they are, to a file of JSON lines; returns their number. CrmError
 * `usage` if the file exists.
 */
export async function writeBefore(paths: JobPaths, to: string): Promise<number> {
  const file = create(to)
  const job = openJob(paths)
  let count = 0
  try {
    for (const record of job.befores()) {
      writeSync(file, `${record}\n`)
      count += 1
    }
    return count
  } catch (error) {
    throw toMachineError(error, to)
  } finally {
    job.close()
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
