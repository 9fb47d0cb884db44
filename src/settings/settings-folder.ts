import { isAbsolute, join, resolve } from 'node:path'
import type { Env } from '../core/streams.ts'
import { homeFolder } from '../files/home-folder.ts'

/** CRM_CONFIG_HOME, else XDG_CONFIG_HOME/crm, else ~/.config/crm. An empty variable counts as unset. */
export function settingsFolder(env: Env): string {
  if (env.CRM_CONFIG_HOME) return resolve(env.CRM_CONFIG_HOME)
  const { XDG_CONFIG_HOME: xdg } = env
  // The XDG Base Directory Specification ignores relative paths.
  if (xdg && isAbsolute(xdg)) return join(xdg, 'crm')
  return join(homeFolder(env), '.config', 'crm')
}
