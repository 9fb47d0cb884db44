import { dirname } from 'node:path'
import type { JobPaths } from '../journal/job-folder.ts'
import { allJobs, headOf } from './find-jobs.ts'

/**
 * A later job with the rows of this one: of the same run, or its undo. It may have sent a row in doubt, under a key of a
 * higher generation, so this job must not send it again. A retry without a file has only failed rows.
 */
export function successorOf(paths: JobPaths): string | undefined {
  const own = headOf(paths)
  const later = allJobs(dirname(paths.folder)).filter(({ id }) => id > paths.id)
  return later.find((each) => {
    const { kind, run, of, account, input } = headOf(each)
    if (kind === 'retry' && !input) return false
    return of === paths.id || (run === own.run && account === own.account)
  })?.id
}
