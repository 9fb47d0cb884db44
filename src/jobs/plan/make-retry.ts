import { CrmError } from '../../core/errors.ts'
import { type JsonObject, parseExactJson } from '../../core/json.ts'
import { shellWord, typedProfile } from '../../core/shell-words.ts'
import { failedFile } from '../history/failed-file.ts'
import { type LeftFailure, readFailuresLeft } from '../history/failures.ts'
import { refuseOtherAccount } from '../history/job-errors.ts'
import { type JobState, readJobState } from '../history/job-state.ts'
import { type RetriedRows, unfinishedIn, unfinishedRetry } from '../history/retried-rows.ts'
import type { JobFile } from '../store/job-file.ts'
import { type JobDraft, type JobPaths, jobPaths } from '../store/job-folder.ts'
import { headOf, openJob, withJob } from '../store/open-job.ts'
import { byId, Existing } from './existing.ts'
import type { MadeImport } from './make-import.ts'
import { finishFirst, type JobIdentity, makeJob, type PlanningContext } from './make-job.ts'
import { MovedOperations } from './moved-operations.ts'
import type { PlanBuilder, Planned } from './plan-builder.ts'
import { type PlanHead, sentKind } from './plan-format.ts'

/** The merge reads the deals again, and its undo knows the jobs that it began. */
export function refuseRepoint({ job, kind, command }: PlanHead): void {
  if (kind !== 'repoint') return
  throw new CrmError('conflict', `${job} gives deals to the winners of a merge, which sends them again itself`, {
    hint: ['crm', ...command].map(shellWord).join(' '),
    job,
  })
}

/**
 * The refused rows, as they were sent last, under new idempotency keys: the server has not applied them. Rows that a retry of the
 * job, or a retry of that one, has done or may have done are left out.
 */
export async function makeRetry(
  context: PlanningContext,
  { paths }: { readonly paths: JobPaths },
): Promise<MadeImport> {
  const state = await readJobState(paths)
  refuseRepoint(state.head)
  const { retried, count, list } = await readFailuresLeft(context.jobsFolder, state)
  const open = unfinishedIn(retried)
  if (open) {
    if (hasAllRowsOf(state, open)) return { type: 'same', job: open }
    throw unfinishedRetry(context.command, open)
  }
  if (state.state !== 'finished' && state.state !== 'cancelled') throw unfinishedRetry(context.command, state)
  if (state.account.failed === 0) {
    throw new CrmError('conflict', `no row of ${paths.id} failed`, { hint: `crm jobs show ${paths.id}`, job: paths.id })
  }
  const plan = openJob(paths)
  let unmatched = 0
  try {
    refuseOtherAccount(plan.head, context.account)
    if (count === 0) return allSent(state, retried.jobs)
    const fill = async (builder: PlanBuilder, draft: JobDraft) => {
      const moved = new MovedOperations(builder)
      for await (const failure of renewedFailures(context, { failures: list(plan), folder: draft.folder, plan })) {
        refuseWaiting(context, failure, { state, retried })
        if (failure.last.operation.head.failed) {
          unmatched += 1
          failAgain(builder, failure)
        } else sendAgain(moved, failure)
      }
      if (unmatched === count) throw nothingToSend(context, paths)
    }
    const finish = (draft: JobDraft) => finishFirst(context, draft, retried)
    const job = await makeJob(context, retryIdentity(plan.head, paths.id), fill, { finish })
    const lines =
      unmatched === 0
        ? []
        : [`${unmatched} of the rows fail again; to match them again: ${matchAnew(context, paths.id)}`]
    return { type: 'made', job, lines, leftLines: [] }
  } finally {
    plan.close()
  }
}

/** A retry is sent on the terms of its job. */
export function retryIdentity(head: PlanHead, of: string): JobIdentity {
  const { noun, run, ordered, needs, updates, upsert, terms, asked, unasked } = head
  return { kind: 'retry', noun, run, of, ...present({ ordered, needs, updates, upsert, terms, asked, unasked }) }
}

/** Whether one job sends all failed rows of another one again, so that its end is the end of them. */
function hasAllRowsOf({ paths, account }: JobState, { head, end }: JobState): boolean {
  return head.of === paths.id && !head.input && end.rows === account.failed
}

function failAgain(builder: PlanBuilder, { operation, last }: LeftFailure): void {
  const { path, line, at, failed } = last.operation.head
  if (failed) builder.fail({ do: 'fail', path, ...present({ line, at }), of: operation.op, failed })
}

function sendAgain(moved: MovedOperations, { operation, last, before }: LeftFailure): void {
  const sent = last.operation
  const { path, id, line, at, also, n, gen = 0, restores } = sent.head
  const body = sent.body ? (parseExactJson(sent.body.toString('utf8')) as JsonObject) : undefined
  moved.add(
    operation,
    {
      ...{ do: sentKind(sent.head), path, n, of: operation.op },
      ...present({ id, line, at, also, before, body, restores }),
      ...guardOf({ last }),
    },
    () => ({ state: 'failed', gen, since: undefined }),
  )
}

interface Failures {
  readonly failures: AsyncIterable<LeftFailure>
  /** For temporary files. */
  readonly folder: string
  readonly plan: JobFile
}

/** A change that failed because of another's change starts from what the record is now; what others changed is not deleted. */
export async function* renewedFailures(
  context: PlanningContext,
  { failures, folder, plan: { head } }: Failures,
): AsyncGenerator<LeftFailure, void, undefined> {
  let now: Existing | undefined
  try {
    for await (const failure of failures) {
      const { id } = failure.last.operation.head
      if (!isRenewed(failure.last) || id === undefined) yield failure
      else {
        now ??= await Existing.read({ folder, pages: context.list(head.noun), keyOf: byId, onRead: context.onRead })
        yield { ...failure, before: now.find(id)[0]?.record ?? failure.before }
      }
    }
  } finally {
    now?.close()
  }
}

function isRenewed({ code, operation: { head } }: LeftFailure['last']): boolean {
  return code === 'precondition_failed' && head.do === 'update'
}

/** The guard of the row that failed; of a row that is sent to the current record, that record's version. */
export function guardOf({ last }: Pick<LeftFailure, 'last'>): Pick<Planned, 'ifMatch'> {
  return isRenewed(last) ? {} : { ifMatch: last.operation.head.ifMatch ?? null }
}

/** Nothing is left: the job that is shown is the one with rows in doubt, if there is one, or else the last. */
function allSent(state: JobState, jobs: readonly JobState[]): MadeImport {
  const retries = jobs.filter(({ head }) => head.kind === 'retry')
  const job = retries.findLast(({ account }) => account.in_doubt > 0) ?? retries.at(-1) ?? state
  if (job.head.input) throw sentFromFile(state, job)
  return { type: 'same', job }
}

function sentFromFile({ paths: { id } }: JobState, { paths, head, account }: JobState): CrmError {
  return new CrmError(
    'conflict',
    `the failed rows of ${id} were already sent from ${head.input?.name}, as ${paths.id}`,
    {
      hint:
        account.failed > 0
          ? `to retry those that failed then: crm jobs retry ${paths.id}`
          : `crm jobs show ${paths.id}`,
      job: paths.id,
    },
  )
}

interface Retried {
  readonly state: JobState
  readonly retried: RetriedRows
}

/** CrmError `conflict` for a row whose end, or that of the row it waits for, must be known first. */
function refuseWaiting(context: PlanningContext, { operation, job }: LeftFailure, { state, retried }: Retried): void {
  const { after } = operation.head
  const isInDoubt = (op: number) => state.progress.endOf(op) === 'doubt' || retried.of(op)?.end === 'doubt'
  if (after !== undefined && isInDoubt(after)) throw stillInDoubt(context, state.paths)
  if (job !== state && job.head.input) throw sentFromFile(state, job)
}

/** A row waits for one that may have been done: its end decides. */
function stillInDoubt(context: PlanningContext, { id }: JobPaths): CrmError {
  return new CrmError('conflict', `rows of ${id} wait for rows in doubt`, {
    hint: `settle those first: crm jobs resume ${id}${typedProfile(context.command)}`,
    job: id,
  })
}

/** A retry sends the rows as they were matched, so an ambiguous row would fail again. */
function nothingToSend(context: PlanningContext, { id }: JobPaths): CrmError {
  return new CrmError(
    'conflict',
    `no row of ${id} that failed has a request to send again: each is ambiguous or rejected`,
    {
      hint: `when they are corrected, or have one match: ${matchAnew(context, id)}`,
      job: id,
    },
  )
}

/** The command that matches the rows again, from the input of the first job. */
function matchAnew(context: PlanningContext, id: string): string {
  const paths = jobPaths(context.jobsFolder, id)
  const { input, of } = headOf(paths)
  if (!input && of !== undefined) return matchAnew(context, of)
  const file = input && withJob(paths, (job) => job.hasInput) ? shellWord(failedFile(paths, input)) : 'FILE'
  return `crm jobs retry ${id}${typedProfile(context.command)} --from ${file}`
}

/** Removes undefined members, which would count as present. */
export function present<Members extends object>(
  members: Members,
): { [Name in keyof Members]?: NonNullable<Members[Name]> } {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as {
    [Name in keyof Members]?: NonNullable<Members[Name]>
  }
}
