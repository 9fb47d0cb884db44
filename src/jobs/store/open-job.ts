import { existsSync } from 'node:fs'
import type { PlanHead } from '../plan/plan-format.ts'
import { headOfEarlier, openEarlier } from './earlier-form.ts'
import { JobFile } from './job-file.ts'
import type { JobPaths } from './job-folder.ts'

/** The file of a job on this machine, to be closed. CrmError `machine` if it is damaged: it cannot be made again. */
export function openJob(paths: JobPaths): JobFile {
  return existsSync(paths.db) ? new JobFile(paths) : openEarlier(paths)
}

/** What is done with the file of a job. */
export function withJob<Result>(paths: JobPaths, work: (job: JobFile) => Result): Result {
  const job = openJob(paths)
  try {
    return work(job)
  } finally {
    job.close()
  }
}

export function headOf(paths: JobPaths): PlanHead {
  return existsSync(paths.db) ? withJob(paths, ({ head }) => head) : headOfEarlier(paths)
}
