import type { Occurrence, ReceivedEvent } from '../../core/arrivals.ts'

/** What has happened so far, in numbers. */
export interface Tally {
  count(occurrence: Occurrence): void
  /** An event that `--events` or `--where` left out. */
  countHidden(event: ReceivedEvent): void
  /** For the line that stays on a terminal. */
  status(nowMs: number): string
  /** For the end. */
  total(): string
}

export function createTally(): Tally {
  const counts = { events: 0, duplicates: 0, rejected: 0, hidden: 0, handed: 0, failed: 0 }
  let lastAtMs: number | undefined
  const parts = (): readonly string[] => [
    `${counts.events} events`,
    ...[
      [counts.duplicates, 'duplicates'] as const,
      [counts.rejected, 'rejected'] as const,
      [counts.hidden, 'not shown'] as const,
      [counts.handed, 'handed on'] as const,
      [counts.failed, 'failed tries'] as const,
    ].flatMap(([count, what]) => (count === 0 ? [] : [`${count} ${what}`])),
  ]
  const countEvent = (event: ReceivedEvent): void => {
    counts.events++
    if (event.isDuplicate) counts.duplicates++
    lastAtMs = event.receivedAtMs
  }
  return {
    count(occurrence) {
      if (occurrence.type === 'rejected') counts.rejected++
      if (occurrence.type === 'forwarded' || occurrence.type === 'executed') {
        counts[occurrence.failure === undefined ? 'handed' : 'failed']++
      }
      if (occurrence.type === 'event') countEvent(occurrence)
    },
    countHidden(event) {
      countEvent(event)
      counts.hidden++
    },
    status: (nowMs) =>
      [lastAtMs === undefined ? 'no event yet' : `last event ${ageText(nowMs - lastAtMs)} ago`, ...parts()].join(' · '),
    total() {
      const { events, duplicates, rejected, hidden, handed, failed } = counts
      const onward = handed + failed === 0 ? '' : `, handed on: ${handed}, failed tries: ${failed}`
      const filtered = hidden === 0 ? '' : `, not shown because of --events or --where: ${hidden}`
      return `Events: ${events}, duplicates: ${duplicates}, rejected: ${rejected}${onward}${filtered}.`
    },
  }
}

function ageText(ageMs: number): string {
  const seconds = Math.max(0, Math.round(ageMs / 1000))
  if (seconds < 60) return `${seconds} s`
  return seconds < 3600 ? `${Math.floor(seconds / 60)} min` : `${Math.floor(seconds / 3600)} h`
}
