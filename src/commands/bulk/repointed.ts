import type { Context } from '../../context.ts'
import { CrmError } from '../../core/errors.ts'
import { counted, resourceOf } from '../../core/resources/registry.ts'
import { isPart } from '../../core/undo-part.ts'
import type { MadeJob } from '../../jobs/plan/make-job.ts'
import type { JobPaths } from '../../jobs/store/job-folder.ts'
import { type RunFlags, runTerms } from './bulk-flags.ts'
import { runShown } from './run-shown.ts'

/** For a question: what is done before the job itself. */
export function firstText({ first = [] }: Pick<MadeJob, 'first'>): string {
  if (first.length === 0) return ''
  const isOne = first.reduce((sum, { end }) => sum + end.update, 0) === 1
  return ` (${repointsText(first)} ${isOne ? 'is' : 'are'} re-pointed first)`
}

/** `2 deals, 1 task` */
export function repointsText(first: NonNullable<MadeJob['first']>): string {
  return first.map(({ end, head }) => counted(end.update, resourceOf(head.noun))).join(', ')
}

export interface SentFirst {
  /** Rows in doubt of jobs that ended are checked again. */
  readonly isDoubtReopened?: boolean
}

/**
 * Sends the jobs that this one needs, unless it has begun. Returns the number of records that they changed, or undefined for a job that
 * needs none. Throws if one of them was stopped, or not all of its records changed: then nothing of this job is sent.
 */
export async function sendNeeded(
  ctx: Context,
  paths: JobPaths,
  flags: RunFlags & SentFirst,
): Promise<number | undefined> {
  const jobs = await ctx.jobs()
  const needed = jobs.of(paths).needed()
  if (needed.length === 0) return undefined
  const { state } = await jobs.of(paths).state()
  let done = 0
  for (const each of needed) {
    const own = await jobs.of(each).state()
    const isOver = own.state === 'cancelled' || (own.state === 'finished' && own.account.in_doubt === 0)
    done += state !== 'planned' || isOver ? own.account.done : await sendRepoint(ctx, each, flags)
  }
  return done
}

/** Undoes the jobs that a merge needed, after the undo of the merge. Returns the number of records that name the losers again. */
export async function undoNeeded(ctx: Context, paths: JobPaths, flags: RunFlags): Promise<number | undefined> {
  const jobs = await ctx.jobs()
  const { head, account } = await jobs.of(paths).state()
  const merge = jobs.all().find(({ id }) => head.kind === 'undo' && id === head.of)
  const needed = merge && !isPart(head) ? jobs.of(merge).needed().toReversed() : []
  if (needed.length === 0 || account.done + account.in_doubt === 0) return undefined
  let done = 0
  for (const each of needed) {
    done += await undoRepoint(ctx, each, flags)
  }
  return done
}

async function undoRepoint(ctx: Context, paths: JobPaths, flags: RunFlags): Promise<number> {
  const made = await (await ctx.jobs()).plan('undo', { paths })
  if (made.type === 'refused') throw new Error('an undo has no input that could be refused')
  if (made.type === 'same' && made.job.state === 'finished') return made.job.account.done
  if (made.type === 'made') for (const line of made.leftLines) ctx.note(line)
  return sendRepoint(ctx, made.job.paths, flags)
}

/** Returns the number of records that it changed. */
async function sendRepoint(ctx: Context, paths: JobPaths, flags: RunFlags & SentFirst): Promise<number> {
  const jobs = await ctx.jobs()
  const terms = { ...runTerms(flags), isDoubtReopened: flags.isDoubtReopened === true }
  const { noun, kind } = (await jobs.of(paths).state()).head
  const { account, error } = await runShown(ctx, jobs, { paths, terms })
  const { done, rows } = account
  ctx.note(`${paths.id}: ${done} of ${counted(rows, resourceOf(noun))} re-pointed.`)
  ctx.onServerChange?.(`${done} of ${rows} ${noun}; see crm jobs show ${paths.id}`)
  const report = error === undefined ? undefined : await jobs.of(paths).reportFailures()
  for (const { code, count, reason } of report?.groups.slice(0, 10) ?? []) ctx.note(`${count} × ${code}: ${reason}`)
  if (error instanceof CrmError && error.code === 'partial') {
    const rest = kind === 'undo' ? '' : '; the merge was not sent, and the same command goes on'
    throw new CrmError('partial', `${noun}: ${error.message} (${paths.id})${rest}`, { ...error.details, cause: error })
  }
  if (error !== undefined) throw error
  return done
}

/** `12 deals, 1 task`: those that jobs of a merge re-pointed; undefined if there are none. */
export async function repointedBy(ctx: Pick<Context, 'jobs'>, merge: JobPaths): Promise<string | undefined> {
  const jobs = await ctx.jobs()
  const states = await Promise.all(
    jobs
      .of(merge)
      .needed()
      .map((each) => jobs.of(each).state()),
  )
  const done = states.filter(({ account }) => account.done > 0)
  return done.map(({ head, account }) => counted(account.done, resourceOf(head.noun))).join(', ') || undefined
}
