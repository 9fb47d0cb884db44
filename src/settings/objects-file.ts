import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Env } from '../core/streams.ts'
import { settingsFolder } from '../files/folders.ts'

/** Where the objects of servers are kept; see kept-objects.ts, which most commands do not load. */
export function objectsFile(env: Env): string {
  return join(settingsFolder(env), 'objects.json')
}

/** Whether a server may be named: by the environment, or by a profile. */
export function hasServer(env: Env): boolean {
  return env.CRM_BASE_URL !== undefined || existsSync(join(settingsFolder(env), 'config.json'))
}

export function hasKeptObjects(env: Env): boolean {
  return existsSync(objectsFile(env))
}
