import { CrmError } from '../../core/errors.ts'
import { type JsonObject, parseExactJson } from '../../core/json.ts'
import { type LeftFailure, readFailuresLeft } from '../history/failures.ts'
import { refuseOtherAccount } from '../history/job-errors.ts'
import { readJobState } from '../history/job-state.ts'
import { unfinishedIn, unfinishedRetry } from '../history/retried-rows.ts'
import type { JobDraft, JobPaths } from '../store/job-folder.ts'
import { openJob } from '../store/open-job.ts'
import { finishFirst, type MadeJob, makeJob, type PlanningContext } from './make-job.ts'
import { guardOf, present, refuseRepoint, renewedFailures, retryIdentity } from './make-retry.ts'
import type { PlanBuilder } from './plan-builder.ts'
import { sentKind } from './plan-format.ts'

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
  const { retried, list } = await readFailuresLeft(context.jobsFolder, state)
  const open = state.state === 'finished' || state.state === 'cancelled' ? unfinishedIn(retried) : state
  if (open) throw unfinishedRetry(context.command, open)
  const plan = openJob(paths)
  const samples: CorrectedRow[] = []
  let rows = 0
  try {
    refuseOtherAccount(plan.head, context.account)
    const fill = async (builder: PlanBuilder, draft: JobDraft) => {
      for await (const failure of renewedFailures(context, { failures: list(plan), folder: draft.folder, plan })) {
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
      if (rows === 0) throw nothingLeft(paths)
    }
    const finish = (draft: JobDraft) => finishFirst(context, draft, retried)
    const job = await makeJob(context, retryIdentity(plan.head, paths.id), fill, { finish })
    return { type: 'made', job, rows, samples }
  } finally {
    plan.close()
  }
}

function nothingLeft({ id }: JobPaths): CrmError {
  return new CrmError('conflict', `no failed row of ${id} is left to correct`, {
    hint: `crm jobs failed ${id}`,
    job: id,
  })
}
