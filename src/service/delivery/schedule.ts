const S = 1000
const MIN = 60 * S
const H = 60 * MIN

/** Before the first try, and after each failure before the next: the example of Standard Webhooks 1.0, over three days. */
const DELAYS_MS: readonly number[] = [0, 5 * S, 5 * MIN, 30 * MIN, 2 * H, 5 * H, 10 * H, 14 * H, 20 * H, 24 * H]

/** So that what failed together is not tried again together. */
const JITTER = 0.1

/** How long to wait for the next try after so many have failed; undefined when there is none. */
export type Schedule = (failedTries: number) => number | undefined

export function standardSchedule(random: () => number = Math.random): Schedule {
  return (failedTries) => {
    const delayMs = DELAYS_MS[failedTries]
    return delayMs === undefined ? undefined : Math.round(delayMs * (1 + JITTER * (2 * random() - 1)))
  }
}

export function fixedSchedule(delaysMs: readonly number[]): Schedule {
  return (failedTries) => delaysMs[failedTries]
}
