import { homedir } from 'node:os'
import { isAbsolute, join, resolve } from 'node:path'
import type { Env } from '../core/streams.ts'

/** HOME, else the home of the account; `/`, as in containers, for a user id without an account. */
export function homeFolder(env: Env): string {
  if (env.HOME) return resolve(env.HOME)
  try {
    return resolve(homedir())
  } catch {
    // Thrown only when getpwuid(3) does not know the id.
    return '/'
  }
}

/** CRM_CONFIG_HOME, else XDG_CONFIG_HOME/crm, else ~/.config/crm. */
export function settingsFolder(env: Env): string {
  return env.CRM_CONFIG_HOME
    ? resolve(env.CRM_CONFIG_HOME)
    : join(baseFolder(env, env.XDG_CONFIG_HOME, '.config'), 'crm')
}

/** CRM_STATE_HOME, else XDG_STATE_HOME/crm, else ~/.local/state/crm: the folder of jobs, logs and unsent changes. */
export function stateFolder(env: Env): string {
  return env.CRM_STATE_HOME
    ? resolve(env.CRM_STATE_HOME)
    : join(baseFolder(env, env.XDG_STATE_HOME, '.local/state'), 'crm')
}

/** XDG_DATA_HOME/crm, else ~/.local/share/crm. */
export function dataFolder(env: Env): string {
  return join(baseFolder(env, env.XDG_DATA_HOME, '.local/share'), 'crm')
}

/** An empty variable counts as unset, and the XDG Base Directory Specification ignores relative paths. */
function baseFolder(env: Env, named: string | undefined, inHome: string): string {
  return named && isAbsolute(named) ? named : join(homeFolder(env), inHome)
}
