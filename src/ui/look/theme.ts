import type { JsonValue } from '../../core/json.ts'
import type { Env } from '../../core/streams.ts'

export const THEMES = ['dark', 'light', 'contrast', '16', 'none'] as const

export type ThemeName = (typeof THEMES)[number]

/** How a value is painted, by what it means. Meaning never depends on colour alone. */
export type Tone = 'good' | 'warn' | 'bad' | 'dim' | 'accent'

type Paint = (text: string) => string

export interface Theme extends Readonly<Record<Tone, Paint>> {
  readonly bold: Paint
  /** The row under the cursor, and the focused button; also used without colour. */
  readonly inverse: Paint
  /** A found part of a text: inverse, also without colour; in the row under the cursor, which is inverse, not. */
  found(text: string, isInverse: boolean): string
  /** One of a few colours, the same for the same number: of a stage by its place. */
  stage(at: number): Paint
  border(isFocused: boolean): { readonly borderColor?: string; readonly borderDimColor?: boolean }
  /** What must be seen before a change: a protected profile; inverse without colour. */
  readonly danger: Paint
}

type Palette = Readonly<Record<Tone, string>> & { readonly danger: string }

const RED = '1;38;5;231;48;5;160'

const PALETTES: Readonly<Record<Exclude<ThemeName, 'none'>, Palette>> = {
  dark: { good: '38;5;114', warn: '38;5;221', bad: '38;5;203', accent: '38;5;75', dim: '38;5;247', danger: RED },
  light: { good: '38;5;28', warn: '38;5;130', bad: '38;5;160', accent: '38;5;25', dim: '38;5;241', danger: RED },
  contrast: { good: '1;92', warn: '1;93', bad: '1;91', accent: '1;96', dim: '', danger: '1;97;41' },
  '16': { good: '32', warn: '33', bad: '31', accent: '36', dim: '2', danger: '1;37;41' },
}

const STAGES: Readonly<Partial<Record<ThemeName, readonly string[]>>> = {
  dark: ['38;5;75', '38;5;179', '38;5;176', '38;5;80', '38;5;209', '38;5;147'],
  light: ['38;5;25', '38;5;130', '38;5;127', '38;5;30', '38;5;166', '38;5;61'],
  '16': ['34', '33', '35', '36'],
}

const BORDERS: Readonly<Partial<Record<ThemeName, readonly [focused: string, other: string]>>> = {
  dark: ['ansi256(75)', 'ansi256(240)'],
  light: ['ansi256(25)', 'ansi256(250)'],
  contrast: ['cyanBright', 'white'],
  '16': ['cyan', 'gray'],
}

export function createTheme(name: ThemeName): Theme {
  const palette = name === 'none' ? undefined : PALETTES[name]
  const colors = BORDERS[name]
  const stages = (STAGES[name] ?? ['']).map(painter)
  const tone = (key: Tone | 'danger') => painter(palette?.[key] ?? '')
  return {
    bold: painter('1'),
    inverse: painter('7'),
    found: (text, isInverse) => (isInverse ? `\x1b[27m${text}\x1b[7m` : painter('7')(text)),
    border: (isFocused) => (colors ? { borderColor: colors[isFocused ? 0 : 1] } : {}),
    stage: (at) => stages[at % stages.length] ?? painter(''),
    ...{ good: tone('good'), bad: tone('bad'), warn: tone('warn'), accent: tone('accent'), dim: tone('dim') },
    danger: palette ? tone('danger') : painter('1;7'),
  }
}

/** Each attribute is ended by its own code, so that one inside another does not end it. */
function painter(codes: string): Paint {
  if (codes === '') return (text) => text
  const parts = codes.match(/(?:[34]8;5;)?\d+/g) ?? []
  const ends = new Set(parts.map(endOf))
  return (text) => (text === '' ? '' : `\x1b[${codes}m${text}\x1b[${[...ends].join(';')}m`)
}

function endOf(code: string): string {
  if (code === '1' || code === '2') return '22'
  if (code === '7') return '27'
  return /^(?:4|10)/.test(code) ? '49' : '39'
}

const COUNTS_OF_FAILURES: ReadonlySet<string> = new Set(['failed', 'still_failed', 'failing', 'in_doubt'])

export function toneOf(column: string, value: JsonValue | undefined): Tone | undefined {
  if (value === null || value === undefined) return undefined
  if (COUNTS_OF_FAILURES.has(column)) return Number(value) > 0 ? 'bad' : 'dim'
  if (column === 'unchanged') return 'dim'
  if (column === 'stage') return stageTone(String(value))
  if (column === 'last') return resultTone(String(value))
  if (column === 'state' || column === 'status') return stateTone(String(value))
  return column === 'id' || column.endsWith('_id') || column.endsWith('_at') ? 'dim' : undefined
}

export function stageTone(stage: string): Tone | undefined {
  if (/\bwon\b/i.test(stage)) return 'good'
  return /\blost\b/i.test(stage) ? 'dim' : undefined
}

const STATES: readonly (readonly [RegExp, Tone])[] = [
  [/^(?:damaged|disabled|rejected)\b/, 'bad'],
  [/^(?:stopped|paused)\b/, 'warn'],
  [/^(?:running|planned)\b/, 'accent'],
  [/^(?:finished|enabled|active|delivered)\b/, 'good'],
]

/** Of a job or subscription by its first word; of an event by its last result, as `verified -> 503 x2, 200`. */
function stateTone(state: string): Tone | undefined {
  const found = STATES.find(([pattern]) => pattern.test(state))
  if (found) return found[1]
  const [, result = ''] = /(?:^|-> |, )([^,>]+?)(?: x\d+)?$/.exec(state) ?? []
  return resultTone(result) ?? (state.includes('UNVERIFIED') ? 'warn' : undefined)
}

/** `200`, `503`, `exit 1`, `no answer`. */
export function resultTone(result: string): Tone | undefined {
  if (/^(?:2\d\d|exit 0)\b/.test(result)) return 'good'
  if (/^4\d\d\b/.test(result)) return 'warn'
  return /^(?:5\d\d|exit |no answer)/.test(result) ? 'bad' : undefined
}

export type ThemeChoice = ThemeName | 'auto'

export const THEME_CHOICES: readonly ThemeChoice[] = ['auto', ...THEMES]

export interface Look {
  readonly choice: ThemeChoice
  /** Of the terminal; undefined until it is known. */
  readonly background: 'dark' | 'light' | undefined
  /** `none` for NO_COLOR and `--color never`, which no choice overrules. */
  readonly colors: 'none' | '16' | '256'
}

export const PLAIN_LOOK: Look = { choice: 'auto', background: undefined, colors: 'none' }

/** Terminals that have 256 colours whose TERM does not end with it. */
const RICH_TERMINALS = /256color|direct|kitty|alacritty|ghostty|wezterm|foot/

export function lookFrom(env: Env, hasColor: boolean, choice: ThemeChoice): Look {
  const isRich = /truecolor|24bit/.test(env.COLORTERM ?? '') || RICH_TERMINALS.test(env.TERM ?? '')
  return { choice, background: backgroundFrom(env), colors: hasColor ? (isRich ? '256' : '16') : 'none' }
}

/** COLORFGBG is `15;0` or `15;default;0`: 0 to 6 and 8 are dark. */
function backgroundFrom({ COLORFGBG }: Env): Look['background'] {
  const [, last] = /;(\d+)$/.exec(COLORFGBG ?? '') ?? []
  if (last === undefined) return undefined
  return Number(last) === 7 || Number(last) > 8 ? 'light' : 'dark'
}

/** The sixteen colours suit both backgrounds, where the terminal does not say which it has. */
export function themeName({ choice, background, colors }: Look): ThemeName {
  if (colors === 'none') return 'none'
  if (choice !== 'auto') return choice
  return colors === '16' || background === undefined ? '16' : background
}

const CREATED = new Map(THEMES.map((name) => [name, createTheme(name)]))

export function themeOf(look: Look): Theme {
  const name = themeName(look)
  return CREATED.get(name) ?? createTheme(name)
}

const ESC = '\x1b'
const BEL = '\x07'
/** The answer to OSC 11, such as `ESC ]11;rgb:1d1d/1f1f/2121 BEL`. */
const PART = '([0-9a-f]{1,4})'
const ANSWER = new RegExp(`${ESC}\\]11;rgba?:${PART}/${PART}/${PART}[^${BEL}${ESC}]*(?:${BEL}|${ESC}\\\\)`, 'i')
/** The beginning of one; ESC alone is a key. */
const BEGINNING = new RegExp(`${ESC}\\][^${BEL}${ESC}]*${ESC}?$`)

const QUESTION = `${ESC}]11;?${BEL}`
/** An answer that takes longer than this is a terminal that gives none. */
const WAIT_MS = 2_000

type Background = 'dark' | 'light'

export interface BackgroundQuestion {
  readonly stdin: NodeJS.ReadStream
  readonly stdout: NodeJS.WriteStream
  readonly onAnswer: (background: Background) => void
}

/**
 * Asks the terminal for its background. The answer arrives as input, between keys, so it is taken out of what the screens read.
 * Nothing waits for it, and the first frame is not later. Returns a function that stops looking for it.
 */
export function askBackground({ stdin, stdout, onAnswer }: BackgroundQuestion): () => void {
  const read = stdin.read
  let held = ''
  const stop = () => {
    clearTimeout(timer)
    if (stdin.read === readWithout) stdin.read = read
    if (held !== '') stdin.unshift(Buffer.from(held))
    held = ''
  }
  function readWithout(size?: number): unknown {
    const chunk: unknown = read.call(stdin, size)
    if (typeof chunk !== 'string') return chunk
    const text = held + chunk
    const answer = ANSWER.exec(text)
    held = answer ? '' : (BEGINNING.exec(text)?.[0] ?? '')
    // With null, the reader would wait for an event that does not come while it has not read to the end.
    if (!answer) return held === '' ? text : text.slice(0, -held.length) || readWithout(size)
    stop()
    onAnswer(backgroundOf(answer.slice(1)))
    return text.replace(ANSWER, '') || read.call(stdin, size)
  }
  const timer = setTimeout(stop, WAIT_MS).unref()
  stdin.read = readWithout
  stdout.write(QUESTION)
  return stop
}

/** By the luminance of ITU-R BT.709; each part has one to four hexadecimal digits. */
export function backgroundOf(parts: readonly string[]): Background {
  const [red = 0, green = 0, blue = 0] = parts.map((part) => Number.parseInt(part, 16) / (16 ** part.length - 1))
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.5 ? 'light' : 'dark'
}
