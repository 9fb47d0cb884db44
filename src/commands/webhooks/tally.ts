import type { ListenEvent, ReceivedEvent } from '../../core/webhook-events.ts'

/** What has happened so far, in numbers. */
export interface Tally {
  count(listenEvent: ListenEvent): void
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
      [counts.handed, 'forwarded'] as const,
      [counts.failed, 'failed tries'] as const,
    ].flatMap(([count, what]) => (count === 0 ? [] : [`${count} ${what}`])),
  ]
  const countEvent = (event: ReceivedEvent): void => {
    counts.events++
    if (event.isDuplicate) counts.duplicates++
    lastAtMs = event.receivedAtMs
  }
  return {
    count(listenEvent) {
      if (listenEvent.type === 'rejected') counts.rejected++
      if (listenEvent.type === 'forwarded' || listenEvent.type === 'executed') {
        counts[listenEvent.failure === undefined ? 'handed' : 'failed']++
      }
      if (listenEvent.type === 'event') countEvent(listenEvent)
    },
    countHidden(event) {
      countEvent(event)
      counts.hidden++
    },
    status: (nowMs) =>
      [lastAtMs === undefined ? 'no event yet' : `last event ${ageText(nowMs - lastAtMs)} ago`, ...parts()].join(' · '),
    total() {
      const { events, duplicates, rejected, hidden, handed, failed } = counts
      const forwarded = handed + failed === 0 ? '' : `, forwarded: ${handed}, failed tries: ${failed}`
      const filtered = hidden === 0 ? '' : `, not shown because of --events or --where: ${hidden}`
      return `Events: ${events}, duplicates: ${duplicates}, rejected: ${rejected}${forwarded}${filtered}.`
    },
  }
}

function ageText(ageMs: number): string {
  const seconds = Math.max(0, Math.round(ageMs / 1000))
  if (seconds < 60) return `${seconds} s`
  return seconds < 3600 ? `${Math.floor(seconds / 60)} min` : `${Math.floor(seconds / 3600)} h`
}
