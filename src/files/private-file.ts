import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync, type Stats } from 'node:fs'
import { lstat } from 'node:fs/promises'
import { platform } from 'node:os'
import { dirname, resolve } from 'node:path'
import { CrmError } from '../core/errors.ts'
import { shellWord } from '../core/shell-words.ts'
import { makeFolder, makeFolders } from './folders.ts'
import { errorCode, isMissing, toMachineError } from './machine-error.ts'
import { ownUid } from './processes.ts'

// Files and folders that belong to this user alone.

const OF_OTHERS = 0o077
/** A user who can write in a folder can replace every file in it, whatever the mode of the file. */
const WRITABLE_BY_OTHERS = 0o022
const WRITABLE_BY_ALL = 0o002

/** Windows has neither flag. Without O_NONBLOCK, open waits for a writer of a named pipe. */
const READ_FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

/** The text of a file with a secret; undefined when there is no file. CrmError `machine` when others can read it. */
export async function readPrivateFile(path: string): Promise<string | undefined> {
  return await readGuarded(path, OF_OTHERS)
}

/** As readPrivateFile, for a file that others can read but not write. */
export async function readOwnFile(path: string): Promise<string | undefined> {
  return await readGuarded(path, WRITABLE_BY_OTHERS)
}

async function readGuarded(path: string, refusedMode: number): Promise<string | undefined> {
  try {
    // Synchronous: every command reads settings, and node:fs/promises would add 3 ms to start-up.
    const file = openSync(path, READ_FLAGS)
    try {
      const stats = fstatSync(file)
      if (!stats.isFile()) throw notAFile(path, 'not a regular file')
      const uid = ownUid()
      if (uid !== undefined && stats.uid !== uid) throw ofAnother(path, stats.uid, uid)
      if (platform() !== 'win32' && stats.mode & refusedMode) throw tooOpen(path, stats.mode)
      return readFileSync(file, 'utf8')
    } finally {
      closeSync(file)
    }
  } catch (error) {
    const code = errorCode(error)
    if (isMissing(error, path)) return undefined
    // The errors of open with O_NOFOLLOW; EMLINK on FreeBSD.
    if (code === 'ELOOP' || code === 'EMLINK') throw notAFile(path, 'a symbolic link')
    // The error of open for a socket.
    if (code === 'ENXIO') throw notAFile(path, 'not a regular file')
    throw toMachineError(error, path)
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

/** CrmError `machine` unless the path is unused or a regular file, so that nothing is written through a link. */
export async function refuseLinkedFile(path: string): Promise<void> {
  const stats = await lstat(path).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return undefined
    throw toMachineError(error, path)
  })
  if (stats?.isSymbolicLink()) throw notAFile(path, 'a symbolic link')
  if (stats && !stats.isFile()) throw notAFile(path, 'not a regular file')
}

export function notAFile(path: string, what: string): CrmError {
  return new CrmError('machine', `${path} is ${what}, expected a file`, {
    hint: `see what is there: ls -l ${shellWord(path)}`,
  })
}

/** A user who can write in the folder can replace the file, and settings name commands to run. */
function ofAnother(path: string, owner: number, uid: number): CrmError {
  return new CrmError('machine', `${path} belongs to user ${owner}, not to user ${uid} who runs crm`, {
    hint: `see what is there: ls -l ${shellWord(path)}`,
  })
}

function tooOpen(path: string, mode: number): CrmError {
  const shown = (mode & 0o777).toString(8)
  const doing = mode & WRITABLE_BY_OTHERS ? 'write' : 'read'
  return new CrmError('machine', `${path} has mode ${shown}: others can ${doing} it`, {
    hint: `chmod 600 ${shellWord(path)}`,
  })
}

/**
 * Creates the folder and its missing parents with mode 0700. An existing folder must belong to this user, and no other user
 * may be able to write in it; its mode is not changed, because it may be shared on purpose. CrmError `machine` otherwise.
 */
export async function ensurePrivateFolder(path: string): Promise<void> {
  ensurePrivateFolderNow(path)
}

/** The same, synchronously, for a signal that ends the process. */
export function ensurePrivateFolderNow(path: string): void {
  // lstat follows a link when the path ends in a slash; resolve removes the slash.
  const folder = resolve(path)
  try {
    refuseForeign(folder, statOrMake(folder))
  } catch (error) {
    throw toMachineError(error, folder)
  }
}

function statOrMake(folder: string): Stats {
  try {
    return lstatSync(folder)
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error
  }
  makeFolders(dirname(folder))
  try {
    makeFolder(folder)
  } catch (error) {
    // Another process created it first; it is checked like any other.
    if (errorCode(error) !== 'EEXIST') throw error
  }
  return lstatSync(folder)
}

function refuseForeign(folder: string, stats: Stats): void {
  const look = `see what is there: ls -ld ${shellWord(folder)}`
  if (stats.isSymbolicLink()) {
    throw new CrmError('machine', `${folder} is a symbolic link, expected a folder`, { hint: look })
  }
  if (!stats.isDirectory()) throw new CrmError('machine', `${folder} is not a folder`, { hint: look })
  // Windows has neither.
  const uid = ownUid()
  if (uid === undefined) return
  if (stats.uid !== uid) {
    throw new CrmError('machine', `${folder} belongs to user ${stats.uid}, not to user ${uid} who runs crm`, {
      hint: look,
    })
  }
  if (stats.mode & WRITABLE_BY_OTHERS) {
    const mode = (stats.mode & 0o7777).toString(8)
    // A folder with the sticky bit, such as /tmp, is shared: chmod would harm other users.
    const isShared = stats.mode & 0o1000
    throw new CrmError('machine', `${folder} has mode ${mode}: others can write in it`, {
      hint: isShared ? 'name a folder of your own' : `chmod 700 ${shellWord(folder)}`,
    })
  }
}
