/**
 * How texts of records are compared: without the blanks around them, in Unicode's composed form (NFC) and in lower case,
 * by no language's own rules. Undefined for a text of blanks alone.
 */
export function foldedText(text: string): string | undefined {
  return text.trim().normalize('NFC').toLowerCase() || undefined
}
