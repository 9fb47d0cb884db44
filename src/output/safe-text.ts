import { CrmError } from '../core/errors.ts'
import type { JsonValue } from '../core/json.ts'
import type { OutputStream } from '../core/streams.ts'

/**
 * Invisible characters with a meaning in their context: the joiners of emoji and of scripts that need them, a variation
 * selector after its character, and the tags of the three flags of the United Kingdom.
 */
const MEANT = [
  String.raw`(?<=[\p{Extended_Pictographic}\p{Emoji}]\p{Emoji_Modifier}?\uFE0F?)\u200D(?=\p{Extended_Pictographic})`,
  String.raw`(?<=[\p{Extended_Pictographic}\p{Emoji}])[\uFE0E\uFE0F]`,
  String.raw`(?<=\p{Script=Han})[\uFE00-\uFE02\u{E0100}-\u{E01EF}]`,
  String.raw`\u{1F3F4}\u{E0067}\u{E0062}(?:\u{E0065}\u{E006E}\u{E0067}|\u{E0073}\u{E0063}\u{E0074}|\u{E0077}\u{E006C}\u{E0073})\u{E007F}`,
  String.raw`(?<=[\p{Script=Arabic}\p{Script=Syriac}]\p{M}*)\u200C(?=[\p{Script=Arabic}\p{Script=Syriac}])`,
  // After a virama: RFC 5892, appendix A.
  String.raw`(?<=[\u094D\u09CD\u0A4D\u0ACD\u0B4D\u0BCD\u0C4D\u0CCD\u0D4D\u0DCA])[\u200C\u200D]`,
].join('|')

/** Controls, separators, unpaired surrogates, and characters that Unicode draws as nothing, such as bidirectional overrides. */
const UNSAFE = String.raw`[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\p{Default_Ignorable_Code_Point}\uFFF9-\uFFFB]`

const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

/** Makes foreign text safe for a terminal: characters that are invisible or move the cursor become visible escapes. */
export function safeText(text: string): string {
  if (isNarrowText(text)) return text
  return text.replace(new RegExp(`(${MEANT})|${UNSAFE}`, 'gu'), (found, meant?: string) => meant ?? escapeChar(found))
}

/** Whether a text has only Latin, Greek and Cyrillic characters of one column each, and needs no escapes. */
export function isNarrowText(text: string): boolean {
  return /^[\x20-\x7e\u00a1-\u00ac\u00ae-\u02ff\u0370-\u0482\u048a-\u052f\u2010-\u2015\u2018-\u2026\u20ac]*$/.test(text)
}

function escapeChar(char: string): string {
  const code = char.codePointAt(0) ?? 0
  const hex = code.toString(16)
  if (code > 0xffff) return `\\u{${hex}}`
  return SHORT[char] ?? (code > 0xff ? `\\u${hex.padStart(4, '0')}` : `\\x${hex.padStart(2, '0')}`)
}

/** Makes a text of several lines safe, except line ends and tabs, which are kept. */
export function safeLines(text: string): string {
  return text.replace(/[^\t\r\n]+|\r(?!\n)/g, safeText)
}

/** Safe text for a terminal, unchanged for a file or a program. */
export function linesFor(stdout: OutputStream, text: string): string {
  return stdout.isTTY ? safeLines(text) : text
}

/** Carriage return, and erase to the end of the line (ECMA-48, EL). */
export const ERASE_LINE = '\r\x1b[K'

/** A line for people, in the place of the progress that may stand on the terminal. */
export function writeNoteLine(stderr: OutputStream, line: string): void {
  stderr.write(`${stderr.isTTY ? ERASE_LINE : ''}${safeText(line)}\n`)
}

/**
 * The beginnings of a cell that a spreadsheet evaluates (OWASP, CSV injection). The apostrophes make `defuse` reversible: a
 * text that already looks defused gets another one.
 */
const FORMULA = /^'*[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/

/** Puts an apostrophe before a text that a spreadsheet would evaluate; `restoreDefused` reverses it. */
export function defuse(text: string): string {
  return FORMULA.test(text) ? `'${text}` : text
}

/** The inverse of `defuse`. */
export function restoreDefused(text: string): string {
  return text.startsWith("'") && FORMULA.test(text) ? text.slice(1) : text
}

/**
 * Characters that JSON.stringify does not escape and a terminal acts on: DEL and C1 controls, bidirectional marks, overrides
 * and isolates, and the two separators that end a line in some readers. Every parser reads the escaped value as the same.
 */
const OBEYED = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

/** JSON that is safe to show; `indent` is the number of spaces per level, 0 for a single line. */
export function jsonText(value: unknown, indent = 0): string {
  return escapeObeyed(withinStack(() => JSON.stringify(value, null, indent)))
}

/** Makes the output of JSON.stringify safe to show. */
export function escapeObeyed(json: string): string {
  return json.replace(OBEYED, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** Runs a recursive walk through a value; CrmError `invalid_input` for a value too deep for the stack. */
export function withinStack(write: () => string): string {
  try {
    return write()
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause
    throw new CrmError('invalid_input', 'a record is nested too deeply, or is too long, to be shown', {
      hint: 'remove its deepest members, or show others: --fields id',
      cause,
    })
  }
}

/** The safe text of a table cell: text unchanged, null and absent values empty, lists and objects as JSON. */
export function cellText(value: JsonValue | undefined): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'string') return safeText(value)
  return safeText(typeof value === 'object' ? jsonText(value) : String(value))
}
