const S = 1000
const MIN = 60 * S
const H = 60 * MIN

/** Delay before the first attempt and after each failure: the example of Standard Webhooks 1.0, over three days. */
const DELAYS_MS: readonly number[] = [0, 5 * S, 5 * MIN, 30 * MIN, 2 * H, 5 * H, 10 * H, 14 * H, 20 * H, 24 * H]

/** Spreads retries of deliveries that failed together. */
const JITTER = 0.1

/** The delay before the next attempt after so many failures; undefined when there is none. */
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
