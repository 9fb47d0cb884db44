import { textWidth } from '../../src/output/terminal-text.ts'

/** Width of DejaVu Sans Mono at 14, for viewers that ignore textLength. */
const CELL_WIDTH = 8.43
const LINE_HEIGHT = 18
const MARGIN = 10

const PAPER = '#1d1f21'
const TEXT = '#d8dadb'

interface Style {
  readonly color: string | undefined
  readonly back: string | undefined
  readonly isBold: boolean
  readonly isDim: boolean
  readonly isInverse: boolean
}

const PLAIN: Style = { color: undefined, back: undefined, isBold: false, isDim: false, isInverse: false }

export interface Screen {
  readonly title: string
  readonly columns: number
}

/** Draws the output of `tmux capture-pane -e` as a picture that needs only a monospaced font. */
export function screenSvg(screen: Screen, text: string): string {
  return pictureOf(screen, text.split('\n').length, bodyOf(text))
}

export interface Step {
  readonly text: string
  readonly seconds: number
}

/** One screen after the other, for ever, with CSS alone; a viewer without animation shows the last. */
export function stepsSvg(screen: Screen, steps: readonly Step[]): string {
  const whole = steps.reduce((sum, { seconds }) => sum + seconds, 0)
  let from = 0
  const shown = steps.map(({ text, seconds }, at) => {
    const [start, end] = [(from / whole) * 100, ((from + seconds) / whole) * 100]
    from += seconds
    const isLast = at === steps.length - 1
    const frames = `@keyframes s${at}{0%{opacity:0}${start.toFixed(2)}%{opacity:1}${isLast ? '' : `${end.toFixed(2)}%{opacity:0}`}}`
    const css = `<style>${frames}.s${at}{opacity:${isLast ? 1 : 0};animation:s${at} ${whole}s step-end infinite}</style>`
    return `${css}<g class="s${at}">\n${bodyOf(text)}\n</g>`
  })
  const lines = Math.max(...steps.map(({ text }) => text.split('\n').length))
  return pictureOf(screen, lines, shown.join('\n'))
}

function pictureOf({ title, columns }: Screen, lines: number, body: string): string {
  const width = Math.ceil(columns * CELL_WIDTH) + 2 * MARGIN
  const height = lines * LINE_HEIGHT + 2 * MARGIN
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14" fill="${TEXT}">
<title>${title}</title>
<rect width="100%" height="100%" rx="6" fill="${PAPER}"/>
${body}
</svg>
`
}

function bodyOf(screen: string): string {
  // The style at the end of a line also applies to the next.
  let style = PLAIN
  const lines = screen.split('\n').map((line, index) => {
    const drawn = lineSvg(line, MARGIN + (index + 1) * LINE_HEIGHT - 5, style)
    style = drawn.style
    return drawn.svg
  })
  return lines.filter((line) => line !== '').join('\n')
}

function lineSvg(line: string, y: number, before: Style): { readonly svg: string; readonly style: Style } {
  let column = 0
  let style = before
  const parts: string[] = []
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the escape character begins a style
  for (const [, codes, text = ''] of line.matchAll(/(?:\x1b\[([\d;]*)m)?([^\x1b]*)/g)) {
    if (codes !== undefined) style = styledBy(style, codes)
    if (text === '') continue
    parts.push(textSvg(text, { x: MARGIN + column * CELL_WIDTH, y }, style))
    column += textWidth(text)
  }
  return { svg: parts.join(''), style }
}

function styledBy(style: Style, codes: string): Style {
  const parts = codes.match(/[34]8;5;\d+|\d+/g) ?? ['0']
  return parts.reduce(styled, style)
}

const SIMPLE: Readonly<Record<string, Partial<Style>>> = {
  ...{ '0': PLAIN, '1': { isBold: true }, '2': { isDim: true }, '22': { isBold: false, isDim: false } },
  ...{ '7': { isInverse: true }, '27': { isInverse: false }, '39': { color: undefined }, '49': { back: undefined } },
}

function styled(style: Style, code: string): Style {
  const simple = SIMPLE[code]
  if (simple) return { ...style, ...simple }
  const [, ground, index] = /^([34])8;5;(\d+)$/.exec(code) ?? []
  if (index === undefined) throw new Error(`no picture of the style ${code}`)
  return { ...style, [ground === '3' ? 'color' : 'back']: colorOf(Number(index)) }
}

/** A colour of the 256 of xterm, beyond the first 16, which each terminal chooses. */
function colorOf(index: number): string {
  if (index < 16) throw new Error(`no picture of colour ${index}, which differs between terminals`)
  const grey = 8 + (index - 232) * 10
  const level = (part: number) => (part === 0 ? 0 : 55 + part * 40)
  const cube = index - 16
  const parts =
    index >= 232 ? [grey, grey, grey] : [Math.floor(cube / 36), Math.floor(cube / 6) % 6, cube % 6].map(level)
  return `#${parts.map((part) => part.toString(16).padStart(2, '0')).join('')}`
}

interface Point {
  readonly x: number
  readonly y: number
}

function textSvg(text: string, { x, y }: Point, style: Style): string {
  const [front, back] = style.isInverse ? [style.back ?? PAPER, style.color ?? TEXT] : [style.color, style.back]
  const width = (textWidth(text) * CELL_WIDTH).toFixed(1)
  const box = back
    ? `<rect x="${x.toFixed(1)}" y="${y - 13}" width="${width}" height="${LINE_HEIGHT}" fill="${back}"/>`
    : ''
  const fill = front === undefined ? '' : ` fill="${front}"`
  const look = `${fill}${style.isBold ? ' font-weight="bold"' : ''}${style.isDim ? ' opacity="0.6"' : ''}`
  // Each group of words has its own position, so that a sign missing in a font does not move the text after it.
  const groups = [...text.matchAll(/\S+(?: \S+)*/g)].map(({ 0: words, index }) => {
    const left = (x + textWidth(text.slice(0, index)) * CELL_WIDTH).toFixed(1)
    const length = (textWidth(words) * CELL_WIDTH).toFixed(1)
    const escaped = words.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
    return `<text x="${left}" y="${y}"${look} textLength="${length}">${escaped}</text>`
  })
  return box + groups.join('')
}
