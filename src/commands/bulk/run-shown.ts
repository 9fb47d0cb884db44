import type { Context } from '../../context.ts'
import type { JobResult } from '../../jobs/job.ts'
import type { Jobs } from '../../jobs/jobs.ts'
import type { RunHooks } from '../../jobs/send/run-job.ts'
import type { RunTerms } from '../../jobs/send/services.ts'
import type { JobPaths } from '../../jobs/store/job-folder.ts'
import { createJobProgress } from '../../output/progress.ts'

interface Run {
  readonly paths: JobPaths
  readonly terms: RunTerms
  readonly hooks?: Partial<Pick<RunHooks, 'onStart' | 'onEnd'>>
}

/** Sends what is left of a job, with its progress on stderr. */
export async function runShown(
  { io, now, flags }: Pick<Context, 'io' | 'now' | 'flags'>,
  jobs: Pick<Jobs, 'of'>,
  { paths, terms, hooks = {} }: Run,
): Promise<JobResult> {
  const progress = createJobProgress({ stderr: io.stderr, flag: flags.isQuiet ? 'none' : flags.progress, now })
  let total = 0
  let live: { readonly done: number; readonly failed: number } = { done: 0, failed: 0 }
  const counts = () => ({ done: live.done + live.failed, total, failed: live.failed })
  const result = await jobs.of(paths).run(terms, {
    onStart: (sofar, plan, more) => {
      total = plan.count
      live = sofar.counts
      hooks.onStart?.(sofar, plan, more)
      progress.update(counts())
    },
    onEnd: (task, outcome) => {
      hooks.onEnd?.(task, outcome)
      progress.update(counts())
    },
    onPause: (pause) => progress.pause(pause),
  })
  progress.end(counts())
  return result
}
