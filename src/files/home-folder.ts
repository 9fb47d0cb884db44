import { homedir } from 'node:os'
import { resolve } from 'node:path'
import type { Env } from '../core/streams.ts'

/** HOME, else that of the account; `/`, as containers have it, for a user id without an account. */
export function homeFolder(env: Env): string {
  if (env.HOME) return resolve(env.HOME)
  try {
    return resolve(homedir())
  } catch {
    // getpwuid(3) knows nothing of the id; nothing else makes it throw.
    return '/'
  }
}
