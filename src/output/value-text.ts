import { CrmError } from '../core/errors.ts'
import type { JsonValue } from '../core/json.ts'
import { safeText } from './safe-text.ts'

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

/** Runs a recursive walk through a value; CrmError `invalid_input` for a value too deep for the stack. */
export function withinStack(write: () => string): string {
  try {
    return write()
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause
    throw new CrmError('invalid_input', 'a record is nested too deeply, or is too long, to be shown', {
      hint: 'remove its deepest members, or show others: --fields id',
      cause,
    })
  }
}

/** The safe text of a table cell: text unchanged, null and absent values empty, lists and objects as JSON. */
export function cellText(value: JsonValue | undefined): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'string') return safeText(value)
  return safeText(typeof value === 'object' ? jsonText(value) : String(value))
}
