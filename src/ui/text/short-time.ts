import type { JsonValue } from '../../core/json.ts'
import { cellText } from '../../output/safe-text.ts'

const DAY_MS = 86_400_000
const MOST_DAYS = 999

/** `07:18:23` today and `2 d` older, in the zone of this machine; a later day, or what is no time, is unchanged. */
export function shortTime(value: JsonValue | undefined, nowMs: number): string {
  const whole = cellText(value)
  const ms = typeof value === 'string' && /^\d{4}-\d\d-\d\dT/.test(value) ? Date.parse(value) : Number.NaN
  if (Number.isNaN(ms)) return whole
  const days = Math.round((startOfDay(nowMs) - startOfDay(ms)) / DAY_MS)
  if (days === 0) return new Date(ms).toTimeString().slice(0, 8)
  return days > 0 && days <= MOST_DAYS ? `${days} d` : whole.slice(0, 10)
}

/** In the zone of this machine. */
export function startOfDay(ms: number): number {
  return new Date(ms).setHours(0, 0, 0, 0)
}
