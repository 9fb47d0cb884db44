import { type Command, Option } from 'commander'
import type { Context } from '../../context.ts'
import { unaskedText } from '../../core/asked-members.ts'
import { isOptOut } from '../../core/consent.ts'
import { CrmError } from '../../core/errors.ts'
import type { ExitCode } from '../../core/exit.ts'
import type { JsonValue } from '../../core/json.ts'
import { counted, resourceOf } from '../../core/resources/registry.ts'
import { shellWord, typedProfile } from '../../core/shell-words.ts'
import type { Jobs } from '../../jobs/jobs.ts'
import type { MadeJob } from '../../jobs/plan/make-job.ts'
import type { JobTotals } from '../../jobs/plan/plan-format.ts'
import { canAsk } from '../../output/prompt.ts'
import { commandLine, withFlag } from '../command-line.ts'
import {
  confirmChange,
  confirmDeletion,
  confirmProtected,
  type Deletion,
  type ExpectFlags,
  expectedOf,
  requireExpected,
} from '../confirm.ts'
import { parseCount } from '../flags.ts'
import { type RunFlags, runTerms } from './bulk-flags.ts'
import { valueChangesText } from './preview-lines.ts'
import { firstText, repointsText } from './repointed.ts'
import { sendJob } from './send-job.ts'
import { cannotUndo, noteFirst, notePreview, planLines, showPlan } from './show-plan.ts'

/** More requests than this for a recheck are mentioned in the plan. */
const RECHECK_NOTED = 1000

export interface PlanFlags extends RunFlags, ExpectFlags {
  /** The file for the plan, which is then not sent. */
  readonly plan?: string
  /** The file for the records before the change. */
  readonly snapshotBefore?: string
  /** For the question: what another job does after this one. */
  readonly also?: string | undefined
  /** What else is created before, which counts as well. */
  readonly first?: { readonly count: number; readonly what: string }
  /** What was confirmed of a plan that was shown before; the same is not asked again. */
  readonly confirmed?: JobTotals
  /** The command has --again. */
  readonly isRepeatable?: boolean
  /** Whether the command has `--rejects`. */
  readonly takesRejects?: boolean
}

export function addExpectFlag(command: object): void {
  const options = [
    new Option('--expect <n>', 'stop unless exactly n records are affected').argParser(parseExpected),
    new Option('--expect-most <n>', 'stop if more than n records are affected').argParser(parseExpected),
  ]
  for (const option of options) (command as Command).addOption(option)
}

/** Also accepts 0, which is a valid number of selected records. */
function parseExpected(text: string): number {
  return text === '0' ? 0 : parseCount(text)
}

/** Shows a plan, writes it to a file, or confirms and sends it. A plan that is not sent leaves no job. */
export async function showOrSendPlan(ctx: Context, job: MadeJob, flags: PlanFlags): Promise<ExitCode> {
  const jobs = await ctx.jobs()
  let isKept = false
  if (job.question !== undefined) ctx.note(job.question)
  if (job.end.delete > 0) {
    const isRestored = await restoresDeleted(ctx, job)
    const how = isRestored ? 'can be restored' : 'can be restored only under new ids,'
    ctx.note(`Deleted records ${how} with crm jobs undo while the job is kept.`)
    if (job.head.unasked && !isRestored) ctx.note(`An undo cannot restore ${unaskedText(job.head.unasked)}.`)
  }
  noteConsent(ctx, job)
  if ((await cannotUndo(ctx, job.end, job.head.noun)) > 0)
    ctx.note(`Creates cannot be undone: this server offers no way to delete ${job.head.noun}.`)
  try {
    if (flags.plan !== undefined) await writePlan(ctx, job, flags, flags.plan)
    if (ctx.flags.isDryRun || flags.plan !== undefined) {
      const exit = await showPlan(ctx, job, flags)
      // After the plan, which shows why the number differs.
      requireCount(ctx, job, flags)
      return exit
    }
    await notePlan(ctx, job, flags)
    const { rows, create, update, delete: removed, fail = 0, unchanged, skipped } = job.end
    const numbers = { rows, create, update, delete: removed, fail, unchanged, skipped }
    await flags.report?.('plan', { job: job.paths.id, ...numbers })
    await confirmPlan(ctx, job, flags)
    await keepBefore(ctx, job, flags)
    await jobs.of(job.paths).writeRejects()
    isKept = true
  } finally {
    if (!isKept) dropAll(jobs, job)
  }
  if (job.leftOut.length > 0) ctx.note(`Skipped rows: crm jobs failed ${job.paths.id} --skipped`)
  return sendJob(ctx, job.paths, flags)
}

function isConfirmed({ end }: MadeJob, { confirmed }: PlanFlags): boolean {
  return end.create === confirmed?.create && end.update === confirmed.update && end.delete === confirmed.delete
}

function dropAll(jobs: Pick<Jobs, 'of'>, { first = [], paths }: MadeJob): void {
  for (const made of first) jobs.of(made.paths).drop()
  jobs.of(paths).drop()
}

async function keepBefore(ctx: Context, job: MadeJob, { snapshotBefore: file }: PlanFlags): Promise<void> {
  if (file === undefined) return
  const count = await (await ctx.jobs()).of(job.paths).writeBefore(file)
  ctx.note(`${counted(count, resourceOf(job.head.noun))} as before the change: ${file}`)
}

async function writePlan(ctx: Context, job: MadeJob, flags: PlanFlags, file: string): Promise<void> {
  const jobs = await ctx.jobs()
  if (job.head.needs) throw noPlanOfMore(job)
  requireCount(ctx, job, flags)
  await keepBefore(ctx, job, flags)
  const rejects = await jobs.of(job.paths).writeRejects()
  await jobs.of(job.paths).exportPlan(file)
  if (rejects !== undefined) ctx.note(`The rejected rows are in ${rejects}`)
  ctx.note(`The plan is in ${file}; nothing was sent: crm apply ${shellWord(file)}${typedProfile(ctx.argv)}`)
}

/** Prints the plan before the confirmation. */
export async function notePlan(ctx: Pick<Context, 'jobs' | 'note'>, job: MadeJob, flags: PlanFlags): Promise<void> {
  if (isConfirmed(job, flags)) return
  const { rateShare: share } = runTerms(flags)
  const { head, end: counts, recheckRequests = 0 } = job
  const forecast = await (await ctx.jobs()).forecast({ head, counts }, share)
  for (const line of planLines(job, { forecast, share })) ctx.note(line)
  notePreview(ctx, job.preview)
  noteFirst(ctx, job)
  if (recheckRequests > RECHECK_NOTED && flags.recheck !== false) ctx.note(recheckText(recheckRequests))
}

/** A file has one plan. */
function noPlanOfMore({ first = [], head }: MadeJob): CrmError {
  const what = first.length > 0 ? `re-points ${repointsText(first)} first` : `follows ${head.needs?.join(', ')}`
  return new CrmError('usage', `--plan: this merge ${what}, and a file has one plan`, {
    hint: 'leave out --plan; --dry-run shows all of it, and sends nothing',
  })
}

function recheckText(requests: number): string {
  return `At the end, about ${requests} requests read all records again to find duplicates; --no-recheck suppresses that.`
}

function changesOf({ create, update }: MadeJob['end'], noun: MadeJob['head']['noun']): string {
  const parts = [create > 0 ? `create ${update > 0 ? create : counted(create, resourceOf(noun))}` : '']
  if (update > 0) parts.push(`change ${counted(update, resourceOf(noun))}`)
  return parts.filter(Boolean).join(' and ')
}

/** `change 12 contacts`; a question also repeats the values, except with `-q`. */
function toDoOf(
  { flags: { isQuiet } }: Pick<Context, 'flags'>,
  job: MadeJob,
  { also = '' }: PlanFlags,
  isAsked: boolean,
): string {
  const { end, head, preview } = job
  const values = isAsked && !isQuiet && end.update > 0 ? valueChangesText(preview) : ''
  return `${changesOf(end, head.noun)}${values === '' ? '' : ` (${values})`}${firstText(job)}${also}`
}

/** Compares `--expect` and `--expect-most` with the plan, before anything is sent or written to a file; the number that is confirmed. */
function requireCount(ctx: Context, job: MadeJob, { plan, first, ...flags }: PlanFlags): number | undefined {
  const { end, head } = job
  if (isDeletion(job)) {
    const { count, what } = deletionOf(job, undefined)
    const expect = expectedOf(ctx, flags, { count, toDo: `delete ${what}` })
    requireExpected(ctx, deletionOf(job, expect))
    return expect
  }
  const count = end.create + end.update + (first?.count ?? 0)
  const expect = expectedOf(ctx, flags, { count, toDo: changesOf(end, head.noun) })
  if (expect === undefined || expect === count) return expect
  const rows = counted(end.create + end.update, resourceOf(head.noun))
  const changes = first ? `${first.what} would be created, and ${rows}` : rows
  throw new CrmError('unconfirmed', `--expect ${expect}, but ${changes} would change; nothing was sent`, {
    hint:
      plan === undefined && !ctx.flags.isDryRun
        ? `see what: ${commandLine([...ctx.argv, '--dry-run'])}`
        : withFlag(ctx.argv, '--expect', String(count)),
  })
}

/** Whether the server restores records under their ids. */
async function restoresDeleted(ctx: Pick<Context, 'api'>, { head }: MadeJob): Promise<boolean> {
  return (await ctx.api()).connector.restores(resourceOf(head.noun), 0)
}

function noteConsent(ctx: Pick<Context, 'note'>, job: MadeJob): void {
  const set = job.preview.members.filter(({ field, changes }) => changes.some(({ now }) => isOptOut(field, now)))
  if (set.length > 0) ctx.note(`${set.map(({ field }) => field).join(', ')}: an undo does not take back an opt-out.`)
  const lifted = subscribes(job)
  if (lifted.length > 0) ctx.note(`${lifted.join(', ')}: people who opted out would be subscribed again.`)
}

/** The members by which it sends messages again to people who want none. */
function subscribes({ preview }: MadeJob): readonly string[] {
  const isLifted = (field: string) => (change: { readonly was: JsonValue; readonly now: JsonValue }) =>
    isOptOut(field, change.was) && !isOptOut(field, change.now)
  return preview.members.filter(({ field, changes }) => changes.some(isLifted(field))).map(({ field }) => field)
}

function isDeletion({ end, head }: MadeJob): boolean {
  return end.delete > 0 || head.kind === 'delete'
}

function deletionOf(job: MadeJob, expect: number | undefined): Deletion {
  const { end, head } = job
  const isStdinFree = head.input?.name !== '-'
  return {
    count: end.delete,
    what: `${counted(end.delete, resourceOf(head.noun))}${firstText(job)}`,
    expect,
    isStdinFree,
    isUndoable: true,
  }
}

export async function confirmPlan(ctx: Context, job: MadeJob, flags: PlanFlags): Promise<void> {
  if (isConfirmed(job, flags)) return
  const { end, head } = job
  const expect = requireCount(ctx, job, flags)
  if (isDeletion(job)) {
    const deletion = deletionOf(job, expect)
    if (end.delete > 0) await confirmDeletion(ctx, deletion)
    return
  }
  const isStdinFree = head.input?.name !== '-'
  const count = end.create + end.update + (flags.first?.count ?? 0)
  const isProtected = end.update + (await cannotUndo(ctx, end, head.noun)) > 0 && (await ctx.target()).isProtected
  if (isProtected || subscribes(job).length > 0) {
    await confirmProtected(ctx, { count, toDo: toDoOf(ctx, job, flags, canAsk(ctx)), expect, isStdinFree })
    return
  }
  // Changes of existing records, and possible duplicates.
  if (end.update === 0 && job.question === undefined) return
  const toDo = toDoOf(ctx, job, flags, isStdinFree && canAsk(ctx))
  await confirmChange(ctx, {
    toDo,
    isStdinFree,
    ...(job.question !== undefined && { condition: ', if that is right' }),
  })
}
