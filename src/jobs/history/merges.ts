import { CrmError } from '../../core/errors.ts'
import { idText, type JsonObject, type JsonValue, memberOf } from '../../core/json.ts'
import { idLike, listedId, namedIds } from '../../core/record-ids.ts'
import { type CrmRecord, counted, resourceOf } from '../../core/resources/registry.ts'
import { shellWord, typedProfile } from '../../core/shell-words.ts'
import type { JobNoun, OperationHead, PlanHead } from '../plan/plan-format.ts'
import type { JobPaths } from '../store/job-folder.ts'
import { headOf, withJob } from '../store/open-job.ts'
import { isOpen, isUndoneWhole, undosInEffect } from './earlier-jobs.ts'
import { allHeads, keptJob } from './find-jobs.ts'
import { resultsOf } from './job-results.ts'
import { fieldsOfJob, type JobState, readJobState } from './job-state.ts'

/** The jobs that must be done before this one, in their order; those that were pruned are left out. */
export function neededJobs(paths: JobPaths): readonly JobPaths[] {
  const folder = paths.jobsFolder
  return (headOf(paths).needs ?? []).flatMap((id) => keptJob(folder, id) ?? [])
}

/** For a job that re-points records, a merge that waits for it or was stopped after it; for its undo, the undo of that merge. */
export async function waitingFor(paths: JobPaths): Promise<JobPaths | undefined> {
  const undone = undoneBy(paths)
  const repoint = undone ?? paths
  if (headOf(repoint).kind !== 'repoint') return undefined
  const undos = await undosInEffect(paths.jobsFolder)
  for (const { paths: other, head } of allHeads(paths.jobsFolder).toReversed()) {
    if (!head.needs?.includes(repoint.id)) continue
    if (undone) return undos.get(other.id)?.paths
    const { state } = await readJobState(other)
    if (state === 'planned' || state === 'stopped') return other
  }
  return undefined
}

/** Whether one of the jobs that it needs was begun and has not ended. */
export async function isBegun(jobsFolder: string, { head }: Pick<JobState, 'head'>): Promise<boolean> {
  for (const id of head.needs ?? []) {
    const paths = keptJob(jobsFolder, id)
    if (paths && isOpen(await readJobState(paths))) return true
  }
  return false
}

interface Guarded {
  readonly paths: JobPaths
  /** Of records that may name what the job deletes. */
  readonly list: (noun: JobNoun) => AsyncIterable<{ readonly items: readonly CrmRecord[] }>
  /** The words after `crm`. */
  readonly argv: readonly string[]
}

/**
 * Before the first request of a job: CrmError `conflict` if a job that it needs has not ended, or if a record names one that the
 * job deletes: a row of the other job may have failed. A job that was begun passes.
 */
export async function requireNeeds({ paths, list, argv }: Guarded): Promise<void> {
  const head = headOf(paths)
  if (!head.needs || (await readJobState(paths)).state !== 'planned') return
  const folder = paths.jobsFolder
  const undone = await undosInEffect(folder)
  for (const id of head.needs) {
    const needed = keptJob(folder, id)
    if (!needed) throw notMet(head, `${id} was removed, which re-points records`)
    if (undone.has(id)) throw notMet(head, `${id}, which re-pointed records, was undone`)
    const { state: other } = await readJobState(needed)
    if (other !== 'finished' && other !== 'cancelled') throw waits(head.job, id, argv)
  }
  await refuseReferring(paths, head, list)
}

/** A record may have been given to a loser since the plan was made. */
async function refuseReferring(paths: JobPaths, head: PlanHead, list: Guarded['list']): Promise<void> {
  const deleted = deletedBy(paths)
  if (deleted.size === 0) return
  const jobs = Map.groupBy(neededJobs(paths), (needed) => headOf(needed).noun)
  for (const [noun, own] of jobs) {
    const members = [...new Set(own.flatMap(fieldsOfJob))]
    const found: string[] = []
    for await (const { items } of list(noun)) {
      for (const record of items) {
        if (members.some((name) => namedIds(record[name]).some((id) => deleted.has(id)))) found.push(listedId(record))
      }
    }
    if (found.length === 0) continue
    const verb = found.length === 1 ? 'names' : 'name'
    throw notMet(head, `${counted(found.length, resourceOf(noun))} ${verb} a loser: ${found.slice(0, 5).join(', ')}`)
  }
}

function deletedBy(paths: JobPaths): ReadonlySet<string> {
  return withJob(paths, (plan) => {
    const ids = new Set<string>()
    for (const { head } of plan.all()) if (head.do === 'delete' && head.id !== undefined) ids.add(head.id)
    return ids
  })
}

function waits(job: string, needed: string, argv: readonly string[]): CrmError {
  return new CrmError('conflict', `${job} waits for ${needed}, which re-points records and has not ended`, {
    hint: `crm jobs resume ${job}${typedProfile(argv)} sends both`,
    job,
  })
}

function notMet({ job, command }: Pick<PlanHead, 'job' | 'command'>, why: string): CrmError {
  return new CrmError('conflict', `${job} sent nothing: ${why}`, {
    hint: `${['crm', ...command].map(shellWord).join(' ')} plans it again`,
    job,
  })
}

/** The id that a record has now; undefined if it was deleted and not made again. */
export type RenewedIds = (id: string) => string | undefined

/** Of the records that merges deleted after this job, or the job that it undoes, had re-pointed records; undefined for another job. */
export function renewedIds(paths: JobPaths): RenewedIds | undefined {
  const root = rootOf(paths)
  if (headOf(root).kind !== 'repoint') return undefined
  const known = new Set<string>()
  const jobs = allHeads(paths.jobsFolder).filter(({ paths: job, head: { needs, kind, of } }) => {
    const isUndo = kind === 'undo' && of !== undefined && known.has(of)
    return (needs?.includes(root.id) || isUndo) && known.add(job.id)
  })
  return idsThrough(jobs.map((job) => job.paths)).idNow
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
        else if (progress.isInDoubt(op) && head.do === 'create' && head.id !== undefined) doubts.add(head.id)
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

/** The job that it undoes, or whose undo it undoes, and so on; itself if it is no undo. */
function rootOf(paths: JobPaths): JobPaths {
  const undone = undoneBy(paths)
  return undone ? rootOf(undone) : paths
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
    const value = memberOf(before, name) ?? null
    const gone = namedIds(value).find((id) => idNow(id) === undefined)
    if (gone !== undefined) return { gone }
    const nowOf = (id: JsonValue) => idLike(id, idNow(idText(id) ?? '') ?? '')
    if (value !== null) values[name] = Array.isArray(value) ? value.map(nowOf) : nowOf(value)
  }
  return { before: values }
}

/**
 * CrmError `conflict` for the undo of one job of a merge that would leave records with ids that do not exist: that of a job that
 * re-pointed records while its merge is in effect, and that of the undo of a merge while records name the losers again.
 */
export async function refusePartOfMerge(paths: JobPaths, command: readonly string[]): Promise<void> {
  const folder = paths.jobsFolder
  const head = headOf(paths)
  const undone = await undosInEffect(folder)
  if (head.kind === 'repoint') {
    for (const { paths: merge, head: other } of allHeads(folder)) {
      if (!other.needs?.includes(paths.id) || isUndoneWhole(undone, merge.id)) continue
      const { account, state } = await readJobState(merge)
      if (account.done + account.in_doubt > 0 || state === 'running')
        throw partOf(paths.id, `${merge.id} merged what its records name`, [merge.id], command)
    }
  }
  const merge = undoneBy(paths)
  if (!merge) return
  const { needs = [] } = headOf(merge)
  const own = needs.flatMap((id) => undone.get(id)?.paths.id ?? [])
  if (own.length > 0) throw partOf(paths.id, 'records name what it made again', own, command)
}

function partOf(id: string, why: string, first: readonly string[], command: readonly string[]): CrmError {
  const commands = first.map((job) => `crm jobs undo ${job}${typedProfile(command)}`)
  return new CrmError('conflict', `${id} cannot be undone alone: ${why}`, {
    hint: `first ${commands.join('; ')}`,
    job: id,
  })
}
