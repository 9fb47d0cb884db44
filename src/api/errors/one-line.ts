import { redactShapes } from '../../core/redact.ts'

const MAX_CHARS = 500
/** More than is ever shown, so that a body of megabytes is not read to its end for one line. */
const MAX_READ_CHARS = 64 * 1024

/**
 * Foreign text for a message: one line, bounded, and what looks like a secret taken out before it is cut. Control characters
 * are dealt with where it is shown.
 */
export function oneLine(text: string, maxChars = MAX_CHARS): string {
  const line = redactShapes(text.slice(0, MAX_READ_CHARS)).replace(/\s+/g, ' ').trim()
  return line.length <= maxChars ? line : `${line.slice(0, maxChars - 1).toWellFormed()}…`
}
