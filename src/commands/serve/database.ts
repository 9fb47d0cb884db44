import { join, resolve } from 'node:path'
import type { Env } from '../../core/streams.ts'
import { dataFolder } from '../../settings/data-folder.ts'

/** `:memory:`, or an absolute path; without `--database` a file in the data folder of the user (XDG). */
export function databaseLocation(env: Env, given: string | undefined): string {
  if (given === ':memory:') return given
  if (given !== undefined) return resolve(given)
  return join(dataFolder(env), 'crm.db')
}
