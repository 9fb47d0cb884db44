import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'

/** Host and process stand in the name: containers share folders and not process numbers. */
const NAME = /^crm-sandbox-(?<host>[0-9a-zA-Z_.]+)-(?<pid>\d+)-/

/** A folder of a sandbox's own with mode 0700, below `parent`. */
export function makeSandboxFolder(parent: string): string {
  return mkdtempSync(join(parent, `crm-sandbox-${ownHost()}-${process.pid}-`))
}

export function removeSandboxFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true })
}

/** Removes what sandboxes left behind whose process was killed. */
export function sweepSandboxFolders(parent: string): void {
  for (const name of readdirSync(parent)) {
    const { host, pid } = NAME.exec(name)?.groups ?? {}
    if (host === ownHost() && !isRunning(Number(pid))) removeIfOwn(join(parent, name))
  }
}

function removeIfOwn(folder: string): void {
  try {
    removeSandboxFolder(folder)
  } catch (error) {
    // Another user's, whose next sandbox removes it.
    if (!['EACCES', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
  }
}

function ownHost(): string {
  return hostname().replaceAll(/[^0-9a-zA-Z_.]/g, '_')
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // EPERM: it runs, as another user.
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}
