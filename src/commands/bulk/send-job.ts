import type { Context } from '../../context.ts'
import { EXIT, type ExitCode } from '../../core/exit.ts'
import { createJobProgress } from '../../output/job-progress.ts'
import { printOne } from '../print.ts'
import type { JobAccount, JobPaths } from './job-types.ts'
import { type RunFlags, runTerms } from './run-flags.ts'

/** Sends what is left of a job, shows how far it has come, prints its account, and fails as the job does. */
export async function sendJob(ctx: Context, paths: JobPaths, flags: RunFlags): Promise<ExitCode> {
  const jobs = await ctx.jobs()
  const { io, now } = ctx
  const progress = createJobProgress({ stderr: io.stderr, flag: ctx.flags.isQuiet ? 'none' : ctx.flags.progress, now })
  let counts = { done: 0, total: 0, failed: 0 }
  let live: { readonly done: number; readonly failed: number } = counts
  const tell = () => {
    counts = { done: live.done + live.failed, total: counts.total, failed: live.failed }
    progress.tell(counts)
  }
  const { account, error } = await jobs.run(paths, runTerms(flags), {
    onStart: (sofar, plan) => {
      counts = { done: 0, total: plan.count, failed: 0 }
      live = sofar.counts
      if (sofar.counts.done > 0 && sofar.end === undefined)
        ctx.note(`Going on with ${paths.id}: ${sofar.counts.done} rows are done.`)
      tell()
    },
    onEnd: tell,
    onPause: (pause) => progress.pause(pause),
  })
  progress.end(counts)
  await printOne(ctx, accountRecord(paths.id, account))
  if (error !== undefined) throw error
  return EXIT.ok
}

function accountRecord(job: string, account: JobAccount) {
  return { job, ...account }
}
