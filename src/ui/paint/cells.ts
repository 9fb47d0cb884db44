import { clusterColumns, hasClusters } from '../../output/terminal-text.ts'
import { isSameStyle, NO_STYLE, type Style, styleAfter } from './style.ts'

/** A line by the columns of the terminal. The second column of a wide character has an empty glyph. */
export interface Cells {
  readonly glyphs: readonly string[]
  readonly styles: readonly Style[]
  /** Terminals agree on the column of every character. */
  readonly isCertain: boolean
  /** The number of cells up to the last one that is not a blank without a style. */
  readonly end: number
}

const SGR = new RegExp(`${'\x1b'}\\[([\\d;]*)m`, 'g')

/** The cells of a line of text with SGR codes, cut or filled with blanks to the columns. */
export function lineCells(line: string, columns: number): Cells {
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

export function blankCells(columns: number): Cells {
  return lineCells('', columns)
}

function endOf(glyphs: readonly string[], styles: readonly Style[]): number {
  let end = glyphs.length
  while (end > 0 && glyphs[end - 1] === ' ' && isSameStyle(styles[end - 1] ?? NO_STYLE, NO_STYLE)) end--
  return end
}
