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
  /** Of a panel, as Ink takes it. */
  border(isFocused: boolean): { readonly borderColor?: string; readonly borderDimColor?: boolean }
  /** What must be seen before a change: a protected profile; inverse without colour. */
  readonly danger: Paint
}

/** Codes of SGR for each tone. */
type Palette = Readonly<Record<Tone, string>> & { readonly danger: string }

const PALETTES: Readonly<Record<Exclude<ThemeName, 'none'>, Palette>> = {
  dark: {
    good: '38;5;114',
    warn: '38;5;221',
    bad: '38;5;203',
    accent: '38;5;75',
    dim: '38;5;247',
    danger: '1;38;5;231;48;5;160',
  },
  light: {
    good: '38;5;28',
    warn: '38;5;130',
    bad: '38;5;160',
    accent: '38;5;25',
    dim: '38;5;241',
    danger: '1;38;5;231;48;5;160',
  },
  contrast: { good: '1;92', warn: '1;93', bad: '1;91', accent: '1;96', dim: '', danger: '1;97;41' },
  '16': { good: '32', warn: '33', bad: '31', accent: '36', dim: '2', danger: '1;37;41' },
}

export function createTheme(name: ThemeName): Theme {
  const palette = name === 'none' ? undefined : PALETTES[name]
  const tone = (key: Tone | 'danger') => painter(palette?.[key] ?? '')
  return {
    bold: painter('1'),
    inverse: painter('7'),
    found: (text, isInverse) => (isInverse ? `\x1b[27m${text}\x1b[7m` : painter('7')(text)),
    border: borderOf(name),
    stage: stagesOf(name),
    ...{ good: tone('good'), bad: tone('bad'), warn: tone('warn'), accent: tone('accent'), dim: tone('dim') },
    danger: palette ? tone('danger') : painter('1;7'),
  }
}

const STAGES: Readonly<Partial<Record<ThemeName, readonly string[]>>> = {
  dark: ['38;5;75', '38;5;179', '38;5;176', '38;5;80', '38;5;209', '38;5;147'],
  light: ['38;5;25', '38;5;130', '38;5;127', '38;5;30', '38;5;166', '38;5;61'],
  '16': ['34', '33', '35', '36'],
}

function stagesOf(name: ThemeName): Theme['stage'] {
  const paints = (STAGES[name] ?? ['']).map(painter)
  return (at) => paints[at % paints.length] ?? painter('')
}

const BORDERS: Readonly<Partial<Record<ThemeName, readonly [focused: string, other: string]>>> = {
  dark: ['ansi256(75)', 'ansi256(240)'],
  light: ['ansi256(25)', 'ansi256(250)'],
  contrast: ['cyanBright', 'white'],
  '16': ['cyan', 'gray'],
}

function borderOf(name: ThemeName): Theme['border'] {
  const colors = BORDERS[name]
  return (isFocused) => (colors ? { borderColor: colors[isFocused ? 0 : 1] } : {})
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
