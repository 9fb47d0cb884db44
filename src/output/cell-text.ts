import type { JsonValue } from '../core/json.ts'
import { jsonText } from './json-text.ts'
import { safeText } from './safe-text.ts'

/** The safe text of a table cell: text unchanged, null and absent values empty, lists and objects as JSON. */
export function cellText(value: JsonValue | undefined): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'string') return safeText(value)
  return safeText(typeof value === 'object' ? jsonText(value) : String(value))
}
