import type { NumberKind } from './number-formats.ts'

const DAY_MS = 86_400_000

export interface DateSystem {
  /** Whether days count from 1904, as in old workbooks of the Macintosh. */
  readonly is1904: boolean
}

/** 9999-12-31. */
const LAST_DAY = { from1900: 2_958_465, from1904: 2_957_003 }

/**
 * A number of days as ISO 8601; undefined for a day that does not exist: before the first, after the year 9999, or
 * 29 February 1900, which Lotus 1-2-3 had, and therefore Excel.
 */
export function dateText(serial: number, kind: NumberKind, { is1904 }: DateSystem): string | undefined {
  if (!(serial >= 0)) return undefined
  const totalMs = Math.round(serial * DAY_MS)
  if (kind === 'duration') return durationText(totalMs)
  const [day, timeMs] = [Math.floor(totalMs / DAY_MS), totalMs % DAY_MS]
  // In the system of 1900, day 0 is the day before the first one: a time alone.
  if (day === 0 && (kind === 'time' || !is1904)) return clockText(timeMs)
  if (day > (is1904 ? LAST_DAY.from1904 : LAST_DAY.from1900) || (!is1904 && day === 60)) return undefined
  const date = new Date(epochMs(day, is1904) + day * DAY_MS).toISOString().slice(0, 10)
  return kind === 'date' && timeMs === 0 ? date : `${date}T${clockText(timeMs)}`
}

function epochMs(day: number, is1904: boolean): number {
  if (is1904) return Date.UTC(1904, 0, 1)
  return day < 60 ? Date.UTC(1899, 11, 31) : Date.UTC(1899, 11, 30)
}

/** `10:30:00`, with milliseconds if there are any. */
function clockText(timeMs: number): string {
  return new Date(timeMs)
    .toISOString()
    .slice(11, 23)
    .replace(/\.000$/, '')
}

function durationText(totalMs: number): string {
  const hours = Math.floor(totalMs / 3_600_000)
  return `${String(hours).padStart(2, '0')}:${clockText(totalMs % 3_600_000).slice(3)}`
}
