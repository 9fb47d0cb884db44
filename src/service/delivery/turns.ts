import { CrmError } from '../../core/errors.ts'

/** For what other processes wrote, and for a database that was locked or full. */
const POLL_MS = 1000

export interface Turns {
  /** A turn soon, however often this is called until then. */
  wake(): void
  /** Resolves when the turn under way is over; there is none after it. */
  end(): Promise<void>
}

/**
 * Takes turns one after the other: when woken, after the time the last one named, and once a second. A turn that fails
 * for the machine's reasons is followed by another; anything else is a bug and ends in `onBug`.
 */
export function takeTurns(turn: () => Promise<number | undefined>, onBug: (error: unknown) => void): Turns {
  let timer: NodeJS.Timeout | undefined
  let scheduled: NodeJS.Immediate | undefined
  let running: Promise<void> | undefined
  let isWokenAgain = false
  let hasEnded = false

  const run = async (): Promise<void> => {
    let waitMs = POLL_MS
    try {
      waitMs = Math.min(POLL_MS, (await turn()) ?? POLL_MS)
    } catch (error) {
      if (!(error instanceof CrmError)) return onBug(error)
    }
    if (!hasEnded) timer = setTimeout(wake, waitMs)
  }
  const wake = (): void => {
    if (running) isWokenAgain = true
    if (hasEnded || running || scheduled) return
    scheduled = setImmediate(() => {
      scheduled = undefined
      clearTimeout(timer)
      isWokenAgain = false
      running = run().finally(() => {
        running = undefined
        if (isWokenAgain) wake()
      })
    })
  }
  wake()
  return {
    wake,
    end: async () => {
      hasEnded = true
      clearTimeout(timer)
      clearImmediate(scheduled)
      await running
    },
  }
}
