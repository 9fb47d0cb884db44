import { chmodSync, lstatSync, mkdirSync, mkdtempSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { CrmError } from '../core/errors.ts'
import { errorCode } from './error-code.ts'

const OWNER = 0o700

/** One folder for its owner alone; throws what the system says. */
export function makeFolder(folder: string): void {
  mkdirSync(folder, { mode: OWNER })
  restoreOwner(folder)
}

/** One with a name that begins so; its whole path. */
export function makeTemporaryFolder(prefix: string): string {
  const folder = mkdtempSync(prefix)
  restoreOwner(folder)
  return folder
}

/** A umask can take from the owner too, and neither mkdir nor mkdtemp gives it back. */
function restoreOwner(folder: string): void {
  const stats = lstatSync(folder)
  if (stats.isDirectory() && (stats.mode & OWNER) !== OWNER) chmodSync(folder, OWNER)
}

/**
 * Makes a folder and those above it that are missing, each with mode 0700 whatever the umask. Node's own `recursive` never returns where the system answers
 * ENOENT although the parent is there, as in /proc.
 */
export function makeFolders(path: string): void {
  const missing: string[] = []
  for (let folder = resolve(path); !isThere(folder); folder = dirname(folder)) {
    missing.push(folder)
    // The root of a drive that is not there.
    if (dirname(folder) === folder) break
  }
  for (const folder of missing.reverse()) makeMissing(folder)
}

function makeMissing(folder: string): void {
  try {
    makeFolder(folder)
  } catch (cause) {
    const code = errorCode(cause)
    // Another process made it first.
    if (code === 'EEXIST' && isThere(folder)) return
    if (code === 'EEXIST') throw unmakeable(folder, 'its name is that of a link that leads nowhere', cause)
    if (code === 'ENOENT') throw unmakeable(folder, `${dirname(folder)} takes no new folders`, cause)
    throw cause
  }
}

function isThere(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined
}

function unmakeable(folder: string, reason: string, cause: unknown): CrmError {
  return new CrmError('machine', `cannot make the folder ${folder}: ${reason}`, {
    hint: 'name a place where folders can be made',
    cause,
  })
}
