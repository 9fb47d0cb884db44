import { chmodSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, statSync } from 'node:fs'
import { homedir, userInfo } from 'node:os'
import { dirname, isAbsolute, join, resolve } from 'node:path'
import { CrmError } from '../core/errors.ts'
import type { Env } from '../core/streams.ts'
import { errorCode, isMissing, toMachineError } from './machine-error.ts'

const OWNER = 0o700

/** Creates one folder with mode 0700; throws the error of the system. */
export function makeFolder(folder: string): void {
  mkdirSync(folder, { mode: OWNER })
  restoreOwner(folder)
}

/** Creates a folder whose path begins with `prefix`, and returns the path. */
export function makeTemporaryFolder(prefix: string): string {
  const folder = mkdtempSync(prefix)
  restoreOwner(folder)
  return folder
}

/** A umask can remove permissions of the owner, which mkdir and mkdtemp do not restore. */
function restoreOwner(folder: string): void {
  const stats = lstatSync(folder)
  if (stats.isDirectory() && (stats.mode & OWNER) !== OWNER) chmodSync(folder, OWNER)
}

/**
 * Creates a folder and its missing parents, each with mode 0700 for any umask. Node's `recursive` does not return when the
 * system reports ENOENT for an existing parent, as in /proc.
 */
export function makeFolders(path: string): void {
  const missing: string[] = []
  for (let folder = resolve(path); !isThere(folder); folder = dirname(folder)) {
    missing.push(folder)
    // The root of a missing drive.
    if (dirname(folder) === folder) break
  }
  for (const folder of missing.reverse()) makeMissing(folder)
}

function makeMissing(folder: string): void {
  try {
    makeFolder(folder)
  } catch (cause) {
    const code = errorCode(cause)
    // Another process created it first.
    if (code === 'EEXIST' && isThere(folder)) return
    if (code === 'EEXIST') throw unmakeable(folder, 'a link to a missing target has this name', cause)
    if (code === 'ENOENT') throw unmakeable(folder, `no folder can be created in ${dirname(folder)}`, cause)
    throw cause
  }
}

function isThere(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined
}

function unmakeable(folder: string, reason: string, cause: unknown): CrmError {
  return new CrmError('machine', `cannot create the folder ${folder}: ${reason}`, {
    hint: 'name a place where folders can be created',
    cause,
  })
}

/** The names in a folder; empty for a missing folder. CrmError `machine` without permission to read it. */
export function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    if (isMissing(error, folder)) return []
    throw toMachineError(error, folder)
  }
}

/** HOME, else the home of the account; `/`, as in containers, for a user id without an account. */
export function homeFolder(env: Env): string {
  if (env.HOME) return resolve(env.HOME)
  try {
    // homedir() is the empty HOME of the process, which would be the working folder.
    return resolve(homedir() || userInfo().homedir)
  } catch {
    // Thrown only when getpwuid(3) does not know the id.
    return '/'
  }
}

/** CRM_CONFIG_HOME, else XDG_CONFIG_HOME/crm, else ~/.config/crm. */
export function settingsFolder(env: Env): string {
  return env.CRM_CONFIG_HOME
    ? resolve(env.CRM_CONFIG_HOME)
    : join(baseFolder(env, env.XDG_CONFIG_HOME, '.config'), 'crm')
}

/** CRM_STATE_HOME, else XDG_STATE_HOME/crm, else ~/.local/state/crm: the folder of jobs, logs and typed forms. */
export function stateFolder(env: Env): string {
  return env.CRM_STATE_HOME
    ? resolve(env.CRM_STATE_HOME)
    : join(baseFolder(env, env.XDG_STATE_HOME, '.local/state'), 'crm')
}

/** XDG_DATA_HOME/crm, else ~/.local/share/crm. */
export function dataFolder(env: Env): string {
  return join(baseFolder(env, env.XDG_DATA_HOME, '.local/share'), 'crm')
}

/** An empty variable counts as unset, and the XDG Base Directory Specification ignores relative paths. */
function baseFolder(env: Env, named: string | undefined, inHome: string): string {
  return named && isAbsolute(named) ? named : join(homeFolder(env), inHome)
}
