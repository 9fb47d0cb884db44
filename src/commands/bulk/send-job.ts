import type { Context } from '../../context.ts'
import { EXIT, type ExitCode } from '../../core/exit.ts'
import type { CrmRecord } from '../../core/resources/registry.ts'
import type { JobResult } from '../../jobs/jobs.ts'
import type { JobPaths } from '../../jobs/journal/job-folder.ts'
import type { Recheck } from '../../jobs/send/recheck.ts'
import type { RunTerms } from '../../jobs/send/services.ts'
import { createJobProgress } from '../../output/job-progress.ts'
import { printOne } from '../print.ts'
import { type RunFlags, runTerms } from './run-flags.ts'

const MOST_CAUSES = 10

/** `isDoubtReopened`: rows that are in doubt are asked about once more, also when the job has come to its end. */
type SendFlags = RunFlags & Pick<RunTerms, 'isDoubtReopened'>

/** Sends what is left of a job, shows how far it has come, prints its account, and fails as the job does. */
export async function sendJob(ctx: Context, paths: JobPaths, flags: SendFlags): Promise<ExitCode> {
  ctx.onVerdict?.()
  const jobs = await ctx.jobs()
  const { io, now } = ctx
  const progress = createJobProgress({ stderr: io.stderr, flag: ctx.flags.isQuiet ? 'none' : ctx.flags.progress, now })
  let counts = { done: 0, total: 0, failed: 0 }
  let existing = 0
  let live: { readonly done: number; readonly failed: number } = counts
  const tell = () => {
    counts = { done: live.done + live.failed, total: counts.total, failed: live.failed }
    progress.update(counts)
  }
  const { account, otherRows, recheck, error } = await jobs.run(
    paths,
    { ...runTerms(flags), isDoubtReopened: flags.isDoubtReopened === true },
    {
      onStart: (sofar, plan, { reopened, successor }) => {
        counts = { done: 0, total: plan.count, failed: 0 }
        live = sofar.counts
        if (sofar.counts.done > 0 && sofar.end === undefined)
          ctx.note(`Going on with ${paths.id}: ${sofar.counts.done} rows are done.`)
        if (successor !== undefined)
          ctx.note(`What is in doubt is not asked about again here: ${successor} came after, and has these rows.`)
        if (reopened > 0) ctx.note(`Asking once more about ${reopened} ${reopened === 1 ? 'row' : 'rows'} in doubt.`)
        tell()
      },
      onEnd: (_, outcome) => {
        if (outcome.is === 'done' && outcome.flag === 'e') existing += 1
        tell()
      },
      onPause: (pause) => progress.pause(pause),
    },
  )
  progress.end(counts)
  if (account.failed + account.in_doubt > 0) await showFailures(ctx, paths)
  if (existing > 0) {
    ctx.note(
      `${existing} of the created records existed before: the server answered with what it had. An undo leaves them.`,
    )
  }
  tellOtherRows(ctx, otherRows)
  ctx.onTaken?.(`${account.done} of ${account.rows} rows; see crm jobs show ${paths.id}`)
  tellTwins(ctx, recheck, flags.recheck === false)
  await printOne(ctx, accountRecord(paths.id, { account, otherRows, recheck }))
  if (error !== undefined) throw error
  return EXIT.ok
}

/** Causes, not ten thousand lines; the lines are in a file. */
async function showFailures(ctx: Pick<Context, 'jobs' | 'note'>, paths: JobPaths): Promise<void> {
  const jobs = await ctx.jobs()
  const report = await jobs.reportFailures(paths)
  if (!report) return
  for (const { code, field, reason, isMixed, count, lines } of report.groups.slice(0, MOST_CAUSES)) {
    const where = lines.length === 0 ? '' : `, line ${lines.join(', ')}${count > lines.length ? ' …' : ''}`
    ctx.note(
      `${count} × ${code}${field === undefined ? '' : ` in ${field}`}${where}${isMixed ? '; the first' : ''}: ${reason}`,
    )
  }
  if (report.file !== undefined) ctx.note(`These rows as they were, with the reasons: ${report.file}`)
}

/** Records of an upsert that another writer created, too. */
function tellTwins(ctx: Pick<Context, 'note'>, recheck: Recheck | undefined, isLeftOut: boolean): void {
  if (isLeftOut && recheck && !recheck.twins) ctx.note('Duplicates were not looked for (--no-recheck).')
  for (const { line, ids } of (recheck?.twins ?? []).slice(0, MOST_CAUSES)) {
    ctx.note(`${line === null ? '' : `Line ${line}: `}${ids.join(', ')} match the row; only one of them should exist.`)
  }
}

function tellOtherRows(ctx: Context, { count, first }: JobResult['otherRows']): void {
  if (count === 0) return
  const rows = count === 1 ? '1 row' : `${count} rows`
  ctx.note(`The server answered with other values than were sent in ${rows}; first: ${first}`)
}

/** `twice`: null for an upsert without a recheck; `other_values`: absent when there are none. */
function accountRecord(
  job: string,
  { account, otherRows, recheck }: Pick<JobResult, 'account' | 'otherRows' | 'recheck'>,
): CrmRecord {
  return {
    job,
    ...account,
    ...(otherRows.count > 0 && { other_values: otherRows.count }),
    ...(recheck && { twice: recheck.twins?.length ?? null }),
  }
}
