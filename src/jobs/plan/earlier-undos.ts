import { hash } from 'node:crypto'
import { CrmError } from '../../core/errors.ts'
import { isSameJson, type JsonValue } from '../../core/json.ts'
import { typedProfile } from '../../core/shell-words.ts'
import { isPart, partText, type UndoPart } from '../../core/undo-part.ts'
import { type EarlierJob, startedMeanwhile, undosInEffect, withUndos } from '../history/earlier-jobs.ts'
import { allJobs } from '../history/find-jobs.ts'
import { unendedHint } from '../history/job-errors.ts'
import { type JobState, readJobState } from '../history/job-state.ts'
import type { JobPaths } from '../store/job-folder.ts'
import { headOf } from '../store/open-job.ts'
import type { PlanningContext } from './make-job.ts'

interface EarlierUndos {
  /** The undo that is resumed, or is done. */
  readonly held: JobState | undefined
  /** Those of the same part that were cancelled, with their undos. */
  readonly before: readonly EarlierJob[]
  /** Those of other parts, with their undos. */
  readonly others: readonly EarlierJob[]
  /** Those that have sent nothing. */
  readonly planned: readonly JobPaths[]
  /** CrmError `conflict` for an undo of the job that another process has made since. */
  readonly refuseNewer: () => void
}

/** CrmError `conflict` if an undo of another part has not ended, or if the undo of this part was undone itself. */
export async function earlierUndos(
  { jobsFolder, command }: PlanningContext,
  id: string,
  part: UndoPart,
): Promise<EarlierUndos> {
  const own = undosOf(jobsFolder, id)
  const planned: JobPaths[] = []
  const undone = await undosInEffect(jobsFolder)
  const run = undoRun(id, part)
  for (const each of own) {
    const job = await readJobState(each)
    if (job.state === 'planned') planned.push(each)
    if (job.state === 'cancelled' || job.state === 'planned' || hasNoEffect(job)) continue
    if (job.state !== 'finished' && job.head.run !== run) throw unfinishedUndo(job, command)
    if (!takesBack(job.head, part)) continue
    const by = undone.get(each.id)?.paths.id
    if (by === undefined) return { held: job, before: [], others: [], planned, refuseNewer: () => {} }
    throw new CrmError('conflict', `${id} was undone by ${each.id}, and that was undone by ${by}`, {
      hint: `crm jobs undo ${by}${typedProfile(command)}`,
      job: by,
    })
  }
  const ofRun = (isSame: boolean): readonly JobPaths[] => own.filter((each) => (headOf(each).run === run) === isSame)
  const [before, others] = await Promise.all(
    [true, false].map((isSame) => withUndos(jobsFolder, ofRun(isSame), command)),
  )
  const known = new Set(own.map((each) => each.id))
  const refuseNewer = () => {
    const newer = undosOf(jobsFolder, id).find((each) => !known.has(each.id))
    if (newer) throw startedMeanwhile(newer.id)
  }
  return { held: undefined, before: before ?? [], others: others ?? [], planned, refuseNewer }
}

function undosOf(jobsFolder: string, id: string): readonly JobPaths[] {
  return allJobs(jobsFolder).filter((each) => {
    const { kind, of } = headOf(each)
    return kind === 'undo' && of === id
  })
}

/** Every record had changed since: they may be as the job left them by now. */
function hasNoEffect({ state, account: { done, in_doubt } }: JobState): boolean {
  return state === 'finished' && done + in_doubt === 0
}

/** Undos of different parts of one job are different runs, so that the keys of one do not answer for another. */
export function undoRun(id: string, part: UndoPart): string {
  const { only, selected } = part
  if (!isPart(part)) return `undo.${id}`
  const text = selected ? JSON.stringify([only ?? null, selected]) : only?.join()
  return `undo.${id}.${hash('sha256', text ?? '', 'base64url').slice(0, 22)}`
}

/** Whether the undo of `done` has reverted all of `asked`. */
function takesBack(done: UndoPart, asked: UndoPart): boolean {
  const hasRows = !done.selected || isSameJson(done.selected as JsonValue, (asked.selected ?? null) as JsonValue)
  return hasRows && (done.only === undefined || (asked.only?.every((name) => done.only?.includes(name)) ?? false))
}

function unfinishedUndo(job: JobState, command: readonly string[]): CrmError {
  const { head } = job
  const { id } = job.paths
  const part = partText(head)
  const what = part === undefined ? head.of : `${part} of ${head.of}`
  return new CrmError('conflict', `${id}, which undoes ${what}, has not ended`, {
    hint: unendedHint(job, command),
    job: id,
    ...(job.sentBy !== undefined && { isBusy: true }),
  })
}
