import { textWidth } from '../src/output/terminal-text.ts'

/** Width of DejaVu Sans Mono at 14, for viewers that ignore textLength. */
const CELL_WIDTH = 8.43
const LINE_HEIGHT = 18
const BACKGROUND = '#1d1f21'
const FOREGROUND = '#d8dadb'
const COLORS: Readonly<Record<string, string>> = { 31: '#e06c75', 32: '#98c379', 33: '#e5c07b', 36: '#56b6c2' }

interface Style {
  readonly color: string | undefined
  readonly isBold: boolean
  readonly isDim: boolean
  readonly isInverse: boolean
}

const PLAIN: Style = { color: undefined, isBold: false, isDim: false, isInverse: false }

/** Draws the output of `tmux capture-pane -e` as a picture that needs only a monospaced font. */
export function screenSvg(title: string, screen: string, columns: number): string {
  const lines = screen.replace(/\n+$/, '').split('\n')
  const width = Math.ceil(columns * CELL_WIDTH) + 20
  const height = lines.length * LINE_HEIGHT + 20
  // The style at the end of a line also applies to the next.
  let style = PLAIN
  const body = lines
    .map((line, index) => {
      const drawn = lineSvg(line, 10 + (index + 1) * LINE_HEIGHT - 5, style)
      style = drawn.style
      return drawn.svg
    })
    .join('\n')
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14">
<title>${title}</title>
<rect width="100%" height="100%" rx="6" fill="${BACKGROUND}"/>
${body}
</svg>
`
}

function lineSvg(line: string, y: number, before: Style): { readonly svg: string; readonly style: Style } {
  let column = 0
  let style = before
  const parts: string[] = []
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the escape character begins a style
  for (const [, codes, text = ''] of line.matchAll(/(?:\x1b\[([\d;]*)m)?([^\x1b]*)/g)) {
    if (codes !== undefined) style = codes.split(';').reduce(styled, style)
    if (text === '') continue
    parts.push(textSvg(text, 10 + column * CELL_WIDTH, y, style))
    column += textWidth(text)
  }
  return { svg: parts.join(''), style }
}

function styled(style: Style, code: string): Style {
  if (code === '' || code === '0') return PLAIN
  if (code === '1') return { ...style, isBold: true }
  if (code === '2') return { ...style, isDim: true }
  if (code === '22') return { ...style, isBold: false, isDim: false }
  if (code === '7' || code === '27') return { ...style, isInverse: code === '7' }
  if (code === '39') return { ...style, color: undefined }
  return Object.hasOwn(COLORS, code) ? { ...style, color: COLORS[code] } : style
}

function textSvg(text: string, x: number, y: number, { color, isBold, isDim, isInverse }: Style): string {
  const width = textWidth(text) * CELL_WIDTH
  const fill = isInverse ? BACKGROUND : (color ?? FOREGROUND)
  const back = isInverse
    ? `<rect x="${x.toFixed(1)}" y="${y - 13}" width="${width.toFixed(1)}" height="${LINE_HEIGHT}" fill="${FOREGROUND}"/>`
    : ''
  const look = `${isBold ? ' font-weight="bold"' : ''}${isDim ? ' opacity="0.6"' : ''}`
  // Each group of words has its own position, so that a sign missing in a font does not move the text after it.
  const groups = [...text.matchAll(/\S+(?: \S+)*/g)].map(({ 0: words, index }) => {
    const left = x + textWidth(text.slice(0, index)) * CELL_WIDTH
    const length = (textWidth(words) * CELL_WIDTH).toFixed(1)
    const escaped = words.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
    return `<text x="${left.toFixed(1)}" y="${y}" fill="${fill}"${look} textLength="${length}" lengthAdjust="spacingAndGlyphs">${escaped}</text>`
  })
  return back + groups.join('')
}
