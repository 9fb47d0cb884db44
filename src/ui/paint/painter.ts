import { clusterColumns, hasClusters } from '../../output/terminal-text.ts'
import { isSameStyle, NO_STYLE, type Style, styleAfter, styleChange } from './style.ts'

const SGR = new RegExp(`${'\x1b'}\\[([\\d;]*)m`, 'g')

export interface Painted {
  /** One for each row, none wider than the screen. */
  readonly lines: readonly string[]
  readonly cursor: { readonly x: number; readonly y: number } | undefined
}

/** Turns frames into what a terminal is sent. */
export interface Painter {
  /** Only the cells that changed since the last frame; empty if none did. */
  paint(frame: Painted, columns: number): string
  /** The next frame is painted whole, from an empty screen. */
  forget(): void
}

/** Synchronized output (DEC 2026): the terminal shows the frame at once. */
const FRAME_BEGIN = '\x1b[?2026h'
const FRAME_END = '\x1b[?2026l'

/** Unchanged cells are skipped unless a skip is longer than they are. */
const LEAST_SKIP = 5

interface Shown {
  readonly lines: readonly string[]
  readonly cells: readonly Cells[]
  readonly cursor: Painted['cursor']
}

export function createPainter(): Painter {
  let shown: Shown | undefined
  return {
    paint: (frame, columns) => {
      const pen = createPen(columns)
      if (!shown) pen.clear()
      const blank = blankCells(columns)
      const before = shown
      const cells = frame.lines.map((line, row) => {
        const was = before?.cells[row]
        if (was && before?.lines[row] === line) return was
        const next = lineCells(line, columns)
        paintLine(pen, row, was ?? blank, next)
        return next
      })
      const isSameCursor = before?.cursor?.x === frame.cursor?.x && before?.cursor?.y === frame.cursor?.y
      const drawn = pen.text()
      shown = { lines: frame.lines, cells, cursor: frame.cursor }
      if (drawn === '' && isSameCursor) return ''
      return FRAME_BEGIN + drawn + cursorText(frame.cursor) + FRAME_END
    },
    forget: () => {
      shown = undefined
    },
  }
}

/** A cursor that is drawn over would flicker, so it is hidden where no text is typed. */
function cursorText(cursor: Painted['cursor']): string {
  return cursor ? `\x1b[${cursor.y + 1};${cursor.x + 1}H\x1b[?25h` : '\x1b[?25l'
}

function paintLine(pen: Pen, row: number, was: Cells, next: Cells): void {
  if (!was.isCertain || !next.isCertain) {
    // The terminal may have put what follows a cluster elsewhere.
    pen.move(row, 0)
    pen.eraseRest()
    for (let column = 0; column < next.end; column++) pen.put(next, column)
    return void pen.lose()
  }
  let skipped = 0
  for (let column = 0; column < next.glyphs.length; column++) {
    if (isSameCell(was, next, column)) {
      skipped++
      continue
    }
    if (column >= next.end) {
      pen.move(row, column)
      return void pen.eraseRest()
    }
    if (skipped < LEAST_SKIP && pen.isAt(row, column - skipped)) {
      for (let each = column - skipped; each < column; each++) pen.put(next, each)
    }
    pen.move(row, column)
    column = putWhole(pen, next, column)
    skipped = 0
  }
}

/** Also the second column of a wide character, which the terminal has passed; returns the last one. */
function putWhole(pen: Pen, cells: Cells, column: number): number {
  pen.put(cells, column)
  return cells.glyphs[column + 1] === '' ? putWhole(pen, cells, column + 1) : column
}

function isSameCell(one: Cells, other: Cells, column: number): boolean {
  return one.glyphs[column] === other.glyphs[column] && isSameStyle(styleAt(one, column), styleAt(other, column))
}

function styleAt({ styles }: Cells, column: number): Style {
  return styles[column] ?? NO_STYLE
}

/** Writes at a place of the screen, and knows where the terminal will write next. */
interface Pen {
  clear(): void
  move(row: number, column: number): void
  isAt(row: number, column: number): boolean
  put(cells: Cells, column: number): void
  /** Blanks from here to the end of the line. */
  eraseRest(): void
  /** It is not known where the terminal writes next. */
  lose(): void
  /** Leaves the terminal without a style. */
  text(): string
}

function createPen(columns: number): Pen {
  let text = ''
  let style = NO_STYLE
  let at: { row: number; column: number } | undefined
  const turnTo = (next: Style) => {
    text += styleChange(style, next)
    style = next
  }
  const isAt = (row: number, column: number) => at?.row === row && at.column === column
  return {
    clear: () => {
      text += '\x1b[m\x1b[2J'
    },
    isAt,
    move: (row, column) => {
      if (isAt(row, column)) return
      text += moveText(at, row, column)
      at = { row, column }
    },
    put: ({ glyphs, styles }, column) => {
      turnTo(styles[column] ?? NO_STYLE)
      text += glyphs[column] ?? ''
      // At the last column, terminals differ in where the cursor is.
      if (at) at = at.column + 1 < columns ? { row: at.row, column: at.column + 1 } : undefined
    },
    eraseRest: () => {
      turnTo(NO_STYLE)
      text += '\x1b[K'
    },
    lose: () => {
      at = undefined
    },
    text: () => {
      turnTo(NO_STYLE)
      return text
    },
  }
}

function moveText(at: { row: number; column: number } | undefined, row: number, column: number): string {
  if (at?.row === row && column > at.column) return `\x1b[${column - at.column === 1 ? '' : column - at.column}C`
  const right = column === 0 ? '' : `\x1b[${column === 1 ? '' : column}C`
  if (at && at.row + 1 === row) return `\r\n${right}`
  return column === 0 ? `\x1b[${row + 1}H` : `\x1b[${row + 1};${column + 1}H`
}

/** A line by the columns of the terminal. The second column of a wide character has an empty glyph. */
interface Cells {
  readonly glyphs: readonly string[]
  readonly styles: readonly Style[]
  /** Terminals agree on the column of every character. */
  readonly isCertain: boolean
  /** The number of cells up to the last one that is not a blank without a style. */
  readonly end: number
}

/** The cells of a line of text with SGR codes, cut or filled with blanks to the columns. */
function lineCells(line: string, columns: number): Cells {
  const glyphs: string[] = []
  const styles: Style[] = []
  const put = (glyph: string, style: Style) => {
    glyphs.push(glyph)
    styles.push(style)
  }
  const add = (text: string, style: Style) => {
    for (const [glyph, width] of clusterColumns(text)) {
      if (width === 0 && glyphs.length > 0) glyphs[glyphs.length - 1] += glyph
      if (width === 0 || glyphs.length + width > columns) continue
      put(glyph, style)
      if (width === 2) put('', style)
    }
  }
  let style = NO_STYLE
  let from = 0
  for (const { 0: sequence, 1: codes = '', index } of line.matchAll(SGR)) {
    add(line.slice(from, index), style)
    style = styleAfter(style, codes === '' ? '0' : codes)
    from = index + sequence.length
  }
  add(line.slice(from), style)
  while (glyphs.length < columns) put(' ', NO_STYLE)
  return { glyphs, styles, isCertain: !hasClusters(line), end: endOf(glyphs, styles) }
}

function blankCells(columns: number): Cells {
  return lineCells('', columns)
}

function endOf(glyphs: readonly string[], styles: readonly Style[]): number {
  let end = glyphs.length
  while (end > 0 && glyphs[end - 1] === ' ' && isSameStyle(styles[end - 1] ?? NO_STYLE, NO_STYLE)) end--
  return end
}
