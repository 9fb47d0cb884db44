import { CrmError } from '../../core/errors.ts'
import { readJobState } from '../history/job-state.ts'
import { type RetriedRow, readRetriedRows, unfinishedIn, unfinishedRetry } from '../history/retried-rows.ts'
import type { InputRow } from '../input/row.ts'
import { jobPaths, openJobPlan } from '../journal/job-folder.ts'
import type { LeftOut } from './left-out.ts'
import type { PlanningContext } from './make-job.ts'

/** What is known of a row of a file of failed rows. */
export interface RetriedLine {
  /** Its operation in the job that is retried. */
  readonly of: number
  /** Undefined: no retry has done it. */
  readonly done: LeftOut | undefined
}

/** Undefined for a row that names no line of the job, or one with several failed rows. */
export type RetriedLines = (row: InputRow) => RetriedLine | undefined

/**
 * Finds the failed rows of a job by the lines that a file of failed rows names; undefined without a job. CrmError `conflict` while a retry of these rows has
 * not ended, and for a row that is in doubt in one.
 */
export async function readRetriedLines(
  context: PlanningContext,
  of: string | undefined,
): Promise<RetriedLines | undefined> {
  if (of === undefined) return undefined
  const { jobsFolder } = context
  const state = await readJobState(jobPaths(jobsFolder, of))
  const retried = await readRetriedRows(jobsFolder, state.paths)
  const open = unfinishedIn(retried)
  if (open) throw unfinishedRetry(context.command, open)
  const ops = new Map<number, number | 'several'>()
  const plan = openJobPlan(state.paths)
  try {
    for (const { op, head } of plan.all()) {
      if (head.line === undefined || state.progress.endOf(op) !== 'failed') continue
      for (const line of [head.line, ...(head.also ?? []).map(([also]) => also)])
        ops.set(line, ops.has(line) ? 'several' : op)
    }
  } finally {
    plan.close()
  }
  return (row) => {
    const op = ops.get(row.earlierLine ?? 0)
    if (op === undefined || op === 'several') return undefined
    const sent = retried.of(op)
    if (sent?.end === 'doubt') throw inDoubt(row, sent)
    return { of: op, done: sent?.end === 'done' ? doneBy(row, sent) : undefined }
  }
}

function inDoubt({ line, earlierLine }: InputRow, { job: { paths } }: RetriedRow): CrmError {
  return new CrmError('conflict', `line ${line}, which is line ${earlierLine} of the job, is in doubt in ${paths.id}`, {
    hint: `crm jobs resume ${paths.id} settles it; or remove the line`,
    job: paths.id,
  })
}

function doneBy({ line, id }: InputRow, { job: { paths } }: RetriedRow): LeftOut {
  const reason = `${paths.id} has done it`
  return { line, id: id ?? null, code: 'done_before', field: null, reason, was: null, wrote: null, now: null }
}
