import { CrmError } from '../../core/errors.ts'
import { idPrefix } from '../../core/ids.ts'
import { namesIn } from '../../files/folders.ts'
import { rejectClosed } from '../../files/machine-error.ts'
import type { ImportTerms, PlanHead } from '../plan/plan-format.ts'
import { isJob, type JobPaths, jobPaths } from '../store/job-folder.ts'
import { headOf } from '../store/open-job.ts'

/** The jobs of a folder, the oldest first; none if it does not exist. */
export function allJobs(jobsFolder: string): readonly JobPaths[] {
  const ids = new Set<string>()
  for (const name of namesIn(jobsFolder)) {
    const [id = '', ...ending] = name.split('.')
    // Earlier versions had a folder for each job.
    if (id.startsWith(idPrefix('job')) && (ending.length === 0 || (ending.length === 1 && ending[0] === 'db')))
      ids.add(id)
  }
  return [...ids].toSorted().map((id) => jobPaths(jobsFolder, id))
}

interface KnownJob {
  readonly paths: JobPaths
  readonly head: PlanHead
}

/** The same, with their heads. */
export function allHeads(jobsFolder: string): readonly KnownJob[] {
  return allJobs(jobsFolder).map((paths) => ({ paths, head: headOf(paths) }))
}

/** The jobs of the chain that this one belongs to, in their order, without those that were pruned; itself if it belongs to none. */
export function jobsOfChain(paths: JobPaths): readonly JobPaths[] {
  const { chain } = headIfReadable(paths)
  if (!chain) return [paths]
  const all = allJobs(paths.jobsFolder).map((each) => ({ each, own: headIfReadable(each).chain }))
  const own = all.filter((job) => job.own?.first === chain.first)
  return own.toSorted((one, other) => (one.own?.place ?? 0) - (other.own?.place ?? 0)).map(({ each }) => each)
}

/** For commands that show jobs: a damaged job must not make them fail. */
export function headIfReadable(paths: JobPaths): Partial<PlanHead> {
  try {
    return headOf(paths)
  } catch (error) {
    if (!(error instanceof CrmError)) throw error
    return {}
  }
}

/** Undefined for a job that was pruned. */
export function keptJob(jobsFolder: string, id: string): JobPaths | undefined {
  const paths = jobPaths(jobsFolder, id)
  return isJob(paths) ? paths : undefined
}

/** The same as allJobs; CrmError `machine` where this user cannot look for any. */
export function knownJobs(jobsFolder: string): readonly JobPaths[] {
  const jobs = allJobs(jobsFolder)
  if (jobs.length === 0) rejectClosed(jobsFolder)
  return jobs
}

/** By id, or by a suffix of it that no other job has; CrmError `not_found`. */
export function findJob(jobsFolder: string, word: string): JobPaths {
  const exact = jobPaths(jobsFolder, word)
  if (word.startsWith(idPrefix('job')) && !word.includes('/') && isJob(exact)) return exact
  const found = knownJobs(jobsFolder).filter(({ id }) => word.length >= 3 && id.endsWith(word))
  if (found[0] && found.length === 1) return found[0]
  const reason =
    found.length > 1 ? `${found.length} jobs end in ${JSON.stringify(word)}` : `there is no job ${JSON.stringify(word)}`
  throw new CrmError('not_found', `${reason} in ${jobsFolder}`, { hint: 'crm jobs list' })
}

/**
 * A later job with the rows of this one: of the same run, or its undo. It may have sent a row in doubt, under a key of a
 * higher generation, so this job must not send it again. A retry without a file has only failed rows.
 */
export function successorOf(paths: JobPaths): string | undefined {
  const own = headOf(paths)
  return allJobs(paths.jobsFolder).find((each) => {
    if (each.id <= paths.id) return false
    const { kind, run, of, account, input } = headOf(each)
    if (kind === 'retry' && !input) return false
    return of === paths.id || (run === own.run && account === own.account)
  })?.id
}

/** How the rows of a job were read: its own terms, else those of the job that it retries. */
export interface RowTerms {
  /** Undefined if no job has them: it was planned by an earlier version, or had no file. */
  readonly terms: ImportTerms | undefined
  /** The kind of the first of those jobs. */
  readonly kind: PlanHead['kind']
}

export function rowTermsOf(jobsFolder: string, paths: JobPaths): RowTerms {
  const { terms, kind, of } = headOf(paths)
  const earlier = terms === undefined && kind === 'retry' && of !== undefined && keptJob(jobsFolder, of)
  return earlier ? rowTermsOf(jobsFolder, earlier) : { terms, kind }
}
