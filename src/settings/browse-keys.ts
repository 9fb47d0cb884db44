import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Env } from '../core/streams.ts'
import { settingsFolder } from '../files/folders.ts'
import { readOwnFile } from '../files/private-file.ts'

/**
 * `browse.yaml` of the settings folder, and of no other: it names commands to run. Undefined when there is none; CrmError
 * `machine` for a file that another user can write.
 */
export async function readBrowseKeys(env: Env): Promise<{ path: string; text: string } | undefined> {
  const path = join(settingsFolder(env), 'browse.yaml')
  if (!existsSync(path)) return undefined
  const text = await readOwnFile(path)
  return text === undefined ? undefined : { path, text }
}
