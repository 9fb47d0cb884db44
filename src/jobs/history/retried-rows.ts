import { CrmError } from '../../core/errors.ts'
import { typedProfile } from '../../core/shell-words.ts'
import type { OperationHead, PlanOperation } from '../plan/plan-format.ts'
import { type JobPaths, jobPaths } from '../store/job-folder.ts'
import { withJob } from '../store/open-job.ts'
import type { JobProgress } from '../store/progress.ts'
import { isOpen, isUndoneWhole, startedMeanwhile, undosInEffect } from './earlier-jobs.ts'
import { allJobs, headIfReadable, keptJob } from './find-jobs.ts'
import { unendedHint } from './job-errors.ts'
import { type JobState, readJobState } from './job-state.ts'

/** The last time that a row was sent by a retry: of its job, of another retry, or of one of those in turn. */
export interface RetriedRow {
  readonly job: JobState
  /** In the plan of that job; undefined for an unchanged row, which has none. */
  readonly op: number | undefined
  /** `unchanged`: its record had these values already. */
  readonly end: 'done' | 'unchanged' | 'doubt' | 'failed'
}

/** The retries of a job, of the job that it retries, and of those in turn, and what they did with its rows. */
export interface RetriedRows {
  /** The oldest first, without the job itself; not those that have sent nothing. */
  readonly jobs: readonly JobState[]
  readonly planned: readonly JobPaths[]
  /** By an operation of the job; undefined before it is sent again. A row that is done or in doubt stays so. */
  of(op: number): RetriedRow | undefined
  /** CrmError `conflict` for a retry that another process has made since. */
  refuseNewer(): void
}

/** The job of the family that has ended no row yet, or may send more. */
export function unfinishedIn({ jobs }: RetriedRows): JobState | undefined {
  return jobs.find(isOpen)
}

export function unfinishedRetry(command: readonly string[], job: JobState): CrmError {
  const { head, sentBy } = job
  const { id } = job.paths
  const what = head.kind === 'retry' ? `${id}, which retries rows of ${head.of},` : id
  return new CrmError('conflict', `${what} has not ended`, {
    hint:
      sentBy === undefined ? `crm jobs resume ${id}${typedProfile(command, head.command)}` : unendedHint(job, command),
    job: id,
    ...(sentBy !== undefined && { isBusy: true }),
  })
}

/** Whether the row needs no further retry. */
export function isDone(row: RetriedRow | undefined): boolean {
  return row?.end === 'done' || row?.end === 'unchanged'
}

/** Whether a retry has done the row, or may have: then it is not sent again. */
export function isSettled(row: RetriedRow | undefined): boolean {
  return isDone(row) || row?.end === 'doubt'
}

/** A job, its retries, and those of them in turn, if `id` is one of them: the first job, then the others, the oldest first. */
function familyOf(jobsFolder: string, id: string): readonly [root: string, ...retries: string[]] {
  const first = new Map<string, string>()
  for (const paths of allJobs(jobsFolder)) {
    const { kind, of } = headIfReadable(paths)
    // The job that it retries is older, and may have been pruned.
    if (kind === 'retry' && of !== undefined) first.set(paths.id, first.get(of) ?? of)
  }
  const root = first.get(id) ?? id
  return [root, ...[...first].flatMap(([retry, own]) => (own === root ? [retry] : []))]
}

export async function readRetriedRows(jobsFolder: string, { id }: JobPaths): Promise<RetriedRows> {
  const [root, ...retries] = familyOf(jobsFolder, id)
  const jobs: JobState[] = []
  const planned: JobPaths[] = []
  const rows = new Map<number, RetriedRow>()
  const origins = new Map<string, Origins>([[root, (op) => op]])
  const undone = retries.length > 0 ? await undosInEffect(jobsFolder, true) : new Map()
  const kept = root === id ? undefined : keptJob(jobsFolder, root)
  if (kept) jobs.push(await readJobState(kept))
  for (const each of retries) {
    const job = await readJobState(jobPaths(jobsFolder, each))
    if (job.state === 'planned' && each !== id) {
      planned.push(job.paths)
      continue
    }
    // The rows of a retry that was undone completely can be retried again.
    const own = isUndoneWhole(undone, each) ? new Map<number, RetriedRow>() : rows
    origins.set(each, addRows(own, job, { jobsFolder, origins }))
    if (each !== id) jobs.push(job)
  }
  const origin = origins.get(id) ?? (() => undefined)
  return {
    jobs,
    planned,
    of: (op) => {
      const row = rows.get(origin(op) ?? -1)
      return row?.job.paths.id === id ? undefined : row
    },
    refuseNewer: () => {
      const newer = familyOf(jobsFolder, id).find((each) => each !== root && !retries.includes(each))
      if (newer !== undefined) throw startedMeanwhile(newer)
    },
  }
}

/** The operation of the first job whose row an operation sends; undefined if it is none of them. */
type Origins = (op: number) => number | undefined

interface Known {
  readonly jobsFolder: string
  readonly origins: ReadonlyMap<string, Origins>
}

/** Rows of a retry that change nothing; other rows that are left out have a code. */
const UNCHANGED = "SELECT place, text, digest FROM left_out WHERE text ->> 'code' IS NULL"

function addRows(rows: Map<number, RetriedRow>, job: JobState, { jobsFolder, origins }: Known): Origins {
  const own = new Map<number, number>()
  const { of = '', input } = job.head
  const originOf = origins.get(of)
  // Plans of earlier versions do not name the operation that they retry.
  let byPlace: ReadonlyMap<string, number> | undefined
  const namedBy = ({ head }: PlanOperation): number | undefined => {
    if (head.of !== undefined || input) return head.of
    byPlace ??= placesIn(keptJob(jobsFolder, of))
    return byPlace.get(placeOf(head))
  }
  const take = (named: number | undefined, op: number | undefined, end: RetriedRow['end'] | undefined) => {
    const origin = named === undefined ? undefined : originOf?.(named)
    if (origin === undefined) return
    if (op !== undefined) own.set(op, origin)
    if (end && !isSettled(rows.get(origin))) rows.set(origin, { job, op, end })
  }
  withJob(job.paths, (plan) => {
    for (const { text } of plan.texts(UNCHANGED)) take((JSON.parse(text) as { of: number }).of, undefined, 'unchanged')
    for (const operation of plan.all()) take(namedBy(operation), operation.op, sentEnd(job.progress, operation.op))
  })
  return (op) => own.get(op)
}

function sentEnd(progress: JobProgress, op: number): RetriedRow['end'] | undefined {
  if (progress.isUnanswered(op)) return 'doubt'
  const end = progress.endOf(op)
  return end === 'none' || end === 'back' ? undefined : end
}

function placesIn(paths: JobPaths | undefined): ReadonlyMap<string, number> {
  if (!paths) return new Map()
  return withJob(paths, (plan) => new Map(Array.from(plan.all(), ({ op, head }) => [placeOf(head), op])))
}

/** The place of a row in the input, else the record that it changes. */
function placeOf({ line, at, id, path, digest, n }: OperationHead): string {
  if (line !== undefined) return `line ${line} ${at?.[0] ?? ''}`
  return id === undefined ? `${path} ${digest} ${n}` : `id ${id}`
}
