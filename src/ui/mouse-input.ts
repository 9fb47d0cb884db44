/** A report of SGR mouse mode (xterm, DECSET 1006); columns and rows count from 0. */
export interface MouseReport {
  readonly button: 'left' | 'wheel-up' | 'wheel-down' | 'other'
  readonly x: number
  readonly y: number
  readonly isPress: boolean
}

const ESC = '\x1b'

/** Buttons and wheel, not motion; coordinates beyond 223 need the second mode. */
export const MOUSE_ON = `${ESC}[?1000h${ESC}[?1006h`
export const MOUSE_OFF = `${ESC}[?1006l${ESC}[?1000l`

const REPORT = new RegExp(`${ESC}\\[<(\\d+);(\\d+);(\\d+)([Mm])`, 'g')
/** The beginning of a report; ESC alone is a key. */
const BEGINNING = new RegExp(`${ESC}\\[(?:<[\\d;]*)?$`)

/**
 * Takes the reports out of what the screens read: Ink drops them. Returns a function that stops. Input without a report is passed on
 * unchanged, and a report that is cut is held until the rest arrives.
 */
export function watchMouse(stdin: NodeJS.ReadStream, onReport: (report: MouseReport) => void): () => void {
  const read = stdin.read
  let held = ''
  function readWithout(size?: number): unknown {
    const chunk: unknown = read.call(stdin, size)
    if (typeof chunk !== 'string') return chunk
    const text = held + chunk
    for (const [, code, x, y, end] of text.matchAll(REPORT)) {
      onReport(reportOf(Number(code), { x: Number(x) - 1, y: Number(y) - 1, isPress: end === 'M' }))
    }
    const rest = text.replace(REPORT, '')
    held = BEGINNING.exec(rest)?.[0] ?? ''
    // With null, the reader would wait for an event that does not come while it has not read to the end.
    return rest.slice(0, rest.length - held.length) || readWithout(size)
  }
  stdin.read = readWithout
  return () => {
    if (stdin.read === readWithout) stdin.read = read
  }
}

const SHIFT_META_CTRL = 4 + 8 + 16

function reportOf(code: number, at: Omit<MouseReport, 'button'>): MouseReport {
  const button = code & ~SHIFT_META_CTRL
  const names: Readonly<Record<number, MouseReport['button']>> = { 0: 'left', 64: 'wheel-up', 65: 'wheel-down' }
  return { button: names[button] ?? 'other', ...at }
}
