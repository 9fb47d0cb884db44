import type { Env } from '../core/streams.ts'

export const COLOR_FLAGS = ['auto', 'always', 'never'] as const

export type ColorFlag = (typeof COLOR_FLAGS)[number]

export interface ColorFacts {
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
 * In order of precedence: `--color`, NO_COLOR (no-color.org), FORCE_COLOR (0 and false mean no), TERM=dumb, and whether the
 * stream is a terminal. An empty variable counts as unset.
 */
export function shouldColor({ flag, env, isTTY }: ColorFacts): boolean {
  if (flag !== 'auto') return flag === 'always'
  if (env.NO_COLOR) return false
  if (env.FORCE_COLOR) return !/^(?:0|false)$/i.test(env.FORCE_COLOR)
  return isTTY && env.TERM !== 'dumb'
}

export function createStyles(color: boolean): Styles {
  return { bold: style(color, 1, 22), dim: style(color, 2, 22), red: style(color, 31, 39), green: style(color, 32, 39) }
}

function style(color: boolean, on: number, off: number): (text: string) => string {
  return (text) => (color && text !== '' ? `\x1b[${on}m${text}\x1b[${off}m` : text)
}
