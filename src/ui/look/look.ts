import type { Env } from '../../core/streams.ts'
import { createTheme, THEMES, type Theme, type ThemeName } from './theme.ts'

export type ThemeChoice = ThemeName | 'auto'

export const THEME_CHOICES: readonly ThemeChoice[] = ['auto', ...THEMES]

/** What the theme is chosen from. */
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
