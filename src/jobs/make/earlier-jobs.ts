import { CrmError } from '../../core/errors.ts'
import { typedProfile } from '../../core/typed-profile.ts'
import { allJobs, headOf } from '../folder/find-jobs.ts'
import type { JobPaths } from '../folder/job-folder.ts'
import { type JobState, readJobState } from '../run/job-state.ts'

export interface RunIdentity {
  readonly account: string
  readonly run: string
  /** Of the input. */
  readonly sha256: string
  /** The words behind `crm`, for hints. */
  readonly command: readonly string[]
}

export interface EarlierJob {
  readonly paths: JobPaths
  /** The job that took back what it did, as far as that went. */
  readonly undo: JobPaths | undefined
}

/** What earlier jobs of the same run mean for a new one. */
export type Earlier =
  /** Nothing new: this one goes on, or is done. */
  | { readonly is: 'same'; readonly job: JobState }
  /** The input is another one by now; the oldest first. Of `planned` nothing was sent. */
  | { readonly is: 'before'; readonly jobs: readonly EarlierJob[]; readonly planned: readonly JobPaths[] }

/** CrmError `conflict` when one of them is under way, or was stopped with another input. */
export async function earlierJobs(
  jobsFolder: string,
  { account, run, sha256, command }: RunIdentity,
): Promise<Earlier> {
  const all = await jobsOf(jobsFolder, account, run)
  const jobs = all.filter(({ state }) => state !== 'planned')
  for (const job of jobs) {
    const isSame = job.head.input?.sha256 === sha256
    if (job.state === 'finished' || job.state === 'cancelled') continue
    if (isSame) return { is: 'same', job }
    throw unfinished(job, command)
  }
  const last = jobs.at(-1)
  const undoOf = undosOf(jobsFolder)
  const isLastDone = last?.state === 'finished' && !undoOf.has(last.paths.id)
  if (isLastDone && last.head.input?.sha256 === sha256) return { is: 'same', job: last }
  const planned = all.filter(({ state }) => state === 'planned').map(({ paths }) => paths)
  return { is: 'before', jobs: jobs.map(({ paths }) => ({ paths, undo: undoOf.get(paths.id) })), planned }
}

async function jobsOf(jobsFolder: string, account: string, run: string): Promise<readonly JobState[]> {
  const jobs: JobState[] = []
  for (const paths of allJobs(jobsFolder)) {
    const head = headOf(paths)
    if (head.run === run && head.account === account) jobs.push(await readJobState(paths))
  }
  return jobs
}

/** By the job that each takes back. */
export function undosOf(jobsFolder: string): ReadonlyMap<string, JobPaths> {
  const undos = new Map<string, JobPaths>()
  for (const paths of allJobs(jobsFolder)) {
    const { kind, of } = headOf(paths)
    if (kind === 'undo' && of !== undefined) undos.set(of, paths)
  }
  return undos
}

function unfinished({ paths: { id }, state, head }: JobState, command: readonly string[]): CrmError {
  const what = state === 'running' ? 'is running' : 'was stopped before its end'
  return new CrmError(
    'conflict',
    `${id} ${what}, and ${head.input?.name ?? 'its input'} has changed since it was planned`,
    {
      hint: `finish it first: crm jobs resume ${id}${typedProfile(command)}, or leave it: crm jobs cancel ${id}`,
      job: id,
    },
  )
}
