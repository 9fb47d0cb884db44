import { lstatSync, type Stats } from 'node:fs'
import { dirname, resolve } from 'node:path'
import process from 'node:process'
import { CrmError } from '../core/errors.ts'
import { shellWord } from '../core/shell-word.ts'
import { errorCode } from './error-code.ts'
import { toMachineError } from './machine-error.ts'
import { makeFolder, makeFolders } from './make-folders.ts'

/** Who may write here may replace every file in it, whatever the mode of the file is. */
const WRITABLE_BY_OTHERS = 0o022

/**
 * Makes the folder with mode 0700, and so those above it that are missing. One that is there must be a folder of our own that
 * nobody else can write; its mode is not changed, since it may be shared on purpose. CrmError `machine` otherwise.
 */
export async function ensurePrivateFolder(path: string): Promise<void> {
  ensurePrivateFolderNow(path)
}

/** The same, synchronously, for a signal that ends the process. */
export function ensurePrivateFolderNow(path: string): void {
  // lstat follows a link when the path ends in a slash; resolve takes the slash away.
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
    // Another process made it first; what it made is judged like any other.
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
  const uid = process.getuid?.()
  if (uid === undefined) return
  if (stats.uid !== uid) {
    throw new CrmError('machine', `${folder} belongs to user ${stats.uid}, not to user ${uid} who runs crm`, {
      hint: look,
    })
  }
  if (stats.mode & WRITABLE_BY_OTHERS) {
    const mode = (stats.mode & 0o7777).toString(8)
    // A folder with the sticky bit, such as /tmp, belongs to all: closing it would harm them.
    const isShared = stats.mode & 0o1000
    throw new CrmError('machine', `${folder} has mode ${mode}: others can write in it`, {
      hint: isShared ? 'name a folder of your own' : `chmod 700 ${shellWord(folder)}`,
    })
  }
}
