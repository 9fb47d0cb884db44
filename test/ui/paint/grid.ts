import { textWidth } from '../../../src/output/terminal-text.ts'

const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' })

const CODE = /[34]8;5;\d+|\d+/g

const ENDED: Readonly<Record<string, readonly string[]>> = {
  0: ['1', '2', '7', 'foreground', 'background'],
  22: ['1', '2'],
  27: ['7'],
  39: ['foreground'],
  49: ['background'],
}

function slotOf(code: string): string {
  if (/^[127]$/.test(code)) return code
  return /^(?:4|10)/.test(code) ? 'background' : 'foreground'
}

const ESC = '\x1b'
const PIECES = new RegExp(`${ESC}\\[([?\\d;]*)([A-Za-z])|\\r\\n|[^${ESC}\\r]+`, 'gu')

/** What a terminal shows: each cell with the codes that were set when it was written. */
export interface Grid {
  write(text: string): void
  rows(): readonly string[]
  cursor(): { readonly x: number; readonly y: number }
}

/** The sequences of ECMA-48 that the painter uses. Any other, and text in the last column that wraps, is an error. */
export function createGrid(columns: number, height: number): Grid {
  const cells = Array.from({ length: height }, () => Array<string>(columns).fill(' '))
  let [x, y] = [0, 0]
  const codes = new Map<string, string>()
  const put = (char: string) => {
    const row = cells[y] ?? []
    if (textWidth(char) === 0) row[x - 1] += char
    else {
      if (x + textWidth(char) > columns) throw new Error(`${char} is written behind the last column of row ${y}`)
      row[x] = `${[...codes.values()].toSorted().join(';')}${codes.size > 0 ? '|' : ''}${char}`
      if (textWidth(char) === 2) row[x + 1] = ''
      x += textWidth(char)
    }
  }
  const setStyle = (parameters: string) => {
    for (const [code] of `${parameters.startsWith(';') ? 0 : ''}${parameters || 0}`.matchAll(CODE)) {
      const ended = ENDED[code]
      if (ended) for (const slot of ended) codes.delete(slot)
      else codes.set(slotOf(code), code)
    }
  }
  const control = (end: string, parameters: string) => {
    const [first = 0, second = 0] = parameters.split(';').map(Number)
    if (end === 'H') [y, x] = [Math.max(1, first) - 1, Math.max(1, second) - 1]
    else if (end === 'C') x += Math.max(1, first)
    else if (end === 'K') cells[y]?.fill(' ', x)
    else if (end === 'J' && first === 2) for (const row of cells) row.fill(' ')
    else if (end === 'm') setStyle(parameters)
    else throw new Error(`ESC [ ${parameters} ${end} is not known`)
  }
  return {
    write: (text) => {
      for (const [all, parameters = '', end] of text.matchAll(PIECES)) {
        if (all === '\r\n') [y, x] = [y + 1, 0]
        else if (end === undefined) for (const { segment } of segmenter.segment(all)) put(segment)
        else if (!parameters.startsWith('?')) control(end, parameters)
      }
    },
    rows: () => cells.map((row) => row.join('')),
    cursor: () => ({ x, y }),
  }
}
