import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { CrmError } from '../core/errors.ts'
import type { Env } from '../core/streams.ts'
import { settingsFolder } from '../files/folders.ts'
import { readOwnFile } from '../files/private-file.ts'
import { openDocument } from './document.ts'

/**
 * Whether the notice of this host has not been shown today (UTC). Days are stored in `notices.json` of the settings
 * folder. Without a settings folder nothing is stored, and every process shows the notice.
 */
export async function isFirstToday(env: Env, host: string, nowMs: number): Promise<boolean> {
  const file = openDocument(join(settingsFolder(env), 'notices.json'), readOwnFile)
  const today = new Date(nowMs).toISOString().slice(0, 10)
  try {
    if (Object.entries(await file.read()).some(([name, day]) => name === host && day === today)) return false
    if (existsSync(dirname(file.path))) {
      await file.update((days) => ({
        ...Object.fromEntries(Object.entries(days).filter(([, day]) => day === today)),
        [host]: today,
      }))
    }
  } catch (error) {
    // A repeated notice is better than a failing command.
    if (!(error instanceof CrmError)) throw error
  }
  return true
}
