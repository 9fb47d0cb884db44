import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Context } from '../../context.ts'
import { CrmError } from '../../core/errors.ts'
import { type OutputStream, writeText } from '../../core/streams.ts'
import type { ForwardResult, ListenEvent, ReceivedEvent, RejectedRequest } from '../../core/webhook-events.ts'
import { safeText } from '../../output/safe-text.ts'
import { createStyles, fitText, type Styles, shouldColor, textWidth } from '../../output/terminal-text.ts'
import { shortForeignText, summarise } from './event-summary.ts'
import { createJsonlPrinter, type EventPrinter } from './jsonl-printer.ts'

/** Fixed widths for the events of crm serve, because lines are printed one at a time. */
const WIDTHS = [20, 15, 15] as const

const GAP = '  '

/** CrmError `usage` for a format other than table and jsonl, because a stream has no end. */
export function choosePrinter({ io, env, flags }: Context, command: string): EventPrinter {
  if (flags.output === 'jsonl') return createJsonlPrinter()
  if (flags.output !== 'table') {
    throw new CrmError('usage', `${command} prints table or jsonl, not ${flags.output}: a stream has no end`, {
      hint: `${command} -o jsonl`,
    })
  }
  return createTablePrinter(
    io.stdout,
    createStyles(shouldColor({ flag: flags.color, env, isTTY: io.stdout.isTTY === true })),
  )
}

/** Lines are truncated to the width of a terminal, and complete in a pipe. */
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
      return dim(
        draw([timeText(atMs), shortForeignText(name ?? '-'), shortForeignText(id ?? '-'), `<- simulated ${status}`]),
      )
    }
    const line = draw(forwardCells(listenEvent))
    return listenEvent.failure === undefined ? dim(line) : red(line)
  }
  return {
    ready: () => `${bold(draw(['TIME', 'EVENT', 'ID', 'SUMMARY']))}\n`,
    line: (listenEvent) => `${drawStyled(listenEvent)}\n`,
  }
}

function eventCells(event: ReceivedEvent): readonly string[] {
  const marks = [event.isDuplicate ? 'duplicate' : '', event.isVerified ? '' : 'UNVERIFIED']
  const record = event.recordId === undefined ? '' : `[${shortForeignText(event.recordId)}]`
  const shown = [...marks.map((mark) => mark && `(${mark})`), summarise(event.body), record]
  const names = [shortForeignText(event.name ?? '-'), shortForeignText(event.id ?? '-')]
  return [timeText(event.receivedAtMs), ...names, shown.filter((text) => text !== '').join(' ')]
}

function rejectedCells({ receivedAtMs, status, reason, detail, method, path }: RejectedRequest): readonly string[] {
  const request = method === undefined ? '' : ` (${method} ${path})`
  return [timeText(receivedAtMs), 'rejected', String(status), safeText(`${reason}: ${detail}${request}`)]
}

/** The result is in the column of the summary, so that `->` is below the event with the same id. */
function forwardCells(result: ForwardResult): readonly string[] {
  const status = result.type === 'executed' ? `exit ${result.status ?? '-'}` : String(result.status ?? 'no answer')
  const retry = result.retryInMs === undefined ? '' : `, again in ${result.retryInMs / 1000} s`
  const attempt = result.attempt > 1 ? ` (try ${result.attempt})` : ''
  const failure = result.failure === undefined ? '' : `: ${result.failure}`
  const response = result.response ? ` ${shortForeignText(result.response.trim())}` : ''
  const what = safeText(`-> ${status} ${result.target} ${result.tookMs} ms${attempt}${failure}${retry}`) + response
  const names = [shortForeignText(result.name ?? '-'), shortForeignText(result.id ?? '-')]
  return [timeText(result.startedAtMs), ...names, what]
}

function timeText(timeMs: number): string {
  return `${new Date(timeMs).toISOString().slice(0, 19)}Z`
}

function pad(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - textWidth(text)))
}

/** Texts that wait for a slow reader are written together. Each call resolves after its text was written. */
export function createPrintQueue(stdout: OutputStream): (text: string) => Promise<void> {
  let waiting: string[] = []
  let next: Promise<void> | undefined
  let last = Promise.resolve()
  const writeWaiting = async (): Promise<void> => {
    const text = waiting.join('')
    waiting = []
    next = undefined
    await writeText(stdout, text)
    // A closed pipe is reported in the same turn, so no unwritten event is acknowledged.
    await nextTurn()
  }
  return (text) => {
    waiting.push(text)
    next ??= last.then(writeWaiting)
    last = next
    return next
  }
}
