import { createHash } from 'node:crypto'

/** An index entry has at most 2,704 bytes; a character has up to four in UTF-8. */
const MAX_CHARS = 300

/**
 * The form in which columns that are only compared for equality keep a text. PostgreSQL has no NUL in text, and no index
 * entry beyond a third of a page, so both get another form, and different texts different ones.
 */
export function bounded(text: string): string {
  const safe = withoutNul(text)
  if (safe.length <= MAX_CHARS) return safe
  return `${safe.slice(0, 100)}\u0001#${createHash('sha256').update(safe).digest('hex')}`
}

/** NUL as U+0001 and 0, and U+0001 itself as U+0001 and 1. */
export function withoutNul(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is replaced
  return /[\0\u0001]/.test(text) ? text.replace(/\u0001/g, '\u00011').replace(/\0/g, '\u00010') : text
}

/** The text that `withoutNul` made this of. */
export function withNul(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it wrote
  return text.replace(/\u0001([01])/g, (_, digit) => (digit === '0' ? '\0' : '\u0001'))
}

/** Whether `bounded` has made this of a longer text. */
export function isShortened(text: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: this is what it wrote
  return /\u0001#[0-9a-f]{64}$/.test(text)
}
