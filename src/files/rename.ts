import { renameSync } from 'node:fs'
import { rename } from 'node:fs/promises'
import { platform } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import { errorCode } from './machine-error.ts'

/** Windows refuses to rename, or to rename over, a file that a virus scanner or another program has open, most often for a moment. */
const IN_USE: ReadonlySet<string | undefined> = new Set(['EPERM', 'EACCES', 'EBUSY'])

const WAITS_MS = [10, 20, 50, 100, 200, 400] as const

/** Renames a file or folder, over one of the new name. */
export async function renamePath(from: string, to: string): Promise<void> {
  await untilFree(() => rename(from, to))
}

/** Tries again under Windows, for most of a second. */
export async function untilFree(work: () => Promise<void>, system: NodeJS.Platform = platform()): Promise<void> {
  for (const waitMs of system === 'win32' ? WAITS_MS : []) {
    try {
      await work()
      return
    } catch (error) {
      if (!IN_USE.has(errorCode(error))) throw error
      await delay(waitMs)
    }
  }
  await work()
}

/** As renamePath, for a signal that ends the process. */
export function renamePathNow(from: string, to: string): void {
  for (const waitMs of platform() === 'win32' ? WAITS_MS : []) {
    try {
      renameSync(from, to)
      return
    } catch (error) {
      if (!IN_USE.has(errorCode(error))) throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, waitMs)
    }
  }
  renameSync(from, to)
}
