import { parseJsonAsWritten } from '../core/json.ts'
import type { Env } from '../core/streams.ts'
import { isNarrowText, jsonText, safeLines } from './safe-text.ts'

// Text on a terminal: how wide it is, how it is cut and wrapped, and its colour.

const EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'] as const

/**
 * Wide and fullwidth characters except emoji: EastAsianWidth.txt of Unicode 16, with the unassigned code points of the blocks.
 */
const WIDE =
  /[\u1100-\u115F\u2329\u232A\u2630-\u2637\u268A-\u268F\u2E80-\u303E\u3041-\uA4CF\uA960-\uA97C\uAC00-\uD7A3\uF900-\uFAFF\uFE10-\uFE19\uFE30-\uFE6F\uFF01-\uFF60\uFFE0-\uFFE6\u{16FE0}-\u{18DFF}\u{1AFF0}-\u{1B2FF}\u{1D300}-\u{1D376}\u{1F200}-\u{1F2FF}\u{20000}-\u{3FFFD}]|(?!\p{Regional_Indicator})\p{Emoji_Presentation}/u

/** Drawn over or into the preceding character: marks, format characters, and the vowels and finals of a Hangul syllable. */
const WIDTHLESS = /[\p{Mn}\p{Me}\p{Cf}\p{Cc}\u1160-\u11FF\uD7B0-\uD7FF]/u

/** Two columns, also with the characters after it that form a family, a flag or a skin tone. */
const EMOJI = /^(?:(?!\p{Regional_Indicator})\p{Emoji_Presentation}|\p{Emoji}\uFE0F|\p{Regional_Indicator}{2})/u

/**
 * Only a text with one of these differs in width from the sum of its characters. The first segmenter takes 10 ms, half the
 * start-up of node, and is avoided for other texts.
 */
const CLUSTERED = /[\p{Regional_Indicator}\p{Emoji_Modifier}\p{Mc}]|\uFE0F|\u200D|[\u{E0020}-\u{E007F}]/u

/**
 * The columns of a text in a terminal, by grapheme cluster (UAX 29) and East Asian width (UAX 11). Where terminals differ,
 * as for spacing vowel signs, the larger number is used: a gap is better than a wrapped line.
 */
export function textWidth(text: string): number {
  if (isNarrowText(text)) return text.length
  let width = 0
  for (const cluster of clustersOf(text)) width += clusterWidth(cluster)
  return width
}

/** The text, or as much of it as leaves a column for `…`, cut between clusters; never wider than `width`. */
export function fitText(text: string, width: number): string {
  // No character is wider than two columns.
  if (text.length * 2 <= width || textWidth(text) <= width) return text
  if (width <= 0) return ''
  let kept = ''
  let used = 0
  for (const cluster of clustersOf(text)) {
    used += clusterWidth(cluster)
    if (used > width - 1) break
    kept += cluster
  }
  return `${kept}…`
}

function clustersOf(text: string): Iterable<string> {
  if (!CLUSTERED.test(text)) return text
  const segments = new Intl.Segmenter('en', { granularity: 'grapheme' }).segment(text)
  return Array.from(segments, ({ segment }) => segment)
}

function clusterWidth(cluster: string): number {
  if (EMOJI.test(cluster)) return 2
  let width = 0
  for (const char of cluster) if (!WIDTHLESS.test(char)) width += WIDE.test(char) ? 2 : 1
  return width
}

/** Breaks a text into lines of at most `width` columns, between words if possible; blanks at the end of a line may be left out. */
export function wrapText(text: string, width: number): readonly string[] {
  const lines: string[] = []
  const fitted = (line: string) => (textWidth(line) > width ? line.trimEnd() : line)
  let line = ''
  for (const word of text.split(/(?<= )/)) {
    if (textWidth(line + word.trimEnd()) <= width) {
      line += word
      continue
    }
    if (line !== '') lines.push(fitted(line))
    line = word
    while (textWidth(line) > width) {
      const head = fitText(line, width + 1).slice(0, -1) || line.slice(0, 1)
      lines.push(head)
      line = line.slice(head.length)
    }
  }
  return [...lines, fitted(line)]
}

/** A bar of at most `width` columns for a share from 0 to 1; a share above 0 is never drawn as an empty bar. */
export function barText(share: number, width: number): string {
  const eighths = Math.round(Math.max(0, Math.min(1, share)) * width * 8)
  if (eighths === 0) return share > 0 ? EIGHTHS[1] : ''
  return '█'.repeat(Math.floor(eighths / 8)) + EIGHTHS[eighths % 8]
}

const HEIGHTS = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'] as const

/** One column for each value: its height is the share of the greatest; `·` for 0, which no other value becomes. */
export function sparkText(values: readonly number[]): string {
  const most = values.reduce((most, value) => Math.max(most, value), 0)
  return values.map((value) => (value > 0 ? HEIGHTS[Math.ceil((value / most) * 8) - 1] : '·')).join('')
}

/** A bar in the middle of `width` columns, so that bars below each other are a funnel. */
export function funnelText(share: number, width: number): string {
  const filled = Math.round(Math.max(0, Math.min(1, share)) * (width / 2)) * 2
  const shown = share > 0 ? Math.max(2, filled) : 0
  return shown === 0 ? '' : `${' '.repeat((width - shown) / 2)}${'█'.repeat(shown)}`
}

/** The columns for bars beside `others`: from 8 to `most`, and even; `most` where the width of the terminal is not known. */
export function barWidth(columns: number | undefined, others: number, most: number): number {
  const room = Math.min(most, Math.max(8, (columns || Number.POSITIVE_INFINITY) - others))
  return room - (room % 2)
}

export const COLOR_FLAGS = ['auto', 'always', 'never'] as const

export type ColorFlag = (typeof COLOR_FLAGS)[number]

interface ColorFacts {
  readonly flag: ColorFlag
  readonly env: Env
  readonly isTTY: boolean
}

export interface Styles {
  bold(text: string): string
  dim(text: string): string
  red(text: string): string
  green(text: string): string
}

/**
 * In order of precedence: `--color`, NO_COLOR (no-color.org), FORCE_COLOR (0 and false mean no), CLICOLOR_FORCE and CLICOLOR
 * (bixense.com/clicolors), TERM=dumb, and whether the stream is a terminal. An empty variable counts as unset.
 */
export function shouldColor({ flag, env, isTTY }: ColorFacts): boolean {
  if (flag !== 'auto') return flag === 'always'
  if (env.NO_COLOR) return false
  if (env.FORCE_COLOR) return !/^(?:0|false)$/i.test(env.FORCE_COLOR)
  if (env.CLICOLOR_FORCE && env.CLICOLOR_FORCE !== '0') return true
  return isTTY && env.TERM !== 'dumb' && env.CLICOLOR !== '0'
}

export function createStyles(color: boolean): Styles {
  return { bold: style(color, 1, 22), dim: style(color, 2, 22), red: style(color, 31, 39), green: style(color, 32, 39) }
}

function style(color: boolean, on: number, off: number): (text: string) => string {
  return (text) => (color && text !== '' ? `\x1b[${on}m${text}\x1b[${off}m` : text)
}

/** A document that a server sent, for a terminal: JSON is indented, with its numbers as written; any other text has its lines. */
export function documentForTerminal(text: string, color: boolean): string {
  try {
    const shown = jsonText(parseJsonAsWritten(text), 2)
    return color ? colorJson(shown) : shown
  } catch (error) {
    if (error instanceof SyntaxError) return safeLines(text)
    throw error
  }
}

/** The strings of indented JSON, with the colon if it is a member name, and its other values. */
const TOKEN = /("(?:\\.|[^"\\])*")(:)?|\b(?:true|false|null)\b|-?\d[\d.eE+-]*/g

/** Names are bold, texts green, null dim, and other values red. */
function colorJson(json: string): string {
  const { bold, green, red, dim } = createStyles(true)
  return json.replace(TOKEN, (found, text?: string, colon?: string) => {
    if (text === undefined) return found === 'null' ? dim(found) : red(found)
    return colon === undefined ? green(text) : `${bold(text)}${colon}`
  })
}
