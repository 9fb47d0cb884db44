/**
 * What makes a spreadsheet run a cell: OWASP, CSV injection. The apostrophes are for the way back: a text that already
 * begins as a defused one does gets another.
 */
const FORMULA = /^'*[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/

/** An apostrophe before a text that a spreadsheet would run. Taking one away from each text that matches gives back the first. */
export function defuse(text: string): string {
  return FORMULA.test(text) ? `'${text}` : text
}

/** The text that `defuse` was given. */
export function restoreDefused(text: string): string {
  return text.startsWith("'") && FORMULA.test(text) ? text.slice(1) : text
}
