import { accessSync, closeSync, constants, fsyncSync, lstatSync, openSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { platform } from 'node:os'
import { dirname } from 'node:path'
import { CrmError } from '../core/errors.ts'
import { shellWord } from '../core/shell-words.ts'

interface Trouble {
  readonly what: string
  hint(path: string): string
}

const permission: Trouble = {
  what: 'permission denied',
  hint: (path) => `see who may use it: ls -ld ${shellWord(nearestThere(path))}`,
}
const space: Trouble = { what: 'no space left on the disk', hint: () => 'free some space, and try again' }
const kind: Trouble = {
  what: 'a part of the path is not a folder, or is one where a file is needed',
  hint: (path) => `see what is there: ls -ld ${shellWord(nearestThere(path))}`,
}
const limit: Trouble = { what: 'too many open files', hint: () => 'raise the limit, and try again: ulimit -n 4096' }

const TROUBLES: Readonly<Record<string, Trouble>> = {
  EACCES: permission,
  EPERM: permission,
  EROFS: { what: 'its file system is read-only', hint: () => 'name a folder that can be written' },
  ENOSPC: space,
  EDQUOT: { what: 'the disk quota is used up', hint: space.hint },
  EFBIG: {
    what: 'it would exceed the limit on the size of files',
    hint: () => 'raise the limit, and try again: ulimit -f unlimited',
  },
  ENOENT: {
    what: 'a folder of its path does not exist, or no file can be created in it',
    hint: (path) => `see what is there: ls -ld ${shellWord(nearestThere(dirname(path)))}`,
  },
  EEXIST: { what: 'something has this name already', hint: kind.hint },
  ELOOP: { what: 'symbolic links of its path lead in a circle, or one stands where none may', hint: kind.hint },
  ENOTDIR: kind,
  EISDIR: kind,
  ENAMETOOLONG: { what: 'the path is too long', hint: () => 'name a shorter path' },
  EMFILE: limit,
  ENFILE: limit,
  // The error of os.homedir, which conf calls when it is loaded.
  ERR_SYSTEM_ERROR: { what: 'this user has no home folder', hint: () => 'set HOME to a folder of this user' },
  EIO: { what: 'the disk reports an input/output error', hint: () => 'check the disk' },
}

/** A CrmError `machine` for an error of the disk or of permissions at `path`; any other error is returned unchanged. */
export function toMachineError(error: unknown, path: string): unknown {
  const trouble = TROUBLES[errorCode(error) ?? '']
  if (!trouble) return error
  return new CrmError('machine', `cannot use ${path}: ${trouble.what}`, { hint: trouble.hint(path), cause: error })
}

/**
 * Whether there is nothing at the path for this user. ENOTDIR: a home such as /dev/null. A folder that this user may not enter,
 * such as the home of another, has nothing of theirs.
 */
export function isMissing(error: unknown, path: string): boolean {
  const code = errorCode(error)
  if (code !== 'EACCES') return code === 'ENOENT' || code === 'ENOTDIR'
  try {
    accessSync(dirname(path), constants.X_OK)
    return false
  } catch {
    return true
  }
}

/**
 * CrmError `machine` when the file is below a folder that this user may not enter, so that whether it is there cannot be known,
 * or below something that is no folder. For a command that cannot do without what the file has.
 */
export function rejectClosed(path: string): void {
  try {
    accessSync(path)
  } catch (error) {
    const code = errorCode(error)
    if (code === 'EACCES' || code === 'ENOTDIR') throw toMachineError(error, nearestThere(dirname(path)))
  }
}

/** The path, or the innermost folder of it that can be looked at. */
function nearestThere(path: string): string {
  try {
    lstatSync(path)
    return path
  } catch {
    return dirname(path) === path ? path : nearestThere(dirname(path))
  }
}

/** Waits until names that were created or changed in the folder are on disk. */
export async function syncFolder(path: string): Promise<void> {
  // Windows syncs no folder.
  if (platform() === 'win32') return
  await using folder = await open(path)
  await folder.sync()
}

/** As syncFolder, for code that cannot wait. */
export function syncFolderNow(path: string): void {
  if (platform() === 'win32') return
  const folder = openSync(path, 'r')
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}

/** The code of a system error (`ENOENT`), or undefined for anything else. */
export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}
