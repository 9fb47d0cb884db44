import { CrmError } from '../../core/errors.ts'
import { typedProfile } from '../../core/shell-words.ts'
import type { OperationHead, PlanOperation } from '../plan/plan-format.ts'
import { type JobPaths, jobPaths } from '../store/job-folder.ts'
import { openJob } from '../store/open-job.ts'
import type { JobProgress } from '../store/progress.ts'
import { headIfReadable, startedMeanwhile } from './earlier-jobs.ts'
import { allJobs, keptJob } from './find-jobs.ts'
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
  return jobs.find(({ state }) => state === 'running' || state === 'stopped')
}

export function unfinishedRetry(command: readonly string[], job: JobState): CrmError {
  const { head, sentBy } = job
  const { id } = job.paths
  const what = head.kind === 'retry' ? `${id}, which retries rows of ${head.of},` : id
  return new CrmError('conflict', `${what} has not ended`, {
    hint: sentBy === undefined ? `crm jobs resume ${id}${typedProfile(command)}` : unendedHint(job, command),
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

/** The ids of the jobs that retry each job, or a retry of it, by the first job; each list the oldest first. */
function retryFamilies(jobsFolder: string): ReadonlyMap<string, readonly string[]> {
  const first = new Map<string, string>()
  const families = new Map<string, string[]>()
  for (const paths of allJobs(jobsFolder)) {
    const { kind, of } = headIfReadable(paths)
    if (kind !== 'retry' || of === undefined) continue
    // The job that it retries is older, and may have been pruned.
    const root = first.get(of) ?? of
    first.set(paths.id, root)
    families.set(root, [...(families.get(root) ?? [root]), paths.id])
  }
  return new Map(Array.from(families.values()).flatMap((ids) => ids.map((id) => [id, ids] as const)))
}

export async function readRetriedRows(jobsFolder: string, { id }: JobPaths): Promise<RetriedRows> {
  const family = retryFamilies(jobsFolder).get(id) ?? [id]
  const [root = id, ...retries] = family
  const jobs: JobState[] = []
  const planned: JobPaths[] = []
  const rows = new Map<number, RetriedRow>()
  const origins = new Map<string, Origins>([[root, (op) => op]])
  for (const each of retries) {
    const job = await readJobState(jobPaths(jobsFolder, each))
    if (job.state === 'planned' && each !== id) {
      planned.push(job.paths)
      continue
    }
    origins.set(each, addRows(rows, job, { jobsFolder, origins }))
    if (each !== id) jobs.push(job)
  }
  const origin = origins.get(id) ?? (() => undefined)
  return {
    jobs: root === id ? jobs : [...(await rootOf(jobsFolder, root)), ...jobs],
    planned,
    of: (op) => {
      const row = rows.get(origin(op) ?? -1)
      return row?.job.paths.id === id ? undefined : row
    },
    refuseNewer: () => {
      const newer = retryFamilies(jobsFolder)
        .get(id)
        ?.find((each) => !family.includes(each))
      if (newer !== undefined) throw startedMeanwhile(newer)
    },
  }
}

async function rootOf(jobsFolder: string, root: string): Promise<readonly JobState[]> {
  const paths = keptJob(jobsFolder, root)
  return paths ? [await readJobState(paths)] : []
}

/** The operation of the first job whose row an operation sends; undefined if it is none of them. */
type Origins = (op: number) => number | undefined

/** Other rows that are left out have a code. */
const UNCHANGED = "SELECT place, text, digest FROM left_out WHERE text ->> 'code' IS NULL"

interface Known {
  readonly jobsFolder: string
  readonly origins: ReadonlyMap<string, Origins>
}

function addRows(rows: Map<number, RetriedRow>, job: JobState, { jobsFolder, origins }: Known): Origins {
  const own = new Map<number, number>()
  const { of = '', input } = job.head
  const originOf = origins.get(of)
  const plan = openJob(job.paths)
  // Plans of earlier versions do not name the operation that they retry.
  let byPlace: ReadonlyMap<string, number> | undefined
  const namedBy = (operation: PlanOperation): number | undefined => {
    if (operation.head.of !== undefined || input) return operation.head.of
    byPlace ??= placesIn(jobsFolder, of)
    return byPlace.get(placeOf(operation.head))
  }
  const take = (origin: number | undefined, op: number | undefined, end: RetriedRow['end'] | undefined): void => {
    if (origin !== undefined && end && !isSettled(rows.get(origin))) rows.set(origin, { job, op, end })
  }
  try {
    for (const { text } of plan.texts(UNCHANGED))
      take(originOf?.((JSON.parse(text) as { of: number }).of), undefined, 'unchanged')
    for (const operation of plan.all()) {
      const named = namedBy(operation)
      const origin = named === undefined ? undefined : originOf?.(named)
      if (origin === undefined) continue
      own.set(operation.op, origin)
      take(origin, operation.op, sentEnd(job.progress, operation.op))
    }
  } finally {
    plan.close()
  }
  return (op) => own.get(op)
}

function sentEnd(progress: JobProgress, op: number): RetriedRow['end'] | undefined {
  if (progress.isUnanswered(op)) return 'doubt'
  const end = progress.endOf(op)
  return end === 'none' || end === 'back' ? undefined : end
}

function placesIn(jobsFolder: string, id: string): ReadonlyMap<string, number> {
  const paths = keptJob(jobsFolder, id)
  if (!paths) return new Map()
  const plan = openJob(paths)
  try {
    return new Map(Array.from(plan.all(), ({ op, head }) => [placeOf(head), op]))
  } finally {
    plan.close()
  }
}

/** The place of a row in the input, else the record that it changes. */
function placeOf({ line, at, id, path, digest, n }: OperationHead): string {
  if (line !== undefined) return `line ${line} ${at?.[0] ?? ''}`
  return id === undefined ? `${path} ${digest} ${n}` : `id ${id}`
}
