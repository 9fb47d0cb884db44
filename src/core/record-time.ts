import type { JsonValue } from './json.ts'
import type { CrmRecord } from './resources/registry.ts'

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

/** Whether `2026-02-28` is in the calendar: Date.parse takes 30 February for 2 March. */
export function isDay(day: string): boolean {
  const timeMs = Date.parse(`${day}T00:00:00Z`)
  return !Number.isNaN(timeMs) && new Date(timeMs).toISOString().slice(0, 10) === day
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

/**
 * Whether the record was created at that time or later. Undefined if the record does not state it: it shows no time, a day, or a
 * time without a zone, of which it is unknown how far it is from UTC.
 */
export function isMadeSince(record: CrmRecord, sinceMs: number): boolean | undefined {
  const made = recordTime(record.created_at)
  if (made === undefined) return undefined
  if (made.earliestMs >= sinceMs - SKEW_MS) return true
  return made.latestMs < sinceMs - SKEW_MS ? false : undefined
}

/** A clause for messages about records of which isMadeSince is undefined. */
export const MADE_UNKNOWN = 'the server does not state when it was created, to the second and with a zone'

/** The clocks of the machines behind one server can differ by this much. */
const SKEW_MS = 5000

/** Clocks and zones that are set wrong may be off by as much as this. */
const UNSURE_MS = 26 * 60 * 60 * 1000

/** Servers write the year 1, 1900 or 1970 for no time. */
const EARLIEST_MS = Date.UTC(1990)

/** No create takes longer between the two times that it writes. */
const MOST_CREATING_MS = 60_000

/** Whether a record shows that it existed before: it was created then, or, if it does not say when, changed last. */
export function isOlder(record: CrmRecord, thanMs: number): boolean {
  const oldest = timeOf(record.created_at) ?? timeOf(record.updated_at)
  return oldest !== undefined && oldest.latestMs + UNSURE_MS < thanMs
}

/** Whether a record, in the answer to its create, was there before: it is older than the request, or was changed long after it was created. */
export function wasThereBefore(record: CrmRecord, sinceMs: number): boolean {
  const [created, changed] = [timeOf(record.created_at), timeOf(record.updated_at)]
  return (
    isOlder(record, sinceMs) || (!!created && !!changed && changed.earliestMs - created.latestMs > MOST_CREATING_MS)
  )
}

function timeOf(value: JsonValue | undefined) {
  const time = recordTime(value)
  return time && time.timeMs >= EARLIEST_MS ? time : undefined
}
