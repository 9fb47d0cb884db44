import { CrmError } from '../../core/errors.ts'
import { type JsonObject, parseExactJson } from '../../core/json.ts'
import type { CrmRecord } from '../../core/resources/registry.ts'
import { failuresOf, type RowFailure } from '../history/failures.ts'
import { allJobs, headOf } from '../history/find-jobs.ts'
import { refuseOtherAccount } from '../history/job-errors.ts'
import { readJobState } from '../history/job-state.ts'
import type { JobPaths } from '../journal/job-folder.ts'
import { BeforeImages } from './before-writer.ts'
import { type MadeJob, makeJob } from './make-job.ts'
import { type Operation, sentKind } from './operation.ts'
import { PlanFile } from './plan-file.ts'
import type { PlanningContext } from './planning-context.ts'

/** One cause of failures, and the members that are changed in every row that failed for it. */
export interface Correction {
  readonly code: string
  readonly field: string | undefined
  readonly members: JsonObject
}

export interface CorrectedRow {
  readonly line: number | undefined
  readonly id: string | undefined
  readonly before: JsonObject
  readonly after: JsonObject
}

export interface MadeCorrection {
  readonly job: MadeJob
  readonly rows: number
  /** The first few. */
  readonly samples: readonly CorrectedRow[]
}

const SAMPLES = 5

/**
 * A job with the rows that failed for one cause, all with the same correction. Rows that a retry has done since are left out.
 * CrmError `conflict` if no row is left, or the job has not ended.
 */
export async function correctFailedRows(
  context: PlanningContext,
  paths: JobPaths,
  correction: Correction,
): Promise<MadeCorrection> {
  const { progress, state } = await readJobState(paths)
  if (state !== 'finished' && state !== 'cancelled') {
    throw new CrmError('conflict', `${paths.id} has not ended`, { hint: `crm jobs resume ${paths.id}` })
  }
  const done = await doneByRetries(context, paths)
  const plan = new PlanFile(paths.plan)
  const images = new BeforeImages(paths.before)
  const samples: CorrectedRow[] = []
  let rows = 0
  try {
    refuseOtherAccount(plan.head, context.account)
    const { noun, run } = plan.head
    const job = await makeJob(context, { kind: 'retry', noun, run, of: paths.id }, async (builder) => {
      for (const operation of failedFor(failuresOf(plan, paths.journal, progress), correction)) {
        if (!operation.body || done.has(rowKey(operation))) continue
        const before = parseExactJson(operation.body.toString('utf8')) as JsonObject
        const after = { ...before, ...correction.members }
        builder.add({
          do: sentKind(operation.head),
          ...placeOf(operation),
          body: after,
          ...(await imageOf(images, operation)),
        })
        const { line, id } = operation.head
        if (rows++ < SAMPLES) samples.push({ line, id, before, after })
      }
      if (rows === 0) throw nothingLeft(paths)
    })
    return { job, rows, samples }
  } finally {
    await images.close()
    plan.close()
  }
}

function* failedFor(failures: Iterable<RowFailure>, { code, field }: Correction): Generator<Operation> {
  for (const failure of failures) {
    if (failure.state === 'failed' && failure.code === code && failure.field === field) yield failure.operation
  }
}

function placeOf({ head: { path, id, line, at } }: Operation) {
  return { path, ...(id !== undefined && { id }), ...(line !== undefined && { line }), ...(at && { at }) }
}

async function imageOf(images: BeforeImages, { op }: Operation): Promise<{ readonly before?: CrmRecord }> {
  const before = await images.of(op)
  return before ? { before } : {}
}

function nothingLeft({ id }: JobPaths): CrmError {
  return new CrmError('conflict', `no failed row of ${id} with this cause is left to correct`, {
    hint: `crm jobs failed ${id}`,
    job: id,
  })
}

/** Rows by their place in the input, else by the record that they change. */
async function doneByRetries(context: PlanningContext, paths: JobPaths): Promise<ReadonlySet<string>> {
  const done = new Set<string>()
  for (const each of allJobs(context.jobsFolder)) {
    const { kind, of } = headOf(each)
    if (kind !== 'retry' || of !== paths.id) continue
    const { progress } = await readJobState(each)
    const plan = new PlanFile(each.plan)
    try {
      for (const batch of plan.operations()) {
        for (const operation of batch) if (progress.endOf(operation.op) === 'done') done.add(rowKey(operation))
      }
    } finally {
      plan.close()
    }
  }
  return done
}

function rowKey({ head: { line, at, id, path, digest, n } }: Operation): string {
  if (line !== undefined) return `line ${line} ${at?.[0] ?? ''}`
  return id === undefined ? `${path} ${digest} ${n}` : `id ${id}`
}
