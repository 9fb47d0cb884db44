import { type Command, Option } from 'commander'
import type { Context } from '../../context.ts'
import { CrmError } from '../../core/errors.ts'
import type { ExitCode } from '../../core/exit.ts'
import type { JsonObject } from '../../core/json.ts'
import { resourceOf } from '../../core/resources/registry.ts'
import { shellWord, typedProfile } from '../../core/shell-words.ts'
import type { JobState } from '../../jobs/history/job-state.ts'
import type { FindingText } from '../../jobs/input/findings.ts'
import type { Findings } from '../../jobs/input/row.ts'
import type { MadeImport } from '../../jobs/plan/make-job.ts'
import type { ImportRequest } from '../../jobs/plan/plan-rows.ts'
import { jsonText, writeNoteLine } from '../../output/safe-text.ts'
import { withFlag } from '../command-line.ts'
import { addScopedFlags, parseNouns } from '../flags.ts'
import { requiredHere } from '../required-fields.ts'
import {
  addReadFlags,
  addRunFlags,
  type InputFlags,
  type MatchFlags,
  matchRequest,
  readFlags,
  runTerms,
} from './bulk-flags.ts'
import { type PartFlags, partOf } from './part-flags.ts'
import { addExpectFlag, type PlanFlags, showOrSendPlan } from './plan.ts'
import { withPlanningProgress } from './planning-progress.ts'
import { addRejectFlags, type RejectFlags, rejectTerms } from './reject-flags.ts'
import { sendJob } from './send-job.ts'
import { showRest } from './show-plan.ts'

export interface ImportFlags extends InputFlags, PlanFlags, MatchFlags, RejectFlags, PartFlags {
  readonly runId?: string
  readonly again?: boolean
  readonly createMissing?: readonly string[]
}

export function addImportFlags(command: object): void {
  addReadFlags(command)
  addRejectFlags(command)
  addBulkFlags(command)
  addExpectFlag(command)
  addScopedFlags(command, ['yes', 'dryRun', 'exitCode', 'progress'])
}

export function addCreateMissingFlag(command: object): void {
  ;(command as Command).addOption(
    new Option(
      '--create-missing <nouns>',
      'create the companies that columns such as company.domain name and the server lacks, before the rows',
    ).argParser(parseNouns),
  )
}

/** Flags of commands that plan a job and send it. */
export function addBulkFlags(command: object): void {
  const options = [
    new Option('--plan <file>', 'write what would be sent to this file, for crm apply, and send nothing'),
    new Option('--run-id <name>', 'a name for this run; required for stdin'),
    new Option('--snapshot-before <file>', 'keep the records that change, as they are, in this file of JSON lines'),
    new Option('--again', 'a new run, although there was one with this file'),
  ]
  for (const option of options) (command as Command).addOption(option)
  addRunFlags(command)
}

export interface ImportWhat {
  readonly noun: ImportRequest['noun']
  readonly kind: ImportRequest['as']
}

export async function importRows(
  ctx: Context,
  { noun, kind }: ImportWhat,
  file: string,
  flags: ImportFlags,
): Promise<ExitCode> {
  const what = { noun, kind, as: kind, of: undefined, run: flags.runId }
  const match = matchRequest(flags, noun)
  const mayCreate = kind === 'import' && match.mode !== 'update'
  const read = readFlags(flags, mayCreate ? (await requiredHere(ctx))(resourceOf(noun)) : [])
  const named = kind === 'delete' ? { ...match, mode: 'update' as const } : match
  return importAs(ctx, { ...what, read, match: named, ...rejectTerms(flags, file) }, file, flags)
}

/** A file whose rows are matched and read as the request says. */
export async function importAs(
  ctx: Context,
  request: Omit<ImportRequest, 'inputName' | 'stages' | 'isAgain' | 'rateShare' | 'listFindings' | 'part'>,
  file: string,
  flags: ImportFlags,
): Promise<ExitCode> {
  const jobs = await ctx.jobs()
  const whole = {
    ...request,
    inputName: file,
    stages: request.noun === 'deals' ? await jobs.stages() : undefined,
    isAgain: flags.again === true,
    part: request.kind === 'retry' ? undefined : partOf(ctx, flags),
    rateShare: runTerms(flags).rateShare,
    listFindings: isForProgram(ctx) ? (findings: Findings) => writeFindings(ctx, findings, file) : undefined,
  }
  const terms = {
    ...flags,
    isRepeatable: request.kind !== 'retry',
    takesRejects: request.kind === 'import' || request.kind === 'retry',
  }
  if (flags.createMissing === undefined) {
    const made = await withPlanningProgress(ctx, (hooks) => jobs.plan('import', whole, hooks))
    return showOrSendMade(ctx, made, file, terms)
  }
  const { createMissing, requireCreated } = await import('./create-missing.ts')
  const first = await createMissing(ctx, whole, flags)
  if ('shown' in first) return showOrSendMade(ctx, first.shown, file, terms)
  const { creates, ...confirmed } = first
  const made = await withPlanningProgress(ctx, (hooks) => jobs.plan('import', { ...whole, creates }, hooks))
  await requireCreated(ctx, made)
  return showOrSendMade(ctx, made, file, { ...terms, ...confirmed })
}

/** Shows a new plan, or confirms and sends it; resumes an existing job. */
export async function showOrSendMade(
  ctx: Context,
  made: MadeImport,
  name: string,
  flags: PlanFlags,
): Promise<ExitCode> {
  if (made.type === 'same') return continueJob(ctx, made.job, flags)
  if (made.type === 'made') {
    const isShownWhole = ctx.flags.output === 'table' && (ctx.flags.isDryRun || flags.plan !== undefined)
    for (const line of [...made.lines, ...(isShownWhole ? [] : made.leftLines)]) ctx.note(line)
    if (made.rejected) noteRejected(ctx, made.rejected)
    return showOrSendPlan(ctx, made.job, flags)
  }
  throw refuseFindings(ctx, made, name, flags.takesRejects === true)
}

/** For the same input again: resumes a stopped job, and leaves a finished one unchanged. */
async function continueJob(ctx: Context, job: JobState, flags: PlanFlags): Promise<ExitCode> {
  const { id } = job.paths
  const isDone = job.state === 'finished'
  if (flags.plan !== undefined) throw noPlanOf(job)
  if (isDone) ctx.note(doneLine(ctx, job, flags))
  if (!ctx.flags.isDryRun)
    return sendJob(ctx, job.paths, { ...flags, isRepeated: isDone && flags.isRepeatable === true })
  if (!isDone) ctx.note(`${id} has already started this, and would be resumed.`)
  return showRest(ctx, { ...(await ctx.jobs()).of(job.paths).rest(), head: job.head }, flags)
}

/** Names --again only if no row failed: it would duplicate the rows that were done. */
function doneLine(ctx: Pick<Context, 'argv'>, { paths: { id }, account, head }: JobState, flags: PlanFlags): string {
  const { failed } = account
  if (failed > 0) {
    const rows = failed === 1 ? '1 row' : `${failed} rows`
    const from = head.rejects === undefined ? '' : ` --from ${shellWord(head.rejects)}`
    return `${id} has already done this, and ${rows} failed: crm jobs retry ${id}${typedProfile(ctx.argv)}${from}`
  }
  if (flags.isRepeatable) return `${id} has already done this; use --again to do it again.`
  return `${id} has already done this${head.kind === 'undo' || head.kind === 'retry' ? '' : '; a plan is sent once'}.`
}

/** The same rows must not be planned twice. */
function noPlanOf({ paths: { id }, state, account, head }: JobState): CrmError {
  const profile = typedProfile(head.command)
  const isDone = state === 'finished'
  return new CrmError(
    'conflict',
    `${id} has already ${isDone ? 'done' : 'started'} this, so there is nothing to plan`,
    {
      hint: isDone
        ? account.failed > 0
          ? `to retry the failed rows: crm jobs retry ${id}${profile}`
          : `crm jobs show ${id}; --again plans it again`
        : `crm jobs resume ${id}${profile}, or crm jobs cancel ${id}`,
      job: id,
    },
  )
}

/** The end of the job names the command that lists them. */
function noteRejected(ctx: Pick<Context, 'note'>, { lines, hidden }: FindingText): void {
  ctx.note('Rows that are rejected, and not sent:')
  for (const line of lines) ctx.note(line)
  if (hidden > 0) ctx.note(`and ${hidden} more`)
}

type Refused = Extract<MadeImport, { readonly type: 'refused' }>

/** The error, with the findings before it; programs have got them. */
function refuseFindings(
  ctx: Context,
  { findings, text, tooMany, hint }: Refused,
  name: string,
  takesRejects: boolean,
): CrmError {
  if (!isForProgram(ctx)) for (const line of refusedLines(ctx, text)) writeNoteLine(ctx.io.stderr, line)
  const { count } = findings
  if (tooMany !== undefined) {
    return new CrmError('invalid_input', `${tooMany} rows of ${name} have errors; nothing was sent (--max-rejects)`, {
      hint: 'correct the file, or raise --max-rejects',
    })
  }
  return new CrmError('invalid_input', `${count} ${count === 1 ? 'error' : 'errors'} in ${name}; nothing was sent`, {
    hint:
      hint ??
      `correct the file, and run the same command again${takesRejects ? '; --rejects FILE sends the other rows' : ''}`,
  })
}

/** Part of the error, of which -q leaves the causes, but no row. */
function refusedLines(
  { argv, flags: { isQuiet } }: Context,
  { lines, causes, hidden }: FindingText,
): readonly string[] {
  if (isQuiet) return causes
  return hidden === 0 ? lines : [...lines, `and ${hidden} more: ${withFlag(argv, '-o', 'jsonl')}`]
}

function isForProgram({ flags: { output } }: Context): boolean {
  return output === 'json' || output === 'jsonl'
}

/** One JSON object a line: each cause with its count, then every finding, none with -q. */
async function writeFindings({ io, flags: { isQuiet } }: Context, findings: Findings, file: string): Promise<void> {
  const groups = findings.groups()
  const counts = new Map(groups.map(({ code, column, count }) => [`${code} ${column}`, count]))
  const write = (value: JsonObject) => io.stderr.write(`${jsonText(value)}\n`)
  for (const { code, column = null, count } of groups) write({ findings: { code, column, count } })
  if (isQuiet) return
  for await (const { line, position, cell, code, column = null, value = null, message } of findings.all()) {
    const count = counts.get(`${code} ${column ?? undefined}`) ?? null
    const place = { line, ...(position !== undefined && { position }), ...(cell !== undefined && { cell }) }
    write({ finding: { file, ...place, code, column, value, message, count } })
  }
}
