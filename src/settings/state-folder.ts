import { mkdtemp } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { isAbsolute, join, resolve } from 'node:path'
import { CrmError } from '../core/errors.ts'
import type { Env } from '../core/streams.ts'
import { ensurePrivateFolder } from '../files/private-folder.ts'

/** CRM_STATE_HOME, else XDG_STATE_HOME/crm, else ~/.local/state/crm: what crm keeps of its work. An empty variable counts as unset. */
export function stateFolder(env: Env): string {
  if (env.CRM_STATE_HOME) return resolve(env.CRM_STATE_HOME)
  const { XDG_STATE_HOME: xdg } = env
  // The XDG Base Directory Specification has relative paths ignored.
  if (xdg && isAbsolute(xdg)) return join(xdg, 'crm')
  return join(resolve(env.HOME || homedir()), '.local', 'state', 'crm')
}

export interface OpenedFolder {
  readonly path: string
  /** A new one, which nobody will look for: where there is no home to write in. */
  readonly isTemporary: boolean
}

/** A private folder of this name in the state folder; a temporary one where that cannot be made, unless CRM_STATE_HOME names it. */
export async function openStateFolder(env: Env, name: string): Promise<OpenedFolder> {
  const path = join(stateFolder(env), name)
  try {
    await ensurePrivateFolder(path)
    return { path, isTemporary: false }
  } catch (error) {
    if (env.CRM_STATE_HOME || !(error instanceof CrmError)) throw error
    return { path: await mkdtemp(join(tmpdir(), `crm-${name}-`)), isTemporary: true }
  }
}
