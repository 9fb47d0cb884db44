import { randomInt } from 'node:crypto'
import { accessSync, constants, existsSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { CrmError } from '../../core/errors.ts'
import { encodeId, firstSerialAt, SERIALS_PER_MS } from '../../core/ids.ts'
import type { Env } from '../../core/streams.ts'
import { temporaryFolder } from '../../core/streams.ts'
import { makeFolder, makeTemporaryFolder, namesIn, stateFolder } from '../../files/folders.ts'
import { errorCode, syncFolder, toMachineError } from '../../files/machine-error.ts'
import { ensurePrivateFolder } from '../../files/private-file.ts'
import { ownUid } from '../../files/processes.ts'
import { renamePath } from '../../files/replace-file.ts'

/** Prefixes in the jobs folder, where `prune` removes leftovers, and in the folder for temporary files. */
const TRIALS = { kept: '.new-plan-', temporary: 'crm-plan-' } as const

/** Where the files of one job are; docs/job-format.md. */
export interface JobPaths {
  readonly id: string
  readonly jobsFolder: string
  readonly db: string
  readonly lock: string
  /** The folder of a job of an earlier version. */
  readonly earlier: string
}

export function jobPaths(jobsFolder: string, id: string): JobPaths {
  const path = join(jobsFolder, id)
  return { id, jobsFolder, db: `${path}.db`, lock: `${path}.lock`, earlier: path }
}

/** The files of a job that is being planned; it becomes a job with `finishDraft`. */
export interface JobDraft {
  readonly id: string
  readonly jobsFolder: string
  readonly folder: string
  readonly db: string
  /** A copy of the input, until the job has its rows. */
  readonly input: string
}

/** CrmError `machine` if the folder cannot be created. */
export function openDraft(jobsFolder: string, nowMs: number): JobDraft {
  for (;;) {
    const id = encodeId('job', firstSerialAt(nowMs) + randomInt(SERIALS_PER_MS))
    const folder = join(jobsFolder, `.new-${id}`)
    try {
      makeFolder(folder)
      return draftIn(folder, id, jobsFolder)
    } catch (error) {
      if (errorCode(error) !== 'EEXIST') throw toMachineError(error, folder)
    }
  }
}

/** For a plan that was made elsewhere, which contains the id of its job. Another process may have a draft of the same job. */
export function openDraftOf(jobsFolder: string, id: string): JobDraft {
  const prefix = join(jobsFolder, `.new-${id}-`)
  try {
    return draftIn(makeTemporaryFolder(prefix), id, jobsFolder)
  } catch (error) {
    throw toMachineError(error, prefix)
  }
}

function draftIn(folder: string, id: string, jobsFolder: string): JobDraft {
  return { id, jobsFolder, folder, db: join(folder, 'job.db'), input: join(folder, 'input') }
}

/** Makes the job permanent, even after a power cut: a job that could be lost must not send anything. */
export async function finishDraft(draft: JobDraft): Promise<JobPaths> {
  const finished = jobPaths(draft.jobsFolder, draft.id)
  try {
    await renamePath(draft.db, finished.db)
    dropDraft(draft)
    await syncFolder(draft.jobsFolder)
    await syncFolder(dirname(draft.jobsFolder))
  } catch (error) {
    throw toMachineError(error, finished.db)
  }
  return finished
}

export function dropDraft({ folder }: JobDraft): void {
  rmSync(folder, { recursive: true, force: true })
}

/** Whether there is such a job, of this version or an earlier one. */
export function isJob({ db, earlier }: JobPaths): boolean {
  return existsSync(db) || existsSync(join(earlier, 'plan.ndjson'))
}

/** Removes all files of a job but its lock. In an order in which an interruption leaves no job that has sent less than was sent. */
export function removeJob({ id, jobsFolder, db, earlier }: JobPaths): void {
  rmSync(earlier, { recursive: true, force: true })
  rmSync(db, { force: true })
  for (const name of namesIn(jobsFolder)) {
    if (name.startsWith(`${id}.`) && name !== `${id}.lock`) rmSync(join(jobsFolder, name), { force: true })
  }
}

/**
 * The folder of all jobs, created if it is missing. If the home cannot be written and CRM_STATE_HOME is not set, it is a
 * temporary folder, which a note names: a resume after a crash needs it. All commands of a user share it.
 */
export async function ensureJobsFolder(env: Env, note: (line: string) => void): Promise<string> {
  const home = stateFolder(env)
  try {
    await ensurePrivateFolder(home)
    const folder = join(home, 'jobs')
    await ensurePrivateFolder(folder)
    return folder
  } catch (error) {
    if (env.CRM_STATE_HOME || !(error instanceof CrmError) || error.code !== 'machine') throw error
    const temporary = join(temporaryFolder(env), `crm-state-${ownUid() ?? 'user'}`)
    await ensurePrivateFolder(temporary)
    const folder = join(temporary, 'jobs')
    await ensurePrivateFolder(folder)
    note(`${error.message}; jobs are kept in ${temporary} instead: CRM_STATE_HOME=${temporary} finds them again`)
    return folder
  }
}

/**
 * A folder for the plan of a dry run, which does not create the jobs folder. If that exists, the plan is made in it: on many
 * machines temporary files are in memory, and a plan may be large.
 */
export function makeTrialFolder(env: Env, jobsFolder: string): string {
  const temporary = join(temporaryFolder(env), TRIALS.temporary)
  const prefix = isWritable(jobsFolder) ? join(jobsFolder, TRIALS.kept) : temporary
  try {
    return makeTemporaryFolder(prefix)
  } catch (error) {
    throw toMachineError(error, dirname(prefix))
  }
}

/** Removes the folder only if `makeTrialFolder` made it. */
export function removeTrial(folder: string): void {
  const name = basename(folder)
  if (Object.values(TRIALS).some((prefix) => name.startsWith(prefix))) rmSync(folder, { recursive: true, force: true })
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK)
    return true
  } catch (error) {
    if (errorCode(error) === undefined) throw error
    return false
  }
}
