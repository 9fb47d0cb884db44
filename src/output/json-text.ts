import { withinStack } from './within-stack.ts'

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
