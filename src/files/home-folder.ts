import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats } from 'node:fs'
import { homedir, platform } from 'node:os'
import { resolve } from 'node:path'
import type { Env } from '../core/streams.ts'
import { errorCode } from './error-code.ts'
import { toMachineError } from './machine-error.ts'
import { ownUid } from './processes.ts'

const WRITABLE_BY_ALL = 0o002

const READ_FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

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

type FoundFile = { readonly text: string } | { readonly flaw: string }

/**
 * Reads a file that crm found and the user did not name: undefined when there is none; a flaw for one that another user may
 * have put there, and for what is not a regular file. The checks are made on the opened file.
 */
export function readFoundFile(path: string, maxBytes: number): FoundFile | undefined {
  let file: number
  try {
    file = openSync(path, READ_FLAGS)
  } catch (error) {
    const code = errorCode(error)
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    // The errors of open with O_NOFOLLOW; EMLINK on FreeBSD.
    if (code === 'ELOOP' || code === 'EMLINK') return { flaw: 'it is a symbolic link' }
    // A socket, or a folder of the path without permission.
    if (code === 'ENXIO' || code === 'EACCES') return { flaw: 'it cannot be opened' }
    throw toMachineError(error, path)
  }
  try {
    const flaw = flawOf(fstatSync(file), maxBytes)
    return flaw === undefined ? { text: readFileSync(file, 'utf8') } : { flaw }
  } finally {
    closeSync(file)
  }
}

function flawOf(stats: Stats, maxBytes: number): string | undefined {
  if (!stats.isFile()) return 'it is not a regular file'
  if (stats.size > maxBytes) return `it is larger than ${maxBytes} bytes`
  if (platform() === 'win32') return undefined
  if (stats.uid !== ownUid()) return `it belongs to user ${stats.uid}`
  return stats.mode & WRITABLE_BY_ALL ? 'everyone can write to it' : undefined
}
