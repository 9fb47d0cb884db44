import type { PlanOperation } from '../../src/jobs/plan/plan-format.ts'
import type { JobPaths } from '../../src/jobs/store/job-folder.ts'
import { Journal } from '../../src/jobs/store/journal.ts'
import { withJob } from '../../src/jobs/store/open-job.ts'
import { type Entry, JobProgress } from '../../src/jobs/store/progress.ts'

export interface LeftLease {
  readonly leasedMs: number
  readonly windowMs: number
  readonly lifeMs: number
  readonly keyMark: string
}

/**
 * What a process leaves behind that was killed while all requests of its job were on their way; gives the first
 * operation.
 */
export function leaveLease(paths: JobPaths, left: LeftLease): PlanOperation {
  const { leasedMs: time, windowMs: window, lifeMs: life, keyMark: key } = left
  return withJob(paths, (job) => {
    addEntries(paths, [
      { t: 'open', time, wall: time, pid: 1, version: '0', key, window, life },
      { t: 'lease', from: 0, to: job.count, time },
    ])
    return job.operation(0)
  })
}

/** Adds to what is known of a job. */
export function addEntries(paths: JobPaths, entries: readonly Entry[]): void {
  withJob(paths, (job) => {
    const progress = JobProgress.of(job)
    const journal = new Journal(job, progress, () => progress.lastMs ?? 0)
    for (const entry of entries) journal.append(entry)
    journal.close()
  })
}
