import { CrmError } from '../../core/errors.ts'
import type { JobPaths } from '../journal/job-folder.ts'
import { stateOrDamage } from './damaged-job.ts'
import { allJobs, headOf } from './find-jobs.ts'
import { type JobState, readJobState } from './job-state.ts'

interface Undo {
  readonly paths: JobPaths
  /** The job that it takes back, which may be an undo itself. */
  readonly of: string
}

/** Undos of these jobs, and undos of those in turn: the oldest first. */
export function undosOf(jobsFolder: string, jobs: Iterable<string>): readonly JobPaths[] {
  const known = new Set(jobs)
  const found: JobPaths[] = []
  for (const { paths, of } of allUndos(jobsFolder)) {
    if (!known.has(of)) continue
    known.add(paths.id)
    found.push(paths)
  }
  return found
}

/** By job the undo that holds: it was begun, took something back or may have, and was not taken back itself. */
export async function heldUndos(jobsFolder: string, isDamageSkipped = false): Promise<ReadonlyMap<string, JobState>> {
  const held = new Map<string, JobState>()
  for (const { paths, of } of allUndos(jobsFolder, isDamageSkipped).toReversed()) {
    // The newest first: one that takes this one back came after it.
    if (held.has(paths.id) || held.has(of)) continue
    const job = isDamageSkipped ? await stateOrDamage(paths) : await readJobState(paths)
    if (job.state !== 'damaged' && job.account.done + job.account.in_doubt > 0) held.set(of, job)
  }
  return held
}

function allUndos(jobsFolder: string, isDamageSkipped = false): readonly Undo[] {
  const undos: Undo[] = []
  for (const paths of allJobs(jobsFolder)) {
    const { kind, of } = isDamageSkipped ? headIfReadable(paths) : headOf(paths)
    if (kind === 'undo' && of !== undefined) undos.push({ paths, of })
  }
  return undos
}

/** For those that show a job, which one that cannot be read must not end. */
function headIfReadable(paths: JobPaths): Partial<ReturnType<typeof headOf>> {
  try {
    return headOf(paths)
  } catch (error) {
    if (!(error instanceof CrmError)) throw error
    return {}
  }
}
