import { withoutEntities } from '../../core/html.ts'
import { redactShapes } from '../../core/redact.ts'

const MAX_CHARS = 500
/** More than is ever shown; the rest of a large body is not processed. */
const MAX_READ_CHARS = 64 * 1024

/**
 * Foreign text for a message: one line of limited length, redacted before it is truncated. Control characters are escaped
 * on output.
 */
export function oneLine(text: string, maxChars = MAX_CHARS): string {
  const line = redactShapes(text.slice(0, MAX_READ_CHARS)).replace(/\s+/g, ' ').trim()
  return line.length <= maxChars ? line : `${line.slice(0, maxChars - 1).toWellFormed()}…`
}

export function isHtml(text: string): boolean {
  return /^\s*<(?:!doctype html|html|head|body|!--)/i.test(text)
}

/** The title of an HTML page; without one, its text without tags. */
export function htmlText(page: string): string {
  const title = /<title[^>]*>([^<]*)/i.exec(page)?.[1]?.trim()
  const shown = title || page.replace(/<(style|script)\b.*?<\/\1>/gis, ' ').replace(/<[^>]*>/g, ' ')
  return withoutEntities(shown)
}
