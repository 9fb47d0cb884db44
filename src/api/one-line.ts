const MAX_CHARS = 500

/** Foreign text for a message: one line, bounded. Control characters are dealt with where it is shown. */
export function oneLine(text: string, maxChars = MAX_CHARS): string {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length <= maxChars ? line : `${line.slice(0, maxChars - 1).toWellFormed()}…`
}
