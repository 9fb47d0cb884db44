import { lstatSync, type Stats } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { CrmError } from '../core/errors.ts'
import { shellWord } from '../core/shell-words.ts'
import { makeFolder, makeFolders } from './folders.ts'
import { errorCode, toMachineError } from './machine-error.ts'
import { ownUid } from './processes.ts'

/** A user who can write in a folder can replace every file in it, whatever the mode of the file. */
const WRITABLE_BY_OTHERS = 0o022

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
