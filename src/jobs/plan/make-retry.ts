import { CrmError } from '../../core/errors.ts'
import { canonicalJson, type JsonObject, parseExactJson } from '../../core/json.ts'
import { shellWord, typedProfile } from '../../core/shell-words.ts'
import { failedFile } from '../history/failed-file.ts'
import { type FailuresLeft, type LeftFailure, readFailuresLeft } from '../history/failures.ts'
import { refuseOtherAccount } from '../history/job-errors.ts'
import { type JobState, readJobState } from '../history/job-state.ts'
import {
  isDone,
  type RetriedRow,
  type RetriedRows,
  readRetriedRows,
  unfinishedIn,
  unfinishedRetry,
} from '../history/retried-rows.ts'
import { type InputRow, NO_LINE, OTHER_TEXT } from '../input/row.ts'
import { type JobPaths, jobPaths } from '../store/job-folder.ts'
import { headOf, openJob, withJob } from '../store/open-job.ts'
import type { JobProgress } from '../store/progress.ts'
import { requestDigest } from './digest.ts'
import { Existing } from './existing.ts'
import { type LeftOut, leftOutEntry } from './left-out.ts'
import { finishFirst, type MadeImport, type MadeJob, makeJob } from './make-job.ts'
import { byId } from './match-keys.ts'
import { createOf, MovedOperations, type PlanBuilder, type Planned } from './plan-builder.ts'
import { type JobNoun, type OperationHead, type PlanHead, present, sentKind } from './plan-format.ts'
import type { PlanningContext } from './planning.ts'
import type { Scratch } from './scratch.ts'

/** The merge reads the records again, and its undo knows the jobs that it began. */
function refuseRepoint({ job, kind, command }: PlanHead): void {
  if (kind !== 'repoint') return
  throw new CrmError('conflict', `${job} gives records to the winners of a merge, which sends them again itself`, {
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
  const left = await readFailuresLeft(context.jobsFolder, state)
  const { retried, count } = left
  const open = unfinishedIn(retried)
  if (open) {
    if (hasAllRowsOf(state, open)) return { type: 'same', job: open }
    throw unfinishedRetry(context.command, open)
  }
  if (state.state !== 'finished' && state.state !== 'cancelled') throw unfinishedRetry(context.command, state)
  if (state.account.failed === 0) {
    throw new CrmError('conflict', `no row of ${paths.id} failed`, { hint: `crm jobs show ${paths.id}`, job: paths.id })
  }
  refuseOtherAccount(state.head, context.account)
  if (count === 0) return allSent(state, retried.jobs)
  let unmatched = 0
  const job = await makeJobOfFailures(context, state, left, async (builder, failures) => {
    const moved = new MovedOperations(builder)
    for await (const failure of failures) {
      refuseWaiting(context, failure, { state, retried })
      if (failure.last.operation.head.failed) {
        unmatched += 1
        failAgain(builder, failure)
      } else sendAgain(moved, failure)
    }
    if (unmatched === count) throw nothingToSend(context, paths)
  })
  const again = `${unmatched} of the rows fail again; to match them again: ${matchAnew(context, paths.id)}`
  return { type: 'made', job, lines: unmatched === 0 ? [] : [again], leftLines: [] }
}

/** A retry is sent on the terms of its job. */
async function makeJobOfFailures(
  context: PlanningContext,
  { head, paths }: JobState,
  { retried, list }: FailuresLeft,
  fill: (builder: PlanBuilder, failures: AsyncIterable<LeftFailure>) => Promise<void>,
): Promise<MadeJob> {
  const { noun, run, ordered, needs, updates, upsert, terms, asked, unasked } = head
  const kept = present({ ordered, needs, updates, upsert, terms, asked, unasked })
  const plan = openJob(paths)
  try {
    return await makeJob(
      context,
      { kind: 'retry', noun, run, of: paths.id, ...kept },
      (builder, { scratch }) => fill(builder, renewedFailures(context, noun, list(plan), scratch)),
      { finish: finishFirst(context, retried) },
    )
  } finally {
    plan.close()
  }
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

/** A change that failed because of another's change starts from what the record is now; what others changed is not deleted. */
async function* renewedFailures(
  context: PlanningContext,
  noun: JobNoun,
  failures: AsyncIterable<LeftFailure>,
  scratch: Scratch,
): AsyncGenerator<LeftFailure, void, undefined> {
  let now: Existing | undefined
  for await (const failure of failures) {
    const { id } = failure.last.operation.head
    if (!isRenewed(failure.last) || id === undefined) yield failure
    else {
      now ??= await Existing.read({ scratch, pages: context.list(noun), keyOf: byId, onRead: context.onRead })
      yield { ...failure, before: now.find(id)[0]?.record ?? failure.before }
    }
  }
}

function isRenewed({ code, operation: { head } }: LeftFailure['last']): boolean {
  return code === 'precondition_failed' && head.do === 'update'
}

/** The guard of the row that failed; of a row that is sent to the current record, that record's version. */
function guardOf({ last }: Pick<LeftFailure, 'last'>): Pick<Planned, 'ifMatch'> {
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
          ? `to retry those that failed then: crm jobs retry ${paths.id}${typedProfile(head.command)}`
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

/** What is sent for a row, in place of `body`; undefined: the row is not sent. */
export type Correction = (failure: LeftFailure, body: JsonObject) => JsonObject | undefined

export interface CorrectedRow {
  readonly line: number | undefined
  readonly id: string | undefined
  readonly before: JsonObject
  readonly after: JsonObject
}

export interface MadeCorrection {
  readonly type: 'made'
  readonly job: MadeJob
  readonly rows: number
  /** The first few. */
  readonly samples: readonly CorrectedRow[]
}

const SAMPLES = 5

/**
 * A job with failed rows, corrected. A row is corrected as it was sent last; those that a retry has done since, or may have, are
 * left out. CrmError `conflict` if no row is left, or a job with these rows has not ended.
 */
export async function correctFailedRows(
  context: PlanningContext,
  { paths, correct }: { readonly paths: JobPaths; readonly correct: Correction },
): Promise<MadeCorrection> {
  const state = await readJobState(paths)
  refuseRepoint(state.head)
  const left = await readFailuresLeft(context.jobsFolder, state)
  const open = state.state === 'finished' || state.state === 'cancelled' ? unfinishedIn(left.retried) : state
  if (open) throw unfinishedRetry(context.command, open)
  refuseOtherAccount(state.head, context.account)
  const samples: CorrectedRow[] = []
  let rows = 0
  const job = await makeJobOfFailures(context, state, left, async (builder, failures) => {
    for await (const failure of failures) {
      const { head, body } = failure.last.operation
      if (!body) continue
      const before = parseExactJson(body.toString('utf8')) as JsonObject
      const after = correct(failure, before)
      if (!after) continue
      const { path, id, line, at, also } = head
      const place = present({ id, line, at, also, before: failure.before, of: failure.operation.op })
      builder.add({ do: sentKind(head), path, body: after, ...place, ...guardOf(failure) })
      if (rows++ < SAMPLES) samples.push({ line, id, before, after })
    }
    if (rows > 0) return
    throw new CrmError('conflict', `no failed row of ${paths.id} is left to correct`, {
      hint: `crm jobs failed ${paths.id}`,
      job: paths.id,
    })
  })
  return { type: 'made', job, rows, samples }
}

/** What is known of a row of a file of failed rows. */
export interface RetriedLine {
  /** Its operation in the job that is retried. */
  readonly of: number
  /** Undefined: no retry has done it. */
  readonly done: LeftOut | undefined
}

/** Undefined for a row that names no line, unless a failed create has its values, or for a line with several failed rows. */
export type RetriedLines = (row: InputRow) => RetriedLine | undefined

/**
 * Finds the failed rows of a job by the lines that a file of failed rows names; none without a job. CrmError `invalid_input` for a
 * row that names no such line: its cells may stand in other columns than their own. CrmError `conflict` while a retry of these rows
 * has not ended, for a row that is in doubt in one, and for an edited row whose create is in doubt in the job itself.
 */
export async function readRetriedLines(context: PlanningContext, of: string | undefined): Promise<RetriedLines> {
  if (of === undefined) return refuseOtherText
  const { jobsFolder } = context
  const state = await readJobState(jobPaths(jobsFolder, of))
  const retried = await readRetriedRows(jobsFolder, state.paths)
  const open = unfinishedIn(retried)
  if (open) throw unfinishedRetry(context.command, open)
  const { ops, creates, doubts, open: left } = linesOf(state)
  const lines = new Map<number, number>()
  const opOf = (row: InputRow) =>
    row.earlierLine === undefined ? creates.get(createDigest(state.head.noun, row)) : ops.get(row.earlierLine)
  return (row) => {
    if (row.earlierLine !== undefined && !left.has(row.earlierLine)) throw noFailedRow(row, state)
    const named = row.earlierLine ?? NO_LINE
    const doubt = doubts.get(named)
    if (doubt !== undefined && doubt !== createDigest(state.head.noun, row)) throw inDoubt(row, state)
    const op = opOf(row)
    if (op === undefined || op === 'several') return undefined
    refuseTwice(lines, row, state)
    const sent = retried.of(op)
    if (sent?.end === 'doubt') throw inDoubt(row, sent.job)
    return { of: op, done: sent && isDone(sent) ? doneBy(row, sent) : undefined }
  }
}

/** A file of an earlier version has the columns of a failure behind the cells, where a short row fills them with its own. */
function refuseOtherText({ line, earlierLine }: InputRow): undefined {
  if (earlierLine !== OTHER_TEXT) return undefined
  throw new CrmError('invalid_input', `line ${line} has no number in _crm_line: its cells may stand in other columns`, {
    hint: 'move them below their headings, or clear _crm_line in a new row; --map _crm_line= leaves the column out',
  })
}

interface Lines {
  /** The failed operation of a line. */
  readonly ops: ReadonlyMap<number, number | 'several'>
  /** The failed creates by their digests: of rows that name no line. */
  readonly creates: ReadonlyMap<string, number | 'several'>
  /** The digests of creates in doubt. */
  readonly doubts: ReadonlyMap<number, string>
  /** All lines with a row that is not done. */
  readonly open: ReadonlySet<number>
}

function linesOf({ paths, progress }: JobState): Lines {
  const ops = new Map<number, number | 'several'>()
  const creates = new Map<string, number | 'several'>()
  const doubts = new Map<number, string>()
  const open = new Set<number>()
  const plan = openJob(paths)
  try {
    for (const { op, head } of plan.all()) {
      const end = progress.endOf(op)
      if (head.line === undefined || end === 'done') continue
      if (isDoubtfulCreate(head, progress, op)) doubts.set(head.line, head.digest)
      const lines = [head.line, ...(head.also ?? []).map(([also]) => also)]
      for (const line of lines) open.add(line)
      if (end !== 'failed') continue
      addFailed(ops, lines, op)
      if (head.do === 'create') addFailed(creates, [head.digest], op)
    }
  } finally {
    plan.close()
  }
  return { ops, creates, doubts, open }
}

function addFailed<Key>(ops: Map<Key, number | 'several'>, keys: readonly Key[], op: number): void {
  for (const key of keys) ops.set(key, ops.has(key) ? 'several' : op)
}

function isDoubtfulCreate(head: OperationHead, progress: JobProgress, op: number): boolean {
  return head.do === 'create' && (progress.endOf(op) === 'doubt' || progress.isUnanswered(op))
}

/** An unedited row is known by its digest, and sent under its key; an edited one would be created again. */
function createDigest(noun: JobNoun, row: InputRow): string {
  const { path, body = {} } = createOf(noun, row)
  return requestDigest('POST', path, canonicalJson(body))
}

function noFailedRow({ line, earlierLine }: InputRow, { paths: { id } }: JobState): CrmError {
  const named = earlierLine === NO_LINE || earlierLine === OTHER_TEXT ? 'no line' : `line ${earlierLine}`
  return new CrmError(
    'invalid_input',
    `line ${line} names ${named} in _crm_line, expected the line of a failed row of ${id}`,
    {
      hint: `crm jobs failed ${id}`,
      job: id,
    },
  )
}

/** `lines`: of the input, by the lines that they name. */
function refuseTwice(lines: Map<number, number>, { line, earlierLine }: InputRow, { paths: { id } }: JobState): void {
  if (earlierLine === undefined) return
  const first = lines.get(earlierLine) ?? line
  lines.set(earlierLine, first)
  if (first === line) return
  throw new CrmError(
    'invalid_input',
    `lines ${first} and ${line} both name line ${earlierLine} of ${id} in _crm_line`,
    {
      hint: 'keep one of them; import additional rows separately',
      job: id,
    },
  )
}

function inDoubt({ line, earlierLine }: InputRow, { paths, head }: JobState): CrmError {
  const which = earlierLine === undefined ? '' : `, which is line ${earlierLine} of the job,`
  return new CrmError('conflict', `line ${line}${which} is in doubt in ${paths.id}`, {
    hint: `crm jobs resume ${paths.id}${typedProfile(head.command)} settles it; or remove the line`,
    job: paths.id,
  })
}

function doneBy({ line, id }: InputRow, { job: { paths } }: RetriedRow): LeftOut {
  return leftOutEntry('done_before', `${paths.id} has done it`, { line, id })
}
