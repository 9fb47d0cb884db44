import { CrmError } from '../../core/errors.ts'
import { idText } from '../../core/json.ts'
import { type CrmRecord, counted } from '../../core/resources/registry.ts'
import { shellWord, typedProfile } from '../../core/shell-words.ts'
import type { PlanHead } from '../plan/plan-format.ts'
import type { JobPaths } from '../store/job-folder.ts'
import { headOf, openJob } from '../store/open-job.ts'
import { undosInEffect } from './earlier-jobs.ts'
import { allJobs, keptJob } from './find-jobs.ts'
import { fieldsOfJob, type JobState, readJobState } from './job-state.ts'

/** The jobs that must be done before this one, in their order; those that were pruned are left out. */
export function neededJobs(paths: JobPaths): readonly JobPaths[] {
  const folder = paths.jobsFolder
  return (headOf(paths).needs ?? []).flatMap((id) => keptJob(folder, id) ?? [])
}

/** A merge that waits for this job, or was stopped after it. */
export async function waitingFor(paths: JobPaths): Promise<JobPaths | undefined> {
  if (headOf(paths).kind !== 'repoint') return undefined
  for (const other of allJobs(paths.jobsFolder).toReversed()) {
    if (!headOf(other).needs?.includes(paths.id)) continue
    const { state } = await readJobState(other)
    if (state === 'planned' || state === 'stopped') return other
  }
  return undefined
}

/** Whether one of the jobs that it needs was begun and has not ended. */
export async function isBegun(jobsFolder: string, { head }: Pick<JobState, 'head'>): Promise<boolean> {
  for (const id of head.needs ?? []) {
    const paths = keptJob(jobsFolder, id)
    const state = paths && (await readJobState(paths)).state
    if (state === 'stopped' || state === 'running') return true
  }
  return false
}

interface Guarded {
  readonly paths: JobPaths
  /** The records that may name what the job deletes. */
  readonly list: () => AsyncIterable<{ readonly items: readonly CrmRecord[] }>
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
    if (!needed) throw notMet(head, `${id} was removed, which re-points deals`)
    if (undone.has(id)) throw notMet(head, `${id}, which re-pointed deals, was undone`)
    const { state: other } = await readJobState(needed)
    if (other !== 'finished' && other !== 'cancelled') throw waits(head.job, id, argv)
  }
  await refuseReferring(paths, head, list)
}

/** A deal may have been given to a loser since the plan was made. */
async function refuseReferring(paths: JobPaths, head: PlanHead, list: Guarded['list']): Promise<void> {
  const deleted = deletedBy(paths)
  const members = new Set(neededJobs(paths).flatMap(fieldsOfJob))
  if (deleted.size === 0 || members.size === 0) return
  const found: string[] = []
  for await (const { items } of list()) {
    for (const record of items) {
      if ([...members].some((name) => deleted.has(idText(record[name]) ?? ''))) found.push(idText(record.id) ?? '')
    }
  }
  if (found.length === 0) return
  const verb = found.length === 1 ? 'names' : 'name'
  throw notMet(head, `${counted(found.length, 'deal')} ${verb} a loser: ${found.slice(0, 5).join(', ')}`)
}

function deletedBy(paths: JobPaths): ReadonlySet<string> {
  const plan = openJob(paths)
  try {
    const ids = new Set<string>()
    for (const { head } of plan.all()) if (head.do === 'delete' && head.id !== undefined) ids.add(head.id)
    return ids
  } finally {
    plan.close()
  }
}

function waits(job: string, needed: string, argv: readonly string[]): CrmError {
  return new CrmError('conflict', `${job} waits for ${needed}, which re-points deals and has not ended`, {
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
