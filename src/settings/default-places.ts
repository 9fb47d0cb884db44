import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CrmError } from '../core/errors.ts'
import type { Env } from '../core/streams.ts'
import { dataFolder, makeTemporaryFolder, stateFolder } from '../files/folders.ts'
import { ensurePrivateFolder } from '../files/private-file.ts'

/** The database of `crm serve` without `--database`. */
export function databaseFile(env: Env): string {
  return join(dataFolder(env), 'crm.db')
}

/** The log of `crm listen`. */
export function eventsFolder(env: Env): string {
  return join(stateFolder(env), 'events')
}

export interface OpenedFolder {
  readonly path: string
  /** A new temporary folder, used when the home cannot be written. */
  readonly isTemporary: boolean
}

/** Creates the folder of the log, private; a temporary one when it cannot be created and CRM_STATE_HOME is not set. */
export async function openEventsFolder(env: Env): Promise<OpenedFolder> {
  const path = eventsFolder(env)
  try {
    await ensurePrivateFolder(path)
    return { path, isTemporary: false }
  } catch (error) {
    if (env.CRM_STATE_HOME || !(error instanceof CrmError)) throw error
    return { path: makeTemporaryFolder(join(tmpdir(), 'crm-events-')), isTemporary: true }
  }
}
