import type { JsonValue } from '../core/json.ts'
import type { ResourceDocument } from './document.ts'
import { conversionOf } from './field-values.ts'

/** A value as the server compares it: a text without blanks around it, in small letters where case is ignored. */
export function keyValue(field: string, value: JsonValue, { fields, id }: ResourceDocument): JsonValue {
  const document = Object.hasOwn(fields, field) ? fields[field] : undefined
  const text = typeof value === 'string' ? value.trim().normalize('NFC') : value
  if (field === 'id') return id.type === 'integer' ? (conversionOf('integer', undefined).write(text) ?? text) : text
  if (!document) return text
  const folded = document.fold && typeof text === 'string' ? text.toLowerCase() : text
  return conversionOf(document.type, document.as).write(folded) ?? folded
}
