import type { JsonObject, JsonValue } from '../../core/json.ts'
import { shellWord } from '../../core/shell-words.ts'

/** A command line that a POSIX shell reads back as these words. */
export function commandText(words: readonly string[]): string {
  return ['crm', ...words].map((word) => (word === TARGET ? `"${TARGET}"` : shellWord(word))).join(' ')
}

/** In place of an address that may hold a secret. */
const TARGET = '$TARGET_URL'

/** An address for a command line; one with a password or a query may hold a secret, and becomes a variable. */
export function targetWord(url: string): string {
  return /[?@]/.test(url) ? TARGET : url
}

/** `--set` for each member; for names that `--set` would read otherwise, the words of `--data` with the record as input. */
export function memberWords(members: JsonObject): { readonly words: readonly string[]; readonly input?: string[] } {
  const entries = Object.entries(members)
  if (entries.some(([name]) => !/^[\w-]+$/.test(name))) return { words: ['--data', '-'], input: [plainJson(members)] }
  return { words: entries.flatMap(([name, value]) => ['--set', setText(name, value)]) }
}

function setText(name: string, value: JsonValue): string {
  return typeof value === 'string' && !hasControls(value) ? `${name}=${value}` : `${name}:=${plainJson(value)}`
}

/** What moves a cursor, begins a sequence or turns text around, in C0, C1 and the bidirectional controls. */
const CONTROLS = /[\p{Cc}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu

export function hasControls(text: string): boolean {
  return text.search(CONTROLS) >= 0
}

/** JSON in one line, whose control characters are escapes. */
export function plainJson(value: JsonValue): string {
  return JSON.stringify(value).replace(CONTROLS, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
