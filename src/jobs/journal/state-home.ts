import { accessSync, constants, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { CrmError } from '../../core/errors.ts'
import type { Env } from '../../core/streams.ts'
import { makeTemporaryFolder } from '../../files/folders.ts'
import { errorCode, toMachineError } from '../../files/machine-error.ts'
import { ensurePrivateFolder } from '../../files/private-folder.ts'
import { ownUid } from '../../files/processes.ts'
import { stateFolder } from '../../files/user-folders.ts'

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
    const temporary = join(env.TMPDIR || tmpdir(), `crm-state-${ownUid() ?? 'user'}`)
    await ensurePrivateFolder(temporary)
    const folder = join(temporary, 'jobs')
    await ensurePrivateFolder(folder)
    note(`${error.message}; jobs are kept in ${temporary} instead: CRM_STATE_HOME=${temporary} finds them again`)
    return folder
  }
}

/** Prefixes in the jobs folder, where `prune` removes leftovers, and in the folder for temporary files. */
const TRIALS = { kept: '.new-plan-', temporary: 'crm-plan-' } as const

/**
 * A folder for the plan of a dry run, which does not create the jobs folder. If that exists, the plan is made in it: on many
 * machines temporary files are in memory, and a plan may be large.
 */
export function makeTrialFolder(env: Env, jobsFolder: string): string {
  const temporary = join(env.TMPDIR || tmpdir(), TRIALS.temporary)
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
