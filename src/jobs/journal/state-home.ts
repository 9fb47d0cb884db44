import { accessSync, constants, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, isAbsolute, join, resolve } from 'node:path'
import { CrmError } from '../../core/errors.ts'
import type { Env } from '../../core/streams.ts'
import { errorCode } from '../../files/error-code.ts'
import { homeFolder } from '../../files/home-folder.ts'
import { toMachineError } from '../../files/machine-error.ts'
import { makeTemporaryFolder } from '../../files/make-folders.ts'
import { ensurePrivateFolder } from '../../files/private-folder.ts'
import { ownUid } from '../../files/processes.ts'

/** CRM_STATE_HOME, else XDG_STATE_HOME/crm, else ~/.local/state/crm. An empty variable counts as unset. */
export function stateHome(env: Env): string {
  if (env.CRM_STATE_HOME) return resolve(env.CRM_STATE_HOME)
  const { XDG_STATE_HOME: xdg } = env
  // The XDG Base Directory Specification has relative paths ignored.
  if (xdg && isAbsolute(xdg)) return join(xdg, 'crm')
  return join(homeFolder(env), '.local', 'state', 'crm')
}

/**
 * The folder of all jobs, made where it is missing. Where the home cannot be written and no other place is set, a
 * temporary folder, which `say` tells: what is in it is needed to go on after a crash. It is the same one for all commands of
 * a user, so that what one did is known to the next.
 */
export async function ensureJobsFolder(env: Env, say: (line: string) => void): Promise<string> {
  const home = stateHome(env)
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
    say(`${error.message}; jobs are kept in ${temporary} instead: CRM_STATE_HOME=${temporary} finds them again`)
    return folder
  }
}

/** In the folder of jobs, where `prune` removes it if nothing else does; and among the files of all programs. */
const TRIALS = { kept: '.new-plan-', temporary: 'crm-plan-' } as const

/**
 * A folder for a plan that is only looked at: a dry run makes no place for jobs. Where there is one it is made in it, since
 * temporary files are memory on many machines, and a plan may be large.
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

/** Nothing but what `makeTrialFolder` made. */
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
