import { CrmError } from '../../core/errors.ts'
import { idText, type JsonObject, memberOf } from '../../core/json.ts'
import { idLike } from '../../core/record-ids.ts'
import { typedProfile } from '../../core/shell-words.ts'
import type { OperationHead } from '../plan/plan-format.ts'
import type { JobPaths } from '../store/job-folder.ts'
import { headOf, withJob } from '../store/open-job.ts'
import type { JobProgress } from '../store/progress.ts'
import { isUndoneWhole, undosInEffect } from './earlier-jobs.ts'
import { allJobs, keptJob } from './find-jobs.ts'
import { resultsOf } from './job-results.ts'
import { readJobState } from './job-state.ts'

/** The id that a record has now; undefined if it was deleted and not made again. */
export type RenewedIds = (id: string) => string | undefined

/** Of the records that merges deleted after this job, or the job that it undoes, had re-pointed deals; undefined for another job. */
export function renewedIds(paths: JobPaths): RenewedIds | undefined {
  const root = rootOf(paths)
  if (headOf(root).kind !== 'repoint') return undefined
  const known = new Set<string>()
  const jobs = allJobs(paths.jobsFolder).filter((job) => {
    const { needs, kind, of } = headOf(job)
    const isUndo = kind === 'undo' && of !== undefined && known.has(of)
    if (!needs?.includes(root.id) && !isUndo) return false
    known.add(job.id)
    return true
  })
  return idsThrough(jobs).idNow
}

export interface IdsThrough {
  readonly idNow: RenewedIds
  /** The earlier ids of records that may have been made again. */
  readonly doubts: ReadonlySet<string>
}

/** What jobs, in their order, did with records: deletions, and creates of records that were deleted. */
export function idsThrough(jobs: Iterable<JobPaths>): IdsThrough {
  const next = new Map<string, string>()
  const gone = new Set<string>()
  const doubts = new Set<string>()
  const take = ({ do: kind, id: own, restores }: OperationHead, id: string | null): void => {
    if (own === undefined) return
    if (kind === 'delete') gone.add(own)
    else if (restores) gone.delete(own)
    else if (kind === 'create' && id !== null) next.set(own, id)
  }
  for (const job of jobs) {
    withJob(job, (plan) => {
      const { progress, of } = resultsOf(plan)
      for (const { op, head } of plan.all()) {
        if (progress.endOf(op) === 'done') take(head, of(op).id)
        else if (isDoubtful(progress, op) && head.do === 'create' && head.id !== undefined) doubts.add(head.id)
      }
    })
  }
  const idNow: RenewedIds = (id) => {
    let now = id
    for (let renewed = next.get(now); renewed !== undefined; renewed = next.get(now)) now = renewed
    return gone.has(now) ? undefined : now
  }
  return { idNow, doubts }
}

function isDoubtful(progress: JobProgress, op: number): boolean {
  return progress.endOf(op) === 'doubt' || progress.isUnanswered(op)
}

/** The job that it undoes, or whose undo it undoes, and so on; itself if it is no undo. */
function rootOf(paths: JobPaths): JobPaths {
  let root = paths
  for (let next = undoneBy(root); next; next = undoneBy(root)) root = next
  return root
}

/** The job that an undo reverts, unless that was pruned. */
function undoneBy(paths: JobPaths): JobPaths | undefined {
  const { kind, of } = headOf(paths)
  return kind === 'undo' && of !== undefined ? keptJob(paths.jobsFolder, of) : undefined
}

/** The values of these members, with the ids that their records have now; the id of one that is gone, in its place. */
export function renewed(
  before: JsonObject,
  names: Iterable<string>,
  idNow: RenewedIds,
): { readonly before: JsonObject } | { readonly gone: string } {
  const values: JsonObject = { ...before }
  for (const name of names) {
    const id = idText(memberOf(before, name))
    if (id === undefined) continue
    const now = idNow(id)
    if (now === undefined) return { gone: id }
    values[name] = idLike(memberOf(before, name), now)
  }
  return { before: values }
}

/**
 * CrmError `conflict` for the undo of one job of a merge that would leave deals with contacts that do not exist: that of a job that
 * re-pointed deals while its merge is in effect, and that of the undo of a merge while its deals have the losers again.
 */
export async function refusePartOfMerge(paths: JobPaths, command: readonly string[]): Promise<void> {
  const folder = paths.jobsFolder
  const head = headOf(paths)
  const undone = await undosInEffect(folder)
  if (head.kind === 'repoint') {
    for (const merge of allJobs(folder)) {
      if (!headOf(merge).needs?.includes(paths.id) || isUndoneWhole(undone, merge.id)) continue
      const { account, state } = await readJobState(merge)
      if (account.done + account.in_doubt > 0 || state === 'running')
        throw partOf(paths.id, `${merge.id} merged the contacts of its deals`, [merge.id], command)
    }
  }
  const merge = undoneBy(paths)
  if (!merge) return
  const { needs = [] } = headOf(merge)
  const own = needs.flatMap((id) => undone.get(id)?.paths.id ?? [])
  if (own.length > 0) throw partOf(paths.id, 'deals have the contacts that it made again', own, command)
}

function partOf(id: string, why: string, first: readonly string[], command: readonly string[]): CrmError {
  const commands = first.map((job) => `crm jobs undo ${job}${typedProfile(command)}`)
  return new CrmError('conflict', `${id} cannot be undone alone: ${why}`, {
    hint: `first ${commands.join('; ')}`,
    job: id,
  })
}
