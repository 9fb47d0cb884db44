import { CrmError } from '../../core/errors.ts'
import type { JobResult } from '../../jobs/job.ts'
import type { Jobs } from '../../jobs/jobs.ts'
import type { RunHooks } from '../../jobs/send/run-job.ts'
import type { RunTerms } from '../../jobs/send/services.ts'
import type { JobPaths } from '../../jobs/store/job-folder.ts'
import type { TrackedRows } from './under-way.ts'

/** The defaults of the commands, which leave a part of the rate limit to other clients. */
export const TERMS: RunTerms = { concurrency: undefined, rateShare: 0.8, maxErrors: undefined, maxOutageMs: 600_000 }

export interface JobToSend {
  readonly jobs: Jobs
  readonly paths: JobPaths
  readonly onEnd?: RunHooks['onEnd'] | undefined
}

/** Sends what is left of a job, with its progress on the screen, until it has ended or the stop key is pressed. */
export function sendInBackground({ stop, watch }: TrackedRows, { jobs, paths, onEnd }: JobToSend): Promise<JobResult> {
  let pausedBy: string | undefined
  return jobs.of(paths).run(TERMS, {
    stop,
    onStart: ({ counts }, { count: total }) =>
      watch(() => {
        const { done, failed, doubt } = counts
        return { total, ended: done + failed + doubt, failed: failed + doubt, pausedBy, jobId: paths.id }
      }),
    onPause: (pause) => {
      pausedBy = pause?.why
    },
    onEnd: onEnd ?? (() => {}),
  })
}

/** Whether it was stopped, by the stop key or with the program. */
export function isInterrupted(error: unknown): error is CrmError {
  return error instanceof CrmError && error.code === 'interrupted'
}
