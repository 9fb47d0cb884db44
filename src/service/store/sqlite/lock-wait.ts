import { setTimeout } from 'node:timers/promises'
import { isLockedOut } from './storage-failure.ts'

/** How long a statement keeps this thread waiting for another process: about as long as one commit of that takes. */
export const BUSY_TIMEOUT_MS = 10

/** How long work waits in all for another process that keeps the database locked. */
export const LOCK_WAIT_MS = 5000

/** Between two attempts, in which everything else on this thread has its turn. */
export const RETRY_MS = 25

/** Does the work now; while another process keeps the database locked, again and again until that lets go. */
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
