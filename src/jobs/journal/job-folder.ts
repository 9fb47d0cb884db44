import { randomInt } from 'node:crypto'
import { accessSync, closeSync, constants, openSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { CrmError } from '../../core/errors.ts'
import { encodeId, firstSerialAt, SERIALS_PER_MS } from '../../core/ids.ts'
import type { Env } from '../../core/streams.ts'
import { temporaryFolder } from '../../core/temporary-folder.ts'
import { makeFolder, makeTemporaryFolder, stateFolder } from '../../files/folders.ts'
import { errorCode, syncFolder, toMachineError } from '../../files/machine-error.ts'
import { ensurePrivateFolder } from '../../files/private-file.ts'
import { ownUid } from '../../files/processes.ts'
import { renamePath } from '../../files/rename.ts'
import { PlanFile } from '../plan/plan-file.ts'

/** Prefixes in the jobs folder, where `prune` removes leftovers, and in the folder for temporary files. */
const TRIALS = { kept: '.new-plan-', temporary: 'crm-plan-' } as const

/** The paths of the files of one job; docs/job-format.md describes their contents. */
export interface JobPaths {
  readonly id: string
  readonly folder: string
  readonly plan: string
  readonly before: string
  readonly input: string
  readonly leftOut: string
  readonly journal: string
  readonly lock: string
}

export function jobPaths(jobsFolder: string, id: string): JobPaths {
  return pathsIn(join(jobsFolder, id), id)
}

/** The folder of a job that is being planned; it becomes a job with `finishDraft`. */
export interface JobDraft {
  readonly paths: JobPaths
  readonly jobsFolder: string
}

/** CrmError `machine` if the folder cannot be created. */
export function openDraft(jobsFolder: string, nowMs: number): JobDraft {
  for (;;) {
    const id = encodeId('job', firstSerialAt(nowMs) + randomInt(SERIALS_PER_MS))
    const folder = join(jobsFolder, `.new-${id}`)
    try {
      makeFolder(folder)
      return { paths: pathsIn(folder, id), jobsFolder }
    } catch (error) {
      if (errorCode(error) !== 'EEXIST') throw toMachineError(error, folder)
    }
  }
}

/** For a plan that was made elsewhere, which contains the id of its job. Another process may have a draft of the same job. */
export function openDraftOf(jobsFolder: string, id: string): JobDraft {
  const prefix = join(jobsFolder, `.new-${id}-`)
  try {
    return { paths: pathsIn(makeTemporaryFolder(prefix), id), jobsFolder }
  } catch (error) {
    throw toMachineError(error, prefix)
  }
}

/** Makes the job permanent, even after a power cut: a job that could be lost must not send anything. */
export async function finishDraft({ paths, jobsFolder }: JobDraft): Promise<JobPaths> {
  const finished = jobPaths(jobsFolder, paths.id)
  try {
    closeSync(openSync(paths.journal, 'a', 0o600))
    await syncFolder(paths.folder)
    await renamePath(paths.folder, finished.folder)
    await syncFolder(jobsFolder)
    await syncFolder(dirname(jobsFolder))
  } catch (error) {
    throw toMachineError(error, finished.folder)
  }
  return finished
}

export function dropDraft({ paths }: JobDraft): void {
  rmSync(paths.folder, { recursive: true, force: true })
}

function pathsIn(folder: string, id: string): JobPaths {
  return {
    id,
    folder,
    plan: join(folder, 'plan.ndjson'),
    before: join(folder, 'before.ndjson'),
    input: join(folder, 'input'),
    leftOut: join(folder, 'left-out.ndjson'),
    journal: join(folder, 'journal'),
    lock: join(folder, 'lock'),
  }
}

/** The plan of a job on this machine. CrmError `machine` if it is damaged: it cannot be made again. */
export function openJobPlan({ id, plan }: Pick<JobPaths, 'id' | 'plan'>): PlanFile {
  return asDamage(id, () => new PlanFile(plan))
}

/** Head and counts of a plan that matches its checksum. Reads the whole plan, and closes it. */
export function readJobPlan(paths: Pick<JobPaths, 'id' | 'plan'>): Pick<PlanFile, 'head' | 'end' | 'count'> {
  const plan = openJobPlan(paths)
  try {
    verifyJobPlan(paths.id, plan)
    return plan
  } finally {
    plan.close()
  }
}

/** Compares the plan with its checksum. */
export function verifyJobPlan(id: string, plan: PlanFile): void {
  asDamage(id, () => plan.verify())
}

function asDamage<Result>(id: string, work: () => Result): Result {
  try {
    return work()
  } catch (cause) {
    if (!(cause instanceof CrmError) || cause.code !== 'invalid_input') throw cause
    throw new CrmError('machine', `${id} is damaged, and its rows are unknown: ${cause.message}`, {
      hint: `check the disk, and restore its folder from a backup; or set it aside: crm jobs cancel ${id} --damaged`,
      job: id,
      cause,
    })
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
