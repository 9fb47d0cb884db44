import { InvalidArgumentError } from 'commander'
import { durationText, MAX_DURATION_MS, parseDurationWithUnitMs } from '../core/duration.ts'
import { recordTimeMs } from '../core/record-time.ts'

/** A time span such as `90d`, in milliseconds. */
export function parseSpan(text: string): number {
  const spanMs = parseDurationWithUnitMs(text)
  if (spanMs === undefined) throw new InvalidArgumentError('Expected a time span such as 90d or 12h.')
  if (spanMs > MAX_DURATION_MS) throw new InvalidArgumentError(`Expected ${durationText(MAX_DURATION_MS)} at most.`)
  return spanMs
}

const RFC3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)$/

/** A time span before now, or a time of RFC 3339; checked, and returned as typed. */
export function parseMoment(text: string): string {
  if (RFC3339.test(text) && !Number.isNaN(Date.parse(text))) return text
  if (parseDurationWithUnitMs(text) === undefined)
    throw new InvalidArgumentError('Expected a time span such as 1d or 2h, or a time such as 2026-11-20T09:00:00Z.')
  parseSpan(text)
  return text
}

/** Of a text that parseMoment accepts. */
export function momentMs(text: string, nowMs: number): number {
  const spanMs = parseDurationWithUnitMs(text)
  return spanMs === undefined ? Date.parse(text) : nowMs - spanMs
}

const CLOCK = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d))?$/

/** An RFC 3339 time, or a day. */
export function parseClock(text: string): number {
  const timeMs = CLOCK.test(text) ? recordTimeMs(text) : Number.NaN
  if (Number.isNaN(timeMs)) throw new InvalidArgumentError('Expected a time such as 2026-01-01T00:00:00Z.')
  return timeMs
}
