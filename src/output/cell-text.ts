import type { JsonValue } from '../core/json.ts'
import { jsonText } from './json-text.ts'
import { safeText } from './safe-text.ts'

/** A value as a table shows it: text unchanged, null and absent as nothing, lists and objects as JSON, all of it safe. */
export function cellText(value: JsonValue | undefined): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'string') return safeText(value)
  return safeText(typeof value === 'object' ? jsonText(value) : String(value))
}
