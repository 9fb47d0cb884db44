import { setTimeout } from 'node:timers/promises'
import { isLockedOut } from './storage-failure.ts'

/** How long a statement blocks this thread for another process: about one commit. */
export const BUSY_TIMEOUT_MS = 10

/** How long an operation waits in total for a database locked by another process. */
export const LOCK_WAIT_MS = 5000

/** Between two attempts, while the thread is free. */
export const RETRY_MS = 25

/** Runs `work`, and repeats it while another process locks the database. */
export async function whenUnlocked<T>(work: () => T, waitMs: number = LOCK_WAIT_MS): Promise<T> {
  let giveUpMs: number | undefined
  for (;;) {
    try {
      return work()
    } catch (error) {
      giveUpMs ??= performance.now() + waitMs
      if (!isLockedOut(error) || performance.now() >= giveUpMs) throw error
    }
    await setTimeout(RETRY_MS)
  }
}
