import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CrmError } from '../core/errors.ts'
import type { Env } from '../core/streams.ts'
import { makeTemporaryFolder } from '../files/make-folders.ts'
import { ensurePrivateFolder } from '../files/private-folder.ts'
import { stateFolder } from './state-folder.ts'

export interface OpenedFolder {
  readonly path: string
  /** A new temporary folder, used when the home cannot be written. */
  readonly isTemporary: boolean
}

/** A private folder of this name in the state folder. A temporary one when it cannot be created and CRM_STATE_HOME is not set. */
export async function openStateFolder(env: Env, name: string): Promise<OpenedFolder> {
  const path = join(stateFolder(env), name)
  try {
    await ensurePrivateFolder(path)
    return { path, isTemporary: false }
  } catch (error) {
    if (env.CRM_STATE_HOME || !(error instanceof CrmError)) throw error
    return { path: makeTemporaryFolder(join(tmpdir(), `crm-${name}-`)), isTemporary: true }
  }
}
