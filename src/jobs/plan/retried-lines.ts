import { CrmError } from '../../core/errors.ts'
import { canonicalJson } from '../../core/json.ts'
import { type JobState, readJobState } from '../history/job-state.ts'
import { type RetriedRow, readRetriedRows, unfinishedIn, unfinishedRetry } from '../history/retried-rows.ts'
import { type InputRow, NO_LINE, OTHER_TEXT } from '../input/row.ts'
import { jobPaths } from '../store/job-folder.ts'
import { openJob } from '../store/open-job.ts'
import type { JobProgress } from '../store/progress.ts'
import { requestDigest } from './digest.ts'
import type { LeftOut } from './left-out.ts'
import type { PlanningContext } from './make-job.ts'
import { createOf } from './plan-builder.ts'
import type { JobNoun, OperationHead } from './plan-format.ts'

/** What is known of a row of a file of failed rows. */
export interface RetriedLine {
  /** Its operation in the job that is retried. */
  readonly of: number
  /** Undefined: no retry has done it. */
  readonly done: LeftOut | undefined
}

/** Undefined for a row of a file that names no lines, or of a line with several failed rows. */
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
  const { ops, doubts, open: left } = linesOf(state)
  return (row) => {
    if (row.earlierLine !== undefined && !left.has(row.earlierLine)) throw noFailedRow(row, state)
    const doubt = doubts.get(row.earlierLine ?? 0)
    if (doubt !== undefined && doubt !== createDigest(state.head.noun, row)) throw inDoubt(row, state)
    const op = ops.get(row.earlierLine ?? 0)
    if (op === undefined || op === 'several') return undefined
    const sent = retried.of(op)
    if (sent?.end === 'doubt') throw inDoubt(row, sent.job)
    return { of: op, done: sent?.end === 'done' ? doneBy(row, sent) : undefined }
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
  /** The digests of creates in doubt. */
  readonly doubts: ReadonlyMap<number, string>
  /** All lines with a row that is not done. */
  readonly open: ReadonlySet<number>
}

function linesOf({ paths, progress }: JobState): Lines {
  const ops = new Map<number, number | 'several'>()
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
      if (end === 'failed') addFailed(ops, lines, op)
    }
  } finally {
    plan.close()
  }
  return { ops, doubts, open }
}

function addFailed(ops: Map<number, number | 'several'>, lines: readonly number[], op: number): void {
  for (const line of lines) ops.set(line, ops.has(line) ? 'several' : op)
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

function inDoubt({ line, earlierLine }: InputRow, { paths }: JobState): CrmError {
  return new CrmError('conflict', `line ${line}, which is line ${earlierLine} of the job, is in doubt in ${paths.id}`, {
    hint: `crm jobs resume ${paths.id} settles it; or remove the line`,
    job: paths.id,
  })
}

function doneBy({ line, id }: InputRow, { job: { paths } }: RetriedRow): LeftOut {
  const reason = `${paths.id} has done it`
  return { line, id: id ?? null, code: 'done_before', field: null, reason, was: null, wrote: null, now: null }
}
