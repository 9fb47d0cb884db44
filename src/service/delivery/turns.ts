import { CrmError } from '../../core/errors.ts'

/** Finds writes of other processes, and repeats after a locked or full database. */
const POLL_MS = 1000

export interface Turns {
  /** Requests a turn; repeated calls before it make one turn. */
  wake(): void
  /** Stops after the current turn. */
  end(): Promise<void>
}

/**
 * Runs turns sequentially: when woken, after the delay returned by the last turn, and once a second. A turn that fails with a
 * CrmError is repeated; any other error is a bug and is passed to `onBug`.
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
