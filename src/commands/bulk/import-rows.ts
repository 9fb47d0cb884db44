import { type Command, Option } from 'commander'
import type { Context } from '../../context.ts'
import { CrmError } from '../../core/errors.ts'
import type { ExitCode } from '../../core/exit.ts'
import { requiredFields, resourceOf } from '../../core/resources/registry.ts'
import { typedProfile } from '../../core/typed-profile.ts'
import type { JobState } from '../../jobs/history/job-state.ts'
import type { ImportRequest, MadeImport } from '../../jobs/plan/make-import.ts'
import { jsonText } from '../../output/json-text.ts'
import { writeNoteLine } from '../../output/note-line.ts'
import { addScopedFlags } from '../flags.ts'
import { type MatchFlags, matchRequest } from './match-flags.ts'
import { addExpectFlag, type PlanFlags, takePlan } from './plan.ts'
import { addReadFlags, type InputFlags, readFlags } from './read-flags.ts'
import { addRunFlags } from './run-flags.ts'
import { sendJob } from './send-job.ts'
import { showRest } from './show-plan.ts'

export interface ImportFlags extends InputFlags, PlanFlags, MatchFlags {
  readonly runId?: string
  readonly again?: boolean
}

export function addImportFlags(command: object): void {
  addReadFlags(command)
  addBulkFlags(command)
  addExpectFlag(command)
  addScopedFlags(command, ['yes', 'dryRun', 'exitCode', 'progress'])
}

/** Of commands that plan a job and send it. */
export function addBulkFlags(command: object): void {
  const options = [
    new Option('--plan <file>', 'write what would be sent to this file, for crm apply, and send nothing'),
    new Option('--run-id <name>', 'what tells this run from another one; needed for stdin'),
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
  const read = readFlags(flags, kind === 'import' ? requiredFields(resourceOf(noun)) : [])
  const match = matchRequest(flags, noun)
  const named = kind === 'delete' ? { ...match, mode: 'update' as const } : match
  return importAs(ctx, { ...what, read, match: named }, file, flags)
}

/** A file whose rows are matched and read as the request says. */
export async function importAs(
  ctx: Context,
  request: Omit<ImportRequest, 'inputName' | 'stages' | 'isAgain'>,
  file: string,
  flags: ImportFlags,
): Promise<ExitCode> {
  const jobs = await ctx.jobs()
  const made = await jobs.makeImport({
    ...request,
    inputName: file,
    stages: request.noun === 'deals' ? await jobs.stages() : undefined,
    isAgain: flags.again === true,
  })
  return takeMade(ctx, made, file, { ...flags, isRepeatable: request.kind !== 'retry' })
}

/** What was planned is shown, or asked about and sent; what is there already goes on. */
export async function takeMade(ctx: Context, made: MadeImport, name: string, flags: PlanFlags): Promise<ExitCode> {
  if (made.is === 'same') return goOn(ctx, made.job, flags)
  if (made.is === 'made') {
    const isShownWhole = ctx.flags.output === 'table' && (ctx.flags.isDryRun || flags.plan !== undefined)
    for (const line of [...made.lines, ...(isShownWhole ? [] : made.leftLines)]) ctx.note(line)
    return takePlan(ctx, made.job, flags)
  }
  throw refuseFindings(ctx, made, name)
}

/** The same input once more: what was stopped goes on, and what is done is left alone. */
async function goOn(ctx: Context, job: JobState, flags: PlanFlags): Promise<ExitCode> {
  const { id } = job.paths
  const isDone = job.state === 'finished'
  if (flags.plan !== undefined) throw noPlanOf(job)
  if (isDone) ctx.note(doneLine(ctx, job, flags))
  if (!ctx.flags.isDryRun) return sendJob(ctx, job.paths, flags)
  if (!isDone) ctx.note(`${id} has begun this already, and would go on.`)
  return showRest(ctx, { ...(await ctx.jobs()).rest(job.paths), noun: job.head.noun }, flags)
}

/** Once more would double the rows that were done, so where some failed that is not what is named. */
function doneLine(ctx: Pick<Context, 'argv'>, { paths: { id }, account, head }: JobState, flags: PlanFlags): string {
  const { failed } = account
  if (failed > 0) {
    const rows = failed === 1 ? '1 row' : `${failed} rows`
    return `${id} has already done this, and ${rows} failed: crm jobs retry ${id}${typedProfile(ctx.argv)}`
  }
  if (flags.isRepeatable) return `${id} has already done this; use --again to do it again.`
  return `${id} has already done this${head.kind === 'undo' || head.kind === 'retry' ? '' : '; a plan is sent once'}.`
}

/** A second plan of the same rows would be one too many. */
function noPlanOf({ paths: { id }, state, account }: JobState): CrmError {
  const isDone = state === 'finished'
  return new CrmError('conflict', `${id} has ${isDone ? 'done' : 'begun'} this already, so there is nothing to plan`, {
    hint: isDone
      ? account.failed > 0
        ? `what failed: crm jobs retry ${id}`
        : `crm jobs show ${id}; --again plans it once more`
      : `crm jobs resume ${id}, or crm jobs cancel ${id}`,
    job: id,
  })
}

type Refused = Extract<MadeImport, { readonly is: 'refused' }>

/** What is wrong with the rows, as lines for people or a JSON object a line for programs, ahead of the error. */
function refuseFindings(ctx: Context, { findings, lines }: Refused, name: string): CrmError {
  const { io, flags } = ctx
  if (flags.output === 'json' || flags.output === 'jsonl') {
    for (const line of findingObjects(findings, name)) io.stderr.write(`${line}\n`)
  } else {
    // It is the error itself, and not a note that -q leaves out.
    for (const line of lines) writeNoteLine(io.stderr, line)
  }
  const { count } = findings
  return new CrmError(
    'invalid_input',
    `${count} ${count === 1 ? 'thing is' : 'things are'} wrong in ${name}; nothing was sent`,
    {
      hint: 'correct the file, and run the same command again',
    },
  )
}

/** `count` is how often the cause was met: of a frequent one only the first places are told. */
function* findingObjects(findings: Refused['findings'], file: string): Generator<string, void, undefined> {
  for (const { code, column = null, count, samples } of findings.groups()) {
    for (const { line, offset: byte, value = null, message } of samples) {
      yield jsonText({ finding: { file, line, byte, code, column, value, message, count } })
    }
  }
}
