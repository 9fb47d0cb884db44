import { InvalidArgumentError } from 'commander'
import { parseDurationWithUnitMs } from '../../core/duration.ts'

/** `500=2%,reset=1%`: percent by what happens. */
export function parseFaults(text: string): Record<string, number> {
  const shares: Record<string, number> = {}
  for (const part of text.split(',')) {
    const { kind, percent } = /^\s*(?<kind>[\w-]+)=(?<percent>\d+(?:\.\d+)?)%\s*$/.exec(part)?.groups ?? {}
    if (kind === undefined || percent === undefined) {
      throw new InvalidArgumentError('Expected what happens to how many requests, such as 500=2%,reset=1%.')
    }
    shares[kind] = (shares[kind] ?? 0) + Number(percent)
  }
  return shares
}

/** An RFC 3339 time, or a day. */
export function parseClock(text: string): number {
  const timeMs = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/.test(text)
    ? Date.parse(text)
    : Number.NaN
  // Date.parse takes 31 February for 3 March.
  const day = new Date(`${text.slice(0, 10)}T00:00:00Z`)
  const isDay = !Number.isNaN(day.valueOf()) && day.toISOString().startsWith(text.slice(0, 10))
  if (Number.isNaN(timeMs) || !isDay) throw new InvalidArgumentError('Expected a time such as 2026-01-01T00:00:00Z.')
  return timeMs
}

/** A bare 50 would be seconds, and is nearly always meant as milliseconds. */
export function parseLatency(text: string): number {
  const timeMs = parseDurationWithUnitMs(text)
  if (timeMs === undefined) throw new InvalidArgumentError('Expected a time with its unit, such as 50ms or 1s.')
  return timeMs
}
