/**
 * How texts of records are compared: without the blanks around them, in Unicode's composed form (NFC) and in lower case,
 * by no language's own rules. Undefined for a text of blanks alone.
 */
export function foldedText(text: string): string | undefined {
  return text.trim().normalize('NFC').toLowerCase() || undefined
}

/** The same with one space for each run of blanks, as servers store a text that was sent; empty for blanks alone. */
export function foldedLine(text: string): string {
  return foldedText(text.replace(/\s+/g, ' ')) ?? ''
}
