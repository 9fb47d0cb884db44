import { isAbsolute, join, resolve } from 'node:path'
import type { Env } from '../core/streams.ts'
import { homeFolder } from '../files/home-folder.ts'

/** CRM_STATE_HOME, else XDG_STATE_HOME/crm, else ~/.local/state/crm: the folder of jobs, logs and unsent changes. An empty variable counts as unset. */
export function stateFolder(env: Env): string {
  if (env.CRM_STATE_HOME) return resolve(env.CRM_STATE_HOME)
  const { XDG_STATE_HOME: xdg } = env
  // The XDG Base Directory Specification ignores relative paths.
  if (xdg && isAbsolute(xdg)) return join(xdg, 'crm')
  return join(homeFolder(env), '.local', 'state', 'crm')
}
