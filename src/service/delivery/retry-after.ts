/** As long as the longest step of the schedule: whatever an endpoint says, it is tried again after a day. */
const LONGEST_MS = 24 * 60 * 60 * 1000

/** Seconds or an HTTP date, as a time from now of a day at most; undefined when it is neither. */
export function parseRetryAfterMs(text: string, nowMs: number): number | undefined {
  const trimmed = text.trim()
  const waitMs = /^\d+$/.test(trimmed) ? Number(trimmed) * 1000 : Date.parse(trimmed) - nowMs
  return Number.isNaN(waitMs) ? undefined : Math.min(LONGEST_MS, Math.max(0, waitMs))
}
