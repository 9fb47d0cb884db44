import { withinStack } from './within-stack.ts'

/**
 * What JSON.stringify leaves raw although a terminal obeys it: DEL and C1 controls, bidirectional marks, overrides and
 * isolates, and the two separators that end a line in some readers. Escaped, the value is the same to every parser.
 */
const OBEYED = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

/** JSON that is safe to show; `indent` is the number of spaces a level takes, 0 keeps it on one line. */
export function jsonText(value: unknown, indent = 0): string {
  return escapeObeyed(withinStack(() => JSON.stringify(value, null, indent)))
}

/** JSON that JSON.stringify made, safe to show. */
export function escapeObeyed(json: string): string {
  return json.replace(OBEYED, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
