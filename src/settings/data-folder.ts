import { isAbsolute, join } from 'node:path'
import type { Env } from '../core/streams.ts'
import { homeFolder } from '../files/home-folder.ts'

/** XDG_DATA_HOME/crm, else ~/.local/share/crm. The XDG specification ignores relative paths. */
export function dataFolder(env: Env): string {
  const data = env.XDG_DATA_HOME && isAbsolute(env.XDG_DATA_HOME) ? env.XDG_DATA_HOME : undefined
  return join(data ?? join(homeFolder(env), '.local', 'share'), 'crm')
}
