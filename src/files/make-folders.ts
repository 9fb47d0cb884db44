import { mkdirSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { CrmError } from '../core/errors.ts'
import { errorCode } from './error-code.ts'

/**
 * Makes a folder and those above it that are missing. Node's own `recursive` never returns where the system answers
 * ENOENT although the parent is there, as in /proc.
 */
export function makeFolders(path: string, mode: number): void {
  const missing: string[] = []
  for (let folder = resolve(path); !isThere(folder); folder = dirname(folder)) {
    missing.push(folder)
    // The root of a drive that is not there.
    if (dirname(folder) === folder) break
  }
  for (const folder of missing.reverse()) makeFolder(folder, mode)
}

function makeFolder(folder: string, mode: number): void {
  try {
    mkdirSync(folder, { mode })
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
