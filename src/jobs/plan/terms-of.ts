import { existsSync } from 'node:fs'
import { headOf } from '../history/find-jobs.ts'
import { type JobPaths, jobPaths } from '../journal/job-folder.ts'
import type { ImportTerms } from './import-terms.ts'
import type { PlanHead } from './plan-head.ts'

/** How the rows of a job were read: its own terms, else those of the job that it retries. */
export interface RowTerms {
  /** Undefined if no job has them: it was planned by an earlier version, or had no file. */
  readonly terms: ImportTerms | undefined
  /** The kind of the first of those jobs. */
  readonly kind: PlanHead['kind']
}

export function rowTermsOf(jobsFolder: string, paths: JobPaths): RowTerms {
  let head = headOf(paths)
  while (head.terms === undefined && head.kind === 'retry' && head.of !== undefined) {
    const earlier = jobPaths(jobsFolder, head.of)
    // It may have been pruned.
    if (!existsSync(earlier.plan)) break
    head = headOf(earlier)
  }
  return { terms: head.terms, kind: head.kind }
}
