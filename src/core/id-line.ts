import { idText } from './exact-json.ts'
import type { JsonValue } from './json.ts'

/** An id as it can stand on a line of its own; undefined for one that would break the line, and so could smuggle in another. */
export function idOnLine(id: JsonValue | undefined): string | undefined {
  const text = idText(id)
  return text !== undefined && /^[^\s\p{C}]+$/u.test(text) ? text : undefined
}
