import type { JsonValue } from '../../core/json.ts'
import { exactDigits } from '../../core/json.ts'

/**
 * The one text of a value (RFC 8785): members in the order of their UTF-16 code units, no blanks, numbers as ECMAScript
 * writes them. Numbers that no double holds, of which the RFC knows none, keep their digits.
 */
export function canonicalJson(value: JsonValue): string {
  if (typeof value !== 'object' || value === null || exactDigits(value) !== undefined) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  const members: string[] = []
  for (const name of Object.keys(value).sort()) {
    members.push(`${JSON.stringify(name)}:${canonicalJson(value[name] ?? null)}`)
  }
  return `{${members.join(',')}}`
}
