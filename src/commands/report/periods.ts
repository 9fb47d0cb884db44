export const PERIODS = ['day', 'week', 'month'] as const

export type Period = (typeof PERIODS)[number]

/** The first day of the period that a time is in, in UTC: 2026-11-23. Weeks begin on Monday (ISO 8601). */
export function periodStart(timeMs: number, period: Period): string {
  const day = new Date(timeMs)
  if (period === 'month') day.setUTCDate(1)
  if (period === 'week') day.setUTCDate(day.getUTCDate() - ((day.getUTCDay() + 6) % 7))
  return day.toISOString().slice(0, 10)
}

/** The starts of all periods from one time to another. */
export function periodsBetween(fromMs: number, toMs: number, period: Period): readonly string[] {
  const last = periodStart(toMs, period)
  const starts = [periodStart(fromMs, period)]
  for (let start = starts[0] ?? last; start < last; ) {
    start = following(start, period)
    starts.push(start)
  }
  return starts
}

function following(start: string, period: Period): string {
  const day = new Date(`${start}T00:00:00Z`)
  if (period === 'month') day.setUTCMonth(day.getUTCMonth() + 1)
  else day.setUTCDate(day.getUTCDate() + (period === 'week' ? 7 : 1))
  return day.toISOString().slice(0, 10)
}
