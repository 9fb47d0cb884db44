import { foldedText } from '../../core/folded-text.ts'
import type { JsonObject, JsonValue } from '../../core/json.ts'
import { exactDigits } from '../../core/json.ts'

/**
 * The key by which a row matches a record: all members of `--match`. Texts are folded, numbers compared by value. Undefined if
 * a member is missing, null or empty: such a row matches nothing.
 */
export function matchKey(record: JsonObject, names: readonly string[]): string | undefined {
  const parts: string[] = []
  for (const name of names) {
    const value = Object.hasOwn(record, name) ? record[name] : undefined
    const part = folded(addressIn(name, value) ?? value)
    if (part === undefined) return undefined
    parts.push(part)
  }
  return JSON.stringify(parts)
}

const EMAIL_NAME = /e-?_?mail/i
const MAILTO = /^\s*mailto:\s*([^\s<>?]+@[^\s<>?]+)/i
const NAMED_ADDRESS = /<\s*(?:mailto:)?([^\s<>]+@[^\s<>]+)\s*>\s*$/i

/** The address in `mailto:ada@x.org` or `"Ada" <ada@x.org>`, in a member for email addresses; undefined for any other value. */
export function addressIn(name: string, value: JsonValue | undefined): string | undefined {
  if (typeof value !== 'string' || !EMAIL_NAME.test(name)) return undefined
  return (MAILTO.exec(value) ?? NAMED_ADDRESS.exec(value))?.[1]
}

function folded(value: JsonValue | undefined): string | undefined {
  if (typeof value === 'string') return foldedText(value)
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  return exactDigits(value)
}
