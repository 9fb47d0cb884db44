import { homedir } from 'node:os'
import { isAbsolute, join, resolve } from 'node:path'
import type { Env } from '../../core/streams.ts'

/** `:memory:`, or an absolute path; without `--database` a file in the data folder of the user (XDG). */
export function databaseLocation(env: Env, given: string | undefined): string {
  if (given === ':memory:') return given
  if (given !== undefined) return resolve(given)
  // The XDG specification says that a relative path there is invalid and ignored.
  const data = env.XDG_DATA_HOME && isAbsolute(env.XDG_DATA_HOME) ? env.XDG_DATA_HOME : undefined
  return join(data ?? join(env.HOME || homedir(), '.local', 'share'), 'crm', 'crm.db')
}
