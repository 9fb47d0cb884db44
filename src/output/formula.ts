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
