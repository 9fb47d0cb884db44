import type { OutputStream } from '../../core/streams.ts'
import type { ListenEvent, ReceivedEvent } from '../../core/webhook-events.ts'
import { ERASE_LINE } from '../../output/safe-text.ts'
import { fitText } from '../../output/terminal-text.ts'

const ON_TERMINAL_MS = 1000

/** Without a terminal, at most one line a minute, and only after changes. */
const ELSEWHERE_MS = 60_000

/** Counts of the session. */
export interface Tally {
  count(listenEvent: ListenEvent): void
  /** An event that `--events` or `--where` left out. */
  countHidden(event: ReceivedEvent): void
  /** The text of the status line. */
  status(nowMs: number): string
  /** The text at the end. */
  total(): string
}

export function createTally(): Tally {
  const counts = { events: 0, duplicates: 0, rejected: 0, hidden: 0, forwarded: 0, failed: 0 }
  let lastAtMs: number | undefined
  const parts = (): readonly string[] => [
    `${counts.events} events`,
    ...[
      [counts.duplicates, 'duplicates'] as const,
      [counts.rejected, 'rejected'] as const,
      [counts.hidden, 'not shown'] as const,
      [counts.forwarded, 'forwarded'] as const,
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
        counts[listenEvent.failure === undefined ? 'forwarded' : 'failed']++
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
      const { events, duplicates, rejected, hidden, forwarded: accepted, failed } = counts
      const forwarded = accepted + failed === 0 ? '' : `, forwarded: ${accepted}, failed tries: ${failed}`
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

/** The status line at the bottom of a terminal. */
interface StatusLine {
  /** Text for stdout that first erases the status line if both are one terminal. */
  above(text: string): string
  end(): void
}

interface StatusOptions {
  readonly stderr: OutputStream
  readonly stdout: OutputStream
  text(): string
  /** Without a terminal, a line is written only if this text has changed. */
  news(): string
}

export function startStatusLine({ stderr, stdout, text, news }: StatusOptions): StatusLine {
  let lastNews = news()
  const draw = (): void => void stderr.write(`${ERASE_LINE}${fitText(text(), (stderr.columns || 80) - 1)}`)
  const report = (): void => {
    if (news() !== lastNews) stderr.write(`${text()}\n`)
    lastNews = news()
  }
  const timer = setInterval(stderr.isTTY ? draw : report, stderr.isTTY ? ON_TERMINAL_MS : ELSEWHERE_MS)
  timer.unref()
  return {
    above: (line) => (stderr.isTTY && stdout.isTTY ? ERASE_LINE + line : line),
    end() {
      clearInterval(timer)
      if (stderr.isTTY) stderr.write(ERASE_LINE)
    },
  }
}
