/**
 * The form in which texts of records are compared: trimmed, in Unicode's composed form (NFC) and in lower case without
 * rules of a language. Undefined for a blank text.
 */
export function foldedText(text: string): string | undefined {
  return text.trim().normalize('NFC').toLowerCase() || undefined
}

/** The same with one space for each run of blanks, as servers normalise texts; empty for a blank text. */
export function foldedLine(text: string): string {
  return foldedText(text.replace(/\s+/g, ' ')) ?? ''
}
