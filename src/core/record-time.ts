import type { JsonValue } from './json.ts'

/** When something happened, as far as a text states it: a day, or a time without a zone, leaves it open. */
export interface RecordTime {
  /** A time without a zone is taken for UTC, a day for its beginning. */
  readonly timeMs: number
  /** The earliest and the latest moment that the text can mean. */
  readonly earliestMs: number
  readonly latestMs: number
}

const TIME = /^(\d{4}-\d\d-\d\d)(?:[Tt ](\d\d:\d\d)(:\d\d)?(\.\d+)? ?([Zz]|[+-]\d\d(?::?\d\d)?)?)?$/
/** RFC 9110, section 5.6.7. */
const MAIL_TIME = /^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/

const HOUR_MS = 60 * 60 * 1000
/** The zones of the world: UTC+14 shows a moment 14 hours ahead, UTC-12 12 hours behind. */
const AHEAD_MS = 14 * HOUR_MS
const BEHIND_MS = 12 * HOUR_MS

/** Undefined for anything but a time of RFC 3339, with or without seconds and zone, a day (ISO 8601), or a time of RFC 9110. */
export function recordTime(value: JsonValue | undefined): RecordTime | undefined {
  const text = typeof value === 'string' ? value.trim() : ''
  const [, day, minutes, seconds, fraction = '', zone] = TIME.exec(text) ?? []
  if (day === undefined) {
    const timeMs = MAIL_TIME.test(text) ? Date.parse(text) : Number.NaN
    return Number.isNaN(timeMs) ? undefined : { timeMs, earliestMs: timeMs, latestMs: timeMs + 999 }
  }
  const clock = `${minutes ?? '00:00'}${seconds ?? ':00'}${seconds === undefined ? '' : fraction}`
  const timeMs = Date.parse(`${day}T${clock}${zoneText(zone)}`)
  if (Number.isNaN(timeMs) || !isDay(day)) return undefined
  const lastMs = timeMs + spanMs({ minutes, seconds, fraction })
  return zone === undefined
    ? { timeMs, earliestMs: timeMs - AHEAD_MS, latestMs: lastMs + BEHIND_MS }
    : { timeMs, earliestMs: timeMs, latestMs: lastMs }
}

/** The moment, a time without a zone taken for UTC; NaN for anything that recordTime does not read. */
export function recordTimeMs(value: JsonValue | undefined): number {
  return recordTime(value)?.timeMs ?? Number.NaN
}

/** Date.parse takes 30 February for 2 March. */
function isDay(day: string): boolean {
  return new Date(Date.parse(`${day}T00:00:00Z`)).toISOString().startsWith(day)
}

function zoneText(zone = 'Z'): string {
  return /^[+-]\d\d$/.test(zone) ? `${zone}:00` : zone.toUpperCase()
}

interface Parts {
  readonly minutes: string | undefined
  readonly seconds: string | undefined
  readonly fraction: string
}

/** How long the text stays the same. */
function spanMs({ minutes, seconds, fraction }: Parts): number {
  if (minutes === undefined) return 24 * HOUR_MS - 1
  if (seconds === undefined) return 59_999
  return fraction === '' ? 999 : 0
}
