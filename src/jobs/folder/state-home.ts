import { mkdtempSync, rmSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { basename, isAbsolute, join, resolve } from 'node:path'
import { CrmError } from '../../core/errors.ts'
import type { Env } from '../../core/streams.ts'
import { toMachineError } from '../../files/machine-error.ts'
import { ensurePrivateFolder } from '../../files/private-folder.ts'

/** CRM_STATE_HOME, else XDG_STATE_HOME/crm, else ~/.local/state/crm. An empty variable counts as unset. */
export function stateHome(env: Env): string {
  if (env.CRM_STATE_HOME) return resolve(env.CRM_STATE_HOME)
  const { XDG_STATE_HOME: xdg } = env
  // The XDG Base Directory Specification has relative paths ignored.
  if (xdg && isAbsolute(xdg)) return join(xdg, 'crm')
  return join(resolve(env.HOME || homedir()), '.local', 'state', 'crm')
}

/**
 * The folder of all jobs, made where it is missing. Where the home cannot be written and nobody named another place, a
 * temporary folder, which `say` tells: what is in it is needed to go on after a crash.
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
    const temporary = mkdtempSync(join(env.TMPDIR || tmpdir(), 'crm-state-'))
    const folder = join(temporary, 'jobs')
    await ensurePrivateFolder(folder)
    say(`${error.message}; jobs are kept in ${temporary} instead: CRM_STATE_HOME=${temporary} finds them again`)
    return folder
  }
}

const TRIAL = 'crm-plan-'

/** A folder for a plan that is only looked at: a dry run leaves nothing where jobs are kept, and makes no such place. */
export function makeTrialFolder(env: Env): string {
  const parent = env.TMPDIR || tmpdir()
  try {
    return mkdtempSync(join(parent, TRIAL))
  } catch (error) {
    throw toMachineError(error, parent)
  }
}

/** Nothing but what `makeTrialFolder` made. */
export function removeTrial(folder: string): void {
  if (basename(folder).startsWith(TRIAL)) rmSync(folder, { recursive: true, force: true })
}
