import type { Arrival } from '../../core/arrivals.ts'
import type { OutputStream } from '../../core/streams.ts'
import type { Styles } from '../../output/color.ts'
import { safeText } from '../../output/safe-text.ts'
import { fitText, textWidth } from '../../output/text-width.ts'
import type { ArrivalPrinter } from './arrival-printer.ts'
import { shortText, summarise } from './event-summary.ts'

/** Room for what crm serve sends: lines come one at a time, so that widths cannot wait for all of them. */
const WIDTHS = [20, 15, 16] as const
const GAP = '  '

/** In a terminal cut to its width, in a pipe whole. */
export function createTableArrivals(stdout: OutputStream, { bold, dim, red }: Styles): ArrivalPrinter {
  const draw = (cells: readonly string[]): string => {
    const line = cells.map((cell, at) => pad(cell, WIDTHS[at] ?? 0)).join(GAP)
    return stdout.isTTY ? fitText(line.trimEnd(), stdout.columns || 80) : line.trimEnd()
  }
  return {
    ready: () => `${bold(draw(['TIME', 'EVENT', 'RECORD', 'SUMMARY']))}\n`,
    line: (arrival) => {
      const time = `${new Date(arrival.receivedAtMs).toISOString().slice(0, 19)}Z`
      if (arrival.type === 'rejected') {
        return `${red(draw([time, 'rejected', String(arrival.status), rejectedText(arrival)]))}\n`
      }
      const marks = [arrival.isDuplicate ? 'duplicate' : '', arrival.isVerified ? '' : 'UNVERIFIED']
      const summary = [...marks.filter((mark) => mark !== '').map((mark) => `(${mark})`), summarise(arrival.body)]
      const cells = [time, shortText(arrival.name ?? '-'), shortText(arrival.recordId ?? '-'), summary.join(' ')]
      return `${arrival.isDuplicate ? dim(draw(cells)) : draw(cells)}\n`
    },
  }
}

function rejectedText({ reason, detail, method, path }: Extract<Arrival, { type: 'rejected' }>): string {
  const request = method === undefined ? '' : ` (${method} ${path})`
  return safeText(`${reason}: ${detail}${request}`)
}

function pad(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - textWidth(text)))
}
