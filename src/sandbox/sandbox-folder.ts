import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { hostname } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { CrmError } from '../core/errors.ts'
import { shellWord } from '../core/shell-words.ts'
import { isRunning, ownPid, type ProcessOwner } from '../files/processes.ts'

/** The name contains host and pid, as containers may share folders but not process ids. */
const NAME = /^crm-sandbox-(?<host>[0-9a-zA-Z_.]+)-(?<pid>\d+)-/

/** Creates a sandbox folder of mode 0700 in `parent`. CrmError `machine` when it cannot be created. */
export function makeSandboxFolder(parent: string): string {
  try {
    const folder = mkdtempSync(join(parent, `crm-sandbox-${ownHost()}-${ownPid()}-`))
    // A umask can remove permissions of the owner.
    chmodSync(folder, 0o700)
    return folder
  } catch (cause) {
    const { code = '' } = cause as NodeJS.ErrnoException
    const why = WHY_NOT[code] ?? (cause as Error).message
    throw new CrmError('machine', `cannot create the folder of the sandbox in ${parent}: ${why}`, {
      hint: `set TMPDIR to a folder of your own; to see the present one: ls -ld ${shellWord(parent)}`,
      cause,
    })
  }
}

const WHY_NOT: Readonly<Record<string, string>> = {
  ENOENT: 'it does not exist, or folders cannot be created in it',
  ENOTDIR: 'it is not a folder',
  EACCES: 'permission denied',
  EROFS: 'its file system is read-only',
  ENOSPC: 'no space left on the disk',
}

export function removeSandboxFolder(folder: string): void {
  // Windows keeps the files of a process for a moment after its end.
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
}

/** Removes the folders of sandboxes whose process was killed. */
export function sweepSandboxFolders(parent: string): void {
  for (const name of namesIn(parent)) {
    const pid = ownerOfFolder(name)
    if (pid !== undefined && !isRunning(pid)) removeIfOwn(join(parent, name))
  }
}

/** Removes the folder of a sandbox whose process has ended; `inside` is a path in it. Any other folder stays. */
export function removeFolderOf({ pid }: Pick<ProcessOwner, 'pid'>, inside: string | undefined): void {
  if (inside === undefined) return
  const folder = dirname(inside)
  if (ownerOfFolder(folder) === pid) removeIfOwn(folder)
}

/** The process that has made the folder of a sandbox on this host; undefined for another folder. */
export function ownerOfFolder(folder: string): number | undefined {
  const { host, pid } = NAME.exec(basename(folder))?.groups ?? {}
  return host === ownHost() ? Number(pid) : undefined
}

function namesIn(parent: string): string[] {
  try {
    return readdirSync(parent)
  } catch (error) {
    // A folder may be writable for all users and readable for its owner alone.
    if (isForbidden(error)) return []
    throw error
  }
}

function removeIfOwn(folder: string): void {
  try {
    removeSandboxFolder(folder)
  } catch (error) {
    // It belongs to another user, whose next sandbox removes it.
    if (!isForbidden(error)) throw error
  }
}

function isForbidden(error: unknown): boolean {
  return ['EACCES', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')
}

function ownHost(): string {
  return hostname().replaceAll(/[^0-9a-zA-Z_.]/g, '_')
}
