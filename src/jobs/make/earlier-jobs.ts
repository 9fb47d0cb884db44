import { CrmError } from '../../core/errors.ts'
import { allJobs, headOf } from '../folder/find-jobs.ts'
import type { JobPaths } from '../folder/job-folder.ts'
import { type JobState, readJobState } from '../run/job-state.ts'

export interface RunIdentity {
  readonly account: string
  readonly run: string
  /** Of the input. */
  readonly sha256: string
}

/** What earlier jobs of the same run mean for a new one. */
export type Earlier =
  /** Nothing new: this one goes on, or is done. */
  | { readonly is: 'same'; readonly job: JobState }
  /** The input is another one by now; the oldest first. */
  | { readonly is: 'before'; readonly jobs: readonly JobPaths[] }

/** CrmError `conflict` when one of them is under way, or was stopped with another input. */
export async function earlierJobs(jobsFolder: string, { account, run, sha256 }: RunIdentity): Promise<Earlier> {
  const jobs: JobState[] = []
  for (const paths of allJobs(jobsFolder)) {
    const head = headOf(paths)
    if (head.run === run && head.account === account) jobs.push(await readJobState(paths))
  }
  for (const job of jobs) {
    const isSame = job.head.input?.sha256 === sha256
    if (job.state === 'finished' || job.state === 'cancelled') continue
    if (isSame) return { is: 'same', job }
    if (job.state !== 'planned') throw unfinished(job)
  }
  const last = jobs.at(-1)
  if (last?.state === 'finished' && last.head.input?.sha256 === sha256) return { is: 'same', job: last }
  return { is: 'before', jobs: jobs.map(({ paths }) => paths) }
}

function unfinished({ paths: { id }, state, head }: JobState): CrmError {
  const what = state === 'running' ? 'is running' : 'was stopped before its end'
  return new CrmError(
    'conflict',
    `${id} ${what}, and ${head.input?.name ?? 'its input'} has changed since it was planned`,
    {
      hint: `finish it first: crm jobs resume ${id}, or leave it: crm jobs cancel ${id}`,
      job: id,
    },
  )
}
