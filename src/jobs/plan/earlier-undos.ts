import { hash } from 'node:crypto'
import { CrmError } from '../../core/errors.ts'
import { typedProfile } from '../../core/shell-words.ts'
import { type EarlierJob, undosInEffect, withUndos } from '../history/earlier-jobs.ts'
import { allJobs } from '../history/find-jobs.ts'
import { type JobState, readJobState } from '../history/job-state.ts'
import { headOf } from '../store/open-job.ts'
import type { PlanningContext } from './make-job.ts'

interface EarlierUndos {
  /** The undo that is resumed, or is done. */
  readonly held: JobState | undefined
  /** Those that were cancelled, with their undos. */
  readonly before: readonly EarlierJob[]
}

/** CrmError `conflict` if the undo was undone: only that job knows the new ids of the records that it created again. */
export async function earlierUndos(
  { jobsFolder, command }: PlanningContext,
  id: string,
  only: readonly string[] | undefined,
): Promise<EarlierUndos> {
  const own = allJobs(jobsFolder).filter((each) => {
    const { kind, of } = headOf(each)
    return kind === 'undo' && of === id
  })
  const undone = await undosInEffect(jobsFolder)
  const run = undoRun(id, only)
  for (const each of own) {
    const job = await readJobState(each)
    if (job.state === 'cancelled' || hasNoEffect(job)) continue
    if (!takesBack(job.head.only, only)) {
      if (job.state !== 'finished') throw unfinishedUndo(job, command)
      continue
    }
    const by = undone.get(each.id)?.paths.id
    if (by === undefined) return { held: job, before: [] }
    throw new CrmError('conflict', `${id} was undone by ${each.id}, and that was undone by ${by}`, {
      hint: `crm jobs undo ${by}${typedProfile(command)}`,
      job: by,
    })
  }
  const same = own.filter((each) => headOf(each).run === run)
  return { held: undefined, before: await withUndos(jobsFolder, same, command) }
}

/** Every record had changed since: they may be as the job left them by now. */
function hasNoEffect({ state, account: { done, in_doubt } }: JobState): boolean {
  return state === 'finished' && done + in_doubt === 0
}

/** Undos of different members of one job are different runs, so that the keys of one do not answer for another. */
export function undoRun(id: string, only: readonly string[] | undefined): string {
  return only === undefined ? `undo.${id}` : `undo.${id}.${hash('sha256', only.join(), 'base64url').slice(0, 22)}`
}

/** Whether an undo of these members has taken back all that is asked for. */
function takesBack(done: readonly string[] | undefined, only: readonly string[] | undefined): boolean {
  return done === undefined || (only?.every((name) => done.includes(name)) ?? false)
}

function unfinishedUndo({ paths: { id }, head }: JobState, command: readonly string[]): CrmError {
  return new CrmError('conflict', `${id}, which undoes ${head.only?.join(', ')} of ${head.of}, has not ended`, {
    hint: `crm jobs resume ${id}${typedProfile(command)}, or crm jobs cancel ${id}`,
    job: id,
  })
}
