import { foldedText } from '../../core/folded-text.ts'
import type { JsonObject, JsonValue } from '../../core/json.ts'
import { exactDigits } from '../../core/json.ts'

/**
 * What two records have in common when they are the same one: the members of `--match`, all of them. Texts are compared
 * folded, numbers by value. Undefined when a member is missing, null or empty: nothing is matched by what is not there.
 */
export function matchKey(record: JsonObject, names: readonly string[]): string | undefined {
  const parts: string[] = []
  for (const name of names) {
    const part = folded(Object.hasOwn(record, name) ? record[name] : undefined)
    if (part === undefined) return undefined
    parts.push(part)
  }
  return JSON.stringify(parts)
}

function folded(value: JsonValue | undefined): string | undefined {
  if (typeof value === 'string') return foldedText(value)
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  return exactDigits(value)
}
