import type { Context } from '../../context.ts'
import { EXIT, type ExitCode } from '../../core/exit.ts'
import { type JsonObject, type JsonValue, parseExactJson } from '../../core/json.ts'
import { sentValueText } from '../../core/other-values.ts'
import { type CrmRecord, isListed, type Resource, resourceOf } from '../../core/resources/registry.ts'
import { shellWord, typedProfile } from '../../core/shell-words.ts'
import type { RejectsReport } from '../../jobs/history/failed-file.ts'
import type { JobResult } from '../../jobs/job.ts'
import type { Recheck } from '../../jobs/send/recheck.ts'
import type { SendOutcome } from '../../jobs/send/send-outcome.ts'
import type { RunTerms } from '../../jobs/send/services.ts'
import type { Task } from '../../jobs/send/tasks.ts'
import type { JobFile } from '../../jobs/store/job-file.ts'
import type { JobPaths } from '../../jobs/store/job-folder.ts'
import { printOne } from '../print.ts'
import { lackingValues } from '../records/kept-values.ts'
import { type RunFlags, runTerms } from './bulk-flags.ts'
import { sendNeeded, undoNeeded } from './repointed.ts'
import { runShown } from './run-shown.ts'

const MOST_CAUSES = 10

/** `isDoubtReopened`: rows in doubt are checked again, even if the job has ended. `isRepeated`: the job had ended before this command. */
export type SendFlags = RunFlags & Pick<RunTerms, 'isDoubtReopened'> & { readonly isRepeated?: boolean }

/** Sends what is left of a job, shows its progress, prints its account, and fails if the job does. */
export async function sendJob(ctx: Context, paths: JobPaths, flags: SendFlags): Promise<ExitCode> {
  const { record, error } = await sendOne(ctx, paths, flags)
  await flags.report?.('account', record)
  await printOne(ctx, record)
  if (error !== undefined) throw error
  return EXIT.ok
}

interface Sent {
  /** Its account, for the output. */
  readonly record: CrmRecord
  /** Whether rows of it are left to be sent. */
  readonly isStopped: boolean
  /** The error that the command ends with. */
  readonly error: unknown
}

/** The same, without its account. */
export async function sendOne(ctx: Context, paths: JobPaths, flags: SendFlags): Promise<Sent> {
  ctx.keepExitCode?.()
  const before = await sendNeeded(ctx, paths, flags)
  const jobs = await ctx.jobs()
  let existing = 0
  let isOver = false
  const unshown = new UnshownValues()
  const opened: { plan?: Pick<JobFile, 'head' | 'end'> } = {}
  const { account, otherRows, recheck, stop, error } = await runShown(ctx, jobs, {
    paths,
    terms: { ...runTerms(flags), isDoubtReopened: flags.isDoubtReopened === true },
    hooks: {
      onStart: (sofar, plan, { reopened, successor }) => {
        isOver = sofar.end !== undefined && reopened === 0
        opened.plan = plan
        if (sofar.counts.done > 0 && sofar.end === undefined)
          ctx.note(`Resuming ${paths.id}: ${sofar.counts.done} rows are done.`)
        if (successor !== undefined)
          ctx.note(`Rows in doubt are not checked here: the later ${successor} has these rows.`)
        if (reopened > 0) ctx.note(`Checking ${reopened} ${reopened === 1 ? 'row' : 'rows'} in doubt again.`)
      },
      onEnd: (task, outcome) => {
        unshown.take(task, outcome)
        if (outcome.type === 'done' && outcome.flag === 'e') existing += 1
      },
    },
  })
  const { head, end } = opened.plan ?? {}
  const counts = { account, otherRows, recheck, already: end?.already ?? 0, unguarded: end?.unguarded ?? 0 }
  if (account.failed + account.in_doubt > 0) await showFailures(ctx, paths, { isOver, isMerge: head?.kind === 'merge' })
  if (existing > 0) {
    ctx.note(
      `${existing} of the created records existed before: the server returned its own record. An undo leaves them unchanged.`,
    )
  }
  noteOtherRows(ctx, otherRows)
  if (counts.unguarded > 0) ctx.note(unguardedText(counts.unguarded))
  await unshown.note(ctx, head && resourceOf(head.noun))
  ctx.onServerChange?.(`${account.done} of ${account.rows} rows; see crm jobs show ${paths.id}`)
  noteDuplicates(ctx, paths, recheck, flags.recheck === false)
  const after = await triedUndo(ctx, paths, stop === undefined ? flags : undefined)
  const repointed = before ?? after.repointed
  const record = {
    ...accountRecord(paths.id, flags.isRepeated ? repeatedCounts(counts) : counts),
    ...(repointed !== undefined && { repointed }),
  }
  return { record, isStopped: stop !== undefined, error: after.error ?? error }
}

/** An error of the second job does not keep the account of the first one from being printed. */
async function triedUndo(
  ctx: Context,
  paths: JobPaths,
  flags: SendFlags | undefined,
): Promise<{ readonly repointed?: number | undefined; readonly error?: unknown }> {
  if (!flags) return {}
  try {
    return { repointed: await undoNeeded(ctx, paths, flags) }
  } catch (error) {
    return { error }
  }
}

/** Prints the causes; the rows are in a file. */
async function showFailures(
  ctx: Pick<Context, 'argv' | 'jobs' | 'note'>,
  paths: JobPaths,
  { isOver, isMerge }: { readonly isOver: boolean; readonly isMerge: boolean },
): Promise<void> {
  const jobs = await ctx.jobs()
  // A job that sent nothing leaves the file of --rejects, which may be corrected by now.
  const report = isOver ? await jobs.of(paths).reportFailures() : await jobs.of(paths).reportRejects()
  if (!report) return
  for (const { code, field, reason, isMixed, count, lines } of report.groups.slice(0, MOST_CAUSES)) {
    const where = lines.length === 0 ? '' : `, line ${lines.join(', ')}${count > lines.length ? ' …' : ''}`
    ctx.note(
      `${count} × ${code}${field === undefined ? '' : ` in ${field}`}${where}${isMixed ? '; the first' : ''}: ${reason}`,
    )
  }
  const others = report.groups.length - MOST_CAUSES
  if (others > 0) ctx.note(`and ${others} more causes: crm jobs failed ${paths.id}${typedProfile(ctx.argv)}`)
  const refused = report.groups.find(({ code, field }) => code === 'conflict' && field !== undefined)?.field
  if (isMerge && refused !== undefined)
    ctx.note(`If the server keeps ${refused} unique, merge these groups with --unique ${shellWord(refused)}.`)
  noteFailedRows(ctx, report, paths)
}

function noteFailedRows(ctx: Pick<Context, 'argv' | 'note'>, report: Partial<RejectsReport>, { id }: JobPaths): void {
  const { rejects, groups = [] } = report
  const file = rejects ?? report.file
  if (file === undefined) return
  ctx.note(`The failed rows of the input, with the reasons: ${file}`)
  // Rows in doubt are not corrected: they may be done.
  if (rejects === undefined && groups.every(({ code }) => code === 'in_doubt')) return
  ctx.note(`Correct them, then: crm jobs retry ${id}${typedProfile(ctx.argv)} --from ${shellWord(file)}`)
}

/** Records of an upsert that another writer created, too. */
function noteDuplicates(
  ctx: Pick<Context, 'argv' | 'note'>,
  { id }: JobPaths,
  recheck: Recheck | undefined,
  isLeftOut: boolean,
): void {
  if (isLeftOut && recheck && !recheck.duplicates) ctx.note('Duplicates were not looked for (--no-recheck).')
  for (const { line, ids } of (recheck?.duplicates ?? []).slice(0, MOST_CAUSES)) {
    ctx.note(`${line === null ? '' : `Line ${line}: `}${ids.join(', ')} match the row; only one of them should exist.`)
  }
  const others = (recheck?.duplicates?.length ?? 0) - MOST_CAUSES
  if (others > 0) ctx.note(`and ${others} more: crm jobs failed ${id}${typedProfile(ctx.argv)} --twice`)
}

function noteOtherRows(ctx: Pick<Context, 'note'>, { count, first }: JobResult['otherRows']): void {
  if (count === 0) return
  const rows = count === 1 ? '1 row' : `${count} rows`
  ctx.note(`The server answered with other values than were sent in ${rows}; first: ${first}`)
}

function unguardedText(count: number): string {
  const what = count === 1 ? '1 change is' : `${count} changes are`
  return `${what} not guarded by a version, because the server shows none: a change of the record that someone made just before is overwritten. A record is read again before its request where the server can be asked for it, which is no guard.`
}

/** `twice`: null for an upsert without a recheck; `already`, `other_values` and `unguarded`: absent when there are none. */
function accountRecord(job: string, { account, otherRows, recheck, already, unguarded }: Counts): CrmRecord {
  return {
    job,
    ...account,
    ...(already > 0 && { already }),
    ...(otherRows.count > 0 && { other_values: otherRows.count }),
    ...(unguarded > 0 && { unguarded }),
    ...(recheck && { twice: recheck.duplicates?.length ?? null }),
  }
}

interface Counts extends Pick<JobResult, 'account' | 'otherRows' | 'recheck'> {
  /** Of the skipped rows, those that an earlier command has sent. */
  readonly already: number
  readonly unguarded: number
}

/** Of a command that sent nothing, because an earlier one did all: no row is done a second time. */
function repeatedCounts({ account, already, ...counts }: Counts): Counts {
  const { done, skipped } = account
  return { ...counts, account: { ...account, done: 0, skipped: skipped + done }, already: already + done }
}

interface First {
  readonly id: string
  readonly where: string
  readonly sent: JsonValue
  rows: number
}

/** The sent values that the answers to the rows of a job do not show. One record for each of them is read again. */
class UnshownValues {
  readonly #byName = new Map<string, First>()

  take({ operation: { body, head } }: Task, outcome: SendOutcome): void {
    if (outcome.type !== 'done' || !outcome.absent || outcome.id === null || !body) return
    const { id } = outcome
    let sent: JsonObject | undefined
    for (const name of outcome.absent) {
      const known = this.#byName.get(name)
      if (known) {
        known.rows += 1
        continue
      }
      sent ??= parseExactJson(body.toString('utf8')) as JsonObject
      const where = head.line === undefined ? id : `line ${head.line}`
      this.#byName.set(name, { id, where, sent: sent[name] ?? null, rows: 1 })
    }
  }

  /** Notes those that the records lack, too. */
  async note(ctx: Pick<Context, 'api' | 'note'>, resource: Resource | undefined): Promise<void> {
    if (this.#byName.size === 0 || resource === undefined || !isListed(resource)) return
    const api = await ctx.api()
    for (const [name, { id, where, sent, rows }] of this.#byName) {
      const { names, isRead } = await lackingValues(api, { resource, id, sent: { [name]: sent } })
      if (names.length === 0) continue
      const [inRows, shows] = [rows === 1 ? '1 row' : `${rows} rows`, isRead ? `record ${id}` : 'answer']
      ctx.note(
        `The answers do not show a value that was sent in ${inRows}; first: ${where}, ${sentValueText(name, sent)}, which the ${shows} lacks`,
      )
    }
  }
}
