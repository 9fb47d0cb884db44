import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { CrmError } from '../../core/errors.ts'
import { type JsonObject, parseExactJson } from '../../core/json.ts'
import type { CrmRecord } from '../../core/resources/registry.ts'
import { shellWord, typedProfile } from '../../core/shell-words.ts'
import { failuresOf, type RowFailure } from '../history/failures.ts'
import { allJobs, headOf } from '../history/find-jobs.ts'
import { refuseOtherAccount } from '../history/job-errors.ts'
import { type JobState, readJobState } from '../history/job-state.ts'
import { failedRowsName } from '../input/failed-rows.ts'
import { type JobPaths, jobPaths, openJobPlan } from '../journal/job-folder.ts'
import type { MadeImport } from './make-import.ts'
import { dropPlannedOf, type MadeJob, makeJob, type PlanningContext } from './make-job.ts'
import { MovedOperations } from './moved-operations.ts'
import { type PlanHead, type PlanOperation, sentKind } from './plan-format.ts'
import { BeforeImages } from './plan-writer.ts'

/** The merge reads the deals again, and its undo knows the jobs that it began. */
function refuseRepoint({ job, kind, command }: PlanHead): void {
  if (kind !== 'repoint') return
  throw new CrmError('conflict', `${job} gives deals to the winners of a merge, which sends them again itself`, {
    hint: ['crm', ...command].map(shellWord).join(' '),
    job,
  })
}

/** The refused rows, unchanged, under new idempotency keys: the server has not applied them. */
export async function makeRetry(context: PlanningContext, paths: JobPaths): Promise<MadeImport> {
  const { head, progress, state, account } = await readJobState(paths)
  refuseRepoint(head)
  const earlier = await retryOf(context, paths.id)
  if (earlier) return retryAgain(context, paths.id, earlier)
  if (state !== 'finished' && state !== 'cancelled') {
    throw new CrmError('conflict', `${paths.id} has not ended`, {
      hint: `crm jobs resume ${paths.id}${typedProfile(context.command)}`,
      job: paths.id,
    })
  }
  if (account.failed === 0) {
    throw new CrmError('conflict', `no row of ${paths.id} failed`, { hint: `crm jobs show ${paths.id}`, job: paths.id })
  }
  await dropPlannedOf(context, 'retry', paths.id)
  const plan = openJobPlan(paths)
  const images = new BeforeImages(paths.before)
  let unmatched = 0
  try {
    refuseOtherAccount(plan.head, context.account)
    const { noun, run, ordered, needs, updates, upsert, terms, asked, unasked } = plan.head
    const job = await makeJob(
      context,
      {
        kind: 'retry',
        noun,
        run,
        of: paths.id,
        ...present({ ordered, needs, updates, upsert, terms, asked, unasked }),
      },
      async (builder) => {
        const moved = new MovedOperations(builder)
        for (const { operation, state: failure } of failuresOf(plan, paths.journal, progress)) {
          if (failure !== 'failed') continue
          const { path, line, at, failed, after } = operation.head
          if (failed) {
            unmatched += 1
            builder.fail({ do: 'fail', path, ...present({ line, at }), failed })
            continue
          }
          if (after !== undefined && progress.endOf(after) === 'doubt') throw stillInDoubt(context, paths)
          sendAgain(moved, operation, await images.of(operation.op))
        }
        if (unmatched === account.failed) throw nothingToSend(context, paths)
      },
    )
    const lines =
      unmatched === 0
        ? []
        : [`${unmatched} of the rows fail again; to match them again: ${matchAnew(context, paths.id)}`]
    return { type: 'made', job, lines, leftLines: [] }
  } finally {
    await images.close()
    plan.close()
  }
}

function sendAgain(moved: MovedOperations, operation: PlanOperation, before: CrmRecord | undefined): void {
  const { path, id, line, at, also, n, gen = 0, restores, ifMatch } = operation.head
  const body = operation.body ? (parseExactJson(operation.body.toString('utf8')) as JsonObject) : undefined
  moved.add(
    operation,
    {
      ...{ do: sentKind(operation.head), path, n },
      ...present({ id, line, at, also, before, body, restores }),
      // A change may be sent again to a record that has another version since; what others changed is not deleted.
      ...(body === undefined && present({ ifMatch })),
    },
    () => ({ state: 'failed', gen, since: undefined }),
  )
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
  const file = input && existsSync(paths.input) ? shellWord(join(paths.folder, failedRowsName(input.verdict))) : 'FILE'
  return `crm jobs retry ${id}${typedProfile(context.command)} --from ${file}`
}

/** The last retry that was started. */
async function retryOf({ jobsFolder }: PlanningContext, id: string): Promise<JobState | undefined> {
  for (const each of allJobs(jobsFolder).toReversed()) {
    const { kind, of } = headOf(each)
    if (kind !== 'retry' || of !== id) continue
    const job = await readJobState(each)
    if (job.state !== 'planned') return job
  }
  return undefined
}

/** After an earlier retry, only the rows that failed in it are sent again. */
async function retryAgain(context: PlanningContext, id: string, earlier: JobState): Promise<MadeImport> {
  const { paths, head, state, account } = earlier
  if (head.input) {
    throw new CrmError(
      'conflict',
      `the failed rows of ${id} were already sent from ${head.input.name}, as ${paths.id}`,
      {
        hint:
          account.failed > 0
            ? `to retry those that failed then: crm jobs retry ${paths.id}`
            : `crm jobs show ${paths.id}`,
        job: paths.id,
      },
    )
  }
  const isOver = state === 'finished' || state === 'cancelled'
  return isOver && account.failed > 0 ? makeRetry(context, paths) : { type: 'same', job: earlier }
}

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
  const plan = openJobPlan(paths)
  const images = new BeforeImages(paths.before)
  const samples: CorrectedRow[] = []
  let rows = 0
  try {
    refuseOtherAccount(plan.head, context.account)
    const { noun, run, asked, unasked } = plan.head
    const identity = { kind: 'retry', noun, run, of: paths.id, ...present({ asked, unasked }) } as const
    const job = await makeJob(context, identity, async (builder) => {
      for (const operation of failedFor(failuresOf(plan, paths.journal, progress), correction)) {
        if (!operation.body || done.has(rowKey(operation))) continue
        const before = parseExactJson(operation.body.toString('utf8')) as JsonObject
        const after = { ...before, ...correction.members }
        const { path, id, line, at, also } = operation.head
        const image = present({ id, line, at, also, before: await images.of(operation.op) })
        builder.add({ do: sentKind(operation.head), path, body: after, ...image })
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

function* failedFor(failures: Iterable<RowFailure>, { code, field }: Correction): Generator<PlanOperation> {
  for (const failure of failures) {
    if (failure.state === 'failed' && failure.code === code && failure.field === field) yield failure.operation
  }
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
    const plan = openJobPlan(each)
    try {
      for (const operation of plan.all()) if (progress.endOf(operation.op) === 'done') done.add(rowKey(operation))
    } finally {
      plan.close()
    }
  }
  return done
}

function rowKey({ head: { line, at, id, path, digest, n } }: PlanOperation): string {
  if (line !== undefined) return `line ${line} ${at?.[0] ?? ''}`
  return id === undefined ? `${path} ${digest} ${n}` : `id ${id}`
}

/** Removes undefined members, which would count as present. */
function present<Members extends object>(members: Members): { [Name in keyof Members]?: NonNullable<Members[Name]> } {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as {
    [Name in keyof Members]?: NonNullable<Members[Name]>
  }
}
