import { CrmError } from '../../core/errors.ts'
import { counted, resourceOf } from '../../core/resources/registry.ts'
import { isPart } from '../../core/undo-part.ts'
import type { JobNoun } from '../plan/plan-format.ts'
import type { JobPaths } from '../store/job-folder.ts'
import { headOf } from '../store/open-job.ts'
import { allHeads, allJobs, headIfReadable } from './find-jobs.ts'
import { unendedHint } from './job-errors.ts'
import { type JobState, readJobState, stateOrDamage } from './job-state.ts'

const UUID_LENGTH = 36

export interface RunIdentity {
  readonly account: string
  readonly run: string
  /** The run without what `--again` adds to it: its jobs send the same rows. */
  readonly firstRun: string
  readonly sha256: string
  /** A finished job is no end: its rows are compared with the server again. */
  readonly isCompared: (job: JobState) => boolean
  /** The words after `crm`, for hints. */
  readonly command: readonly string[]
}

export interface EarlierJob {
  readonly paths: JobPaths
  /** Whether it undoes an earlier one. */
  readonly isUndo: boolean
}

/** What the earlier jobs of a run mean for a new one. */
export type Earlier =
  /** The input is the same: this job is resumed, or is done. */
  | { readonly type: 'same'; readonly job: JobState }
  /** The input has changed, or the job was undone: jobs and their undos, the oldest first. `planned` have sent nothing. */
  | {
      readonly type: 'before'
      readonly jobs: readonly EarlierJob[]
      readonly planned: readonly JobPaths[]
      /** All jobs of the run, and of its repetitions. */
      readonly known: readonly JobPaths[]
      /** For people: that the last job was undone, and by which one. */
      readonly undone: string | undefined
    }

/** CrmError `conflict` if one of them is running, or was stopped and had another input or `--again`. */
export async function earlierJobs(
  jobsFolder: string,
  { account, run, firstRun, sha256, isCompared, command }: RunIdentity,
): Promise<Earlier> {
  const family = await jobsOf(jobsFolder, account, (own) => isOfRun(own, firstRun))
  const other = family.find((job) => job.head.run !== run && isOpen(job))
  if (other) throw unfinished(other, command)
  const jobs = family.filter(({ head, state }) => head.run === run && state !== 'planned')
  const open = jobs.find(isOpen)
  if (open && open.head.input?.sha256 !== sha256) throw unfinished(open, command)
  if (open) return { type: 'same', job: open }
  const last = jobs.at(-1)
  const undo = last && (await undosInEffect(jobsFolder)).get(last.paths.id)
  const isLastDone = last?.state === 'finished' && !undo
  if (isLastDone && last.head.input?.sha256 === sha256 && !isCompared(last)) return { type: 'same', job: last }
  return {
    type: 'before',
    jobs: await withUndos(jobsFolder, jobs.map(pathsOf), command),
    planned: family.filter(({ state }) => state === 'planned').map(pathsOf),
    known: family.map(pathsOf),
    undone: undo && `${last.paths.id} was undone by ${undo.paths.id}; the rows that this reverted are sent again.`,
  }
}

/** The other jobs of the run of a job, and their undos. CrmError `conflict` while one of them has not ended. */
export async function jobsBeside(
  jobsFolder: string,
  { job, account, run }: Pick<JobState['head'], 'job' | 'account' | 'run'>,
  command: readonly string[],
): Promise<readonly EarlierJob[]> {
  const jobs = (await jobsOf(jobsFolder, account, (own) => own === run)).filter(
    ({ paths, state }) => paths.id !== job && state !== 'planned',
  )
  const open = jobs.find(isOpen)
  if (open) throw unfinished(open, command)
  return withUndos(jobsFolder, jobs.map(pathsOf), command)
}

/**
 * Jobs and their undos, in the order in which they were made. CrmError `conflict` while such an undo is unfinished: it would
 * change the records after they are read.
 */
export async function withUndos(
  jobsFolder: string,
  jobs: readonly JobPaths[],
  command: readonly string[],
): Promise<readonly EarlierJob[]> {
  const known = new Set(jobs.map(({ id }) => id))
  // Undos of these jobs, and undos of those in turn.
  const undos = allUndos(jobsFolder).filter(({ paths, of }) => known.has(of) && known.add(paths.id))
  for (const { paths } of undos) {
    const undo = await readJobState(paths)
    if (isOpen(undo)) throw unfinished(undo, command)
  }
  return [
    ...jobs.map((paths) => ({ paths, isUndo: false })),
    ...undos.map(({ paths }) => ({ paths, isUndo: true })),
  ].toSorted((one, other) => (one.paths.id < other.paths.id ? -1 : 1))
}

/**
 * CrmError `conflict` for a job of the run that is not one of these: another process planned the same rows meanwhile, and may
 * send them.
 */
export function refuseNewerJobs(
  jobsFolder: string,
  { account, run }: Pick<RunIdentity, 'account' | 'run'>,
  known: readonly JobPaths[],
): void {
  const ids = new Set(known.map(({ id }) => id))
  for (const paths of allJobs(jobsFolder)) {
    if (ids.has(paths.id)) continue
    const head = headOf(paths)
    if (isOfRun(head.run, run) && head.account === account) throw startedMeanwhile(paths.id)
  }
}

export function startedMeanwhile(id: string): CrmError {
  return new CrmError('conflict', `${id} was started meanwhile by another process`, {
    hint: `crm jobs show ${id}; when it has ended, repeat this command if rows are left`,
    job: id,
    isBusy: true,
  })
}

/** The job of exactly this run that was stopped, or runs. */
export async function openJobOf(
  jobsFolder: string,
  { run, account }: Pick<RunIdentity, 'run' | 'account'>,
): Promise<JobPaths | undefined> {
  const own = await jobsOf(jobsFolder, account, (other) => other === run)
  return own.find(isOpen)?.paths
}

async function jobsOf(
  jobsFolder: string,
  account: string,
  isRun: (run: string) => boolean,
): Promise<readonly JobState[]> {
  const jobs: JobState[] = []
  for (const { paths, head } of allHeads(jobsFolder))
    if (isRun(head.run) && head.account === account) jobs.push(await readJobState(paths))
  return jobs
}

function pathsOf({ paths }: JobState): JobPaths {
  return paths
}

export function isOpen({ state }: JobState): boolean {
  return state === 'running' || state === 'stopped'
}

function unfinished(job: JobState, command: readonly string[]): CrmError {
  const { state, head } = job
  const { id } = job.paths
  const what = state === 'running' ? 'is running' : 'was stopped before its end'
  const why = head.kind === 'undo' ? `, and is the undo of ${head.of}` : ', and may have sent some of these rows'
  return new CrmError('conflict', `${id} ${what}${why}`, {
    hint: unendedHint(job, command),
    job: id,
    ...(state === 'running' && { isBusy: true }),
  })
}

interface Repeated extends Pick<RunIdentity, 'account' | 'run'> {
  readonly noun: JobNoun
}

/**
 * The question before `--again` repeats a run: how many records it made, and which jobs. Undefined if there are
 * none, or the jobs were undone.
 */
export async function existingFromRun(
  jobsFolder: string,
  { account, run, noun }: Repeated,
): Promise<string | undefined> {
  const undone = await undosInEffect(jobsFolder)
  const jobs = (await jobsOf(jobsFolder, account, (own) => isOfRun(own, run))).filter(
    (job) => job.head.kind !== 'undo' && job.account.done > 0 && !isUndoneWhole(undone, job.paths.id),
  )
  const count = jobs.reduce((sum, job) => sum + job.account.done, 0)
  if (count === 0) return undefined
  return `${jobs.map(({ paths }) => paths.id).join(', ')} made ${counted(count, resourceOf(noun))}; --again creates all rows again.`
}

/** Also true for a repetition of the run, whose name is `run.UUID`. */
function isOfRun(own: string, run: string): boolean {
  return own === run || (own.startsWith(`${run}.`) && own.length === run.length + 1 + UUID_LENGTH)
}

/** Whether nothing that a job did is in effect; an undo of a part leaves the rest. */
export function isUndoneWhole(undone: ReadonlyMap<string, JobState>, id: string): boolean {
  const undo = undone.get(id)
  return undo !== undefined && !isPart(undo.head) && !undone.has(undo.paths.id)
}

/**
 * The last undo in effect for each job: it reverted something, or may have, and was not undone itself as a whole. `onUndo`: called
 * with all of them, the newest first.
 */
export async function undosInEffect(
  jobsFolder: string,
  isDamageSkipped = false,
  onUndo: (of: string, undo: JobState) => void = () => {},
): Promise<ReadonlyMap<string, JobState>> {
  const held = new Map<string, JobState>()
  for (const { paths, of } of allUndos(jobsFolder, isDamageSkipped).toReversed()) {
    // The newest first: an undo of this undo was made after it.
    if (isUndoneWhole(held, paths.id)) continue
    const job = isDamageSkipped ? await stateOrDamage(paths) : await readJobState(paths)
    if (job.state === 'damaged' || job.account.done + job.account.in_doubt === 0) continue
    onUndo(of, job)
    if (!held.has(of)) held.set(of, job)
  }
  return held
}

/** Each with the job that it undoes, which may be an undo itself; the oldest first. */
function allUndos(jobsFolder: string, isDamageSkipped = false): readonly { paths: JobPaths; of: string }[] {
  return allJobs(jobsFolder).flatMap((paths) => {
    const { kind, of } = isDamageSkipped ? headIfReadable(paths) : headOf(paths)
    return kind === 'undo' && of !== undefined ? [{ paths, of }] : []
  })
}
