import type { OutputStream } from '../../core/streams.ts'
import type { ForwardResult, ListenEvent, ReceivedEvent, RejectedRequest } from '../../core/webhook-events.ts'
import type { Styles } from '../../output/color.ts'
import { safeText } from '../../output/safe-text.ts'
import { fitText, textWidth } from '../../output/text-width.ts'
import type { EventPrinter } from './event-printer.ts'
import { shortText, summarise } from './event-summary.ts'

/** Room for what crm serve sends: lines come one at a time, so that widths cannot wait for all of them. */
const WIDTHS = [20, 15, 16] as const
const GAP = '  '

/** In a terminal cut to its width, in a pipe whole. */
export function createTablePrinter(stdout: OutputStream, { bold, dim, red }: Styles): EventPrinter {
  const draw = (cells: readonly string[]): string => {
    const line = cells.map((cell, at) => pad(cell, WIDTHS[at] ?? 0)).join(GAP)
    return stdout.isTTY ? fitText(line.trimEnd(), stdout.columns || 80) : line.trimEnd()
  }
  const drawStyled = (listenEvent: ListenEvent): string => {
    if (listenEvent.type === 'event')
      return listenEvent.isDuplicate ? dim(draw(eventCells(listenEvent))) : draw(eventCells(listenEvent))
    if (listenEvent.type === 'rejected') return red(draw(rejectedCells(listenEvent)))
    if (listenEvent.type === 'simulated') {
      const { atMs, name, status, id } = listenEvent
      return dim(draw([timeText(atMs), shortText(name ?? '-'), '<- simulated', `${status} ${shortText(id ?? '')}`]))
    }
    const line = draw(handOverCells(listenEvent))
    return listenEvent.failure === undefined ? dim(line) : red(line)
  }
  return {
    ready: () => `${bold(draw(['TIME', 'EVENT', 'RECORD', 'SUMMARY']))}\n`,
    line: (listenEvent) => `${drawStyled(listenEvent)}\n`,
  }
}

function eventCells(event: ReceivedEvent): readonly string[] {
  const marks = [event.isDuplicate ? 'duplicate' : '', event.isVerified ? '' : 'UNVERIFIED']
  const summary = [...marks.filter((mark) => mark !== '').map((mark) => `(${mark})`), summarise(event.body)]
  const names = [shortText(event.name ?? '-'), shortText(event.recordId ?? '-')]
  return [timeText(event.receivedAtMs), ...names, summary.join(' ')]
}

function rejectedCells({ receivedAtMs, status, reason, detail, method, path }: RejectedRequest): readonly string[] {
  const request = method === undefined ? '' : ` (${method} ${path})`
  return [timeText(receivedAtMs), 'rejected', String(status), safeText(`${reason}: ${detail}${request}`)]
}

/** What went on stands in the place of the record, so that the eye finds `->` below the event. */
function handOverCells(hand: ForwardResult): readonly string[] {
  const status = hand.type === 'executed' ? `exit ${hand.status ?? '-'}` : String(hand.status ?? 'no answer')
  const retry = hand.retryInMs === undefined ? '' : `, again in ${hand.retryInMs / 1000} s`
  const attempt = hand.attempt > 1 ? ` (try ${hand.attempt})` : ''
  const failure = hand.failure === undefined ? '' : `: ${hand.failure}`
  const response = hand.response ? ` ${shortText(hand.response.trim())}` : ''
  const what = safeText(`${hand.target} ${hand.tookMs} ms${attempt}${failure}${retry}`) + response
  return [timeText(hand.startedAtMs), shortText(hand.name ?? '-'), `-> ${status}`, what]
}

function timeText(timeMs: number): string {
  return `${new Date(timeMs).toISOString().slice(0, 19)}Z`
}

function pad(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - textWidth(text)))
}
