/** Only the sixteen ANSI colours, which suit dark and light terminals. Meaning never depends on colour. */
export interface Theme {
  bold(text: string): string
  dim(text: string): string
  /** The row under the cursor, and the focused button; also used without colour. */
  inverse(text: string): string
  /** A found part of a text: inverse, also without colour; in the row under the cursor, which is inverse, not. */
  found(text: string, isInverse: boolean): string
  good(text: string): string
  bad(text: string): string
  warn(text: string): string
  accent(text: string): string
}

export function createTheme(hasColor: boolean): Theme {
  const color = (code: number) => (hasColor ? sgr(code, 39) : (text: string) => text)
  return {
    bold: sgr(1, 22),
    dim: hasColor ? sgr(2, 22) : (text) => text,
    inverse: sgr(7, 27),
    found: (text, isInverse) => (isInverse ? sgr(27, 7)(text) : sgr(7, 27)(text)),
    good: color(32),
    bad: color(31),
    warn: color(33),
    accent: color(36),
  }
}

function sgr(on: number, off: number): (text: string) => string {
  return (text) => (text === '' ? '' : `\x1b[${on}m${text}\x1b[${off}m`)
}
