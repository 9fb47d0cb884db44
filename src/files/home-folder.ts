import { homedir } from 'node:os'
import { resolve } from 'node:path'
import type { Env } from '../core/streams.ts'

/** HOME, else the home of the account; `/`, as in containers, for a user id without an account. */
export function homeFolder(env: Env): string {
  if (env.HOME) return resolve(env.HOME)
  try {
    return resolve(homedir())
  } catch {
    // Thrown only when getpwuid(3) does not know the id.
    return '/'
  }
}
