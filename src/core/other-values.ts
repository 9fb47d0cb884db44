import { idText } from './exact-json.ts'
import { isJsonObject, type JsonObject, type JsonValue } from './json.ts'

/** Where JSON:API, HubSpot and Airtable have the members of a record. */
const BELOW = ['attributes', 'properties', 'fields']

/** The members of a record, also those that stand one level below it. */
export function valuesOf(record: JsonObject): JsonObject {
  const below = BELOW.map((name) => record[name]).filter((value) => isJsonObject(value))
  return below.length === 0 ? record : Object.assign({}, ...below, record)
}

export interface OtherValue {
  /** As `--set` names it: `address.city`. */
  readonly member: string
  readonly asked: JsonValue
  readonly shown: JsonValue
}

/** The members of a merge patch that a record shows with another value; what it does not show says nothing. */
export function otherValues(record: JsonObject, patch: JsonObject): readonly OtherValue[] {
  return compare(valuesOf(record), patch, [])
}

function compare(shown: JsonObject, patch: JsonObject, path: readonly string[]): readonly OtherValue[] {
  return Object.entries(patch).flatMap(([name, asked]) => {
    if (!Object.hasOwn(shown, name)) return []
    const value = shown[name] ?? null
    const at = [...path, name]
    if (isJsonObject(asked) && isJsonObject(value)) return compare(value, asked, at)
    return isAlike(value, asked) ? [] : [{ member: at.join('.'), asked, shown: value }]
  })
}

/** Whether all that was sent is shown, and none of it: a text that was cut or wrapped is still the one that was sent. */
export function isAnother(record: JsonObject, sent: JsonObject): boolean {
  const values = valuesOf(record)
  const entries = Object.entries(sent)
  return (
    entries.length > 0 && entries.every(([name, asked]) => Object.hasOwn(values, name) && !isAkin(values[name], asked))
  )
}

function isAkin(shown: JsonValue = null, asked: JsonValue): boolean {
  if (isAlike(shown, asked)) return true
  const [first, second] = [plainText(shown), plainText(asked)]
  return first !== '' && second !== '' && (first.includes(second) || second.includes(first))
}

/** Servers trim, change the case, and write numbers, dates and telephone numbers in their own way. */
export function isAlike(shown: JsonValue, asked: JsonValue): boolean {
  // `owner_id` is answered with the owner.
  if (isJsonObject(shown) && !isJsonObject(asked) && asked !== null) {
    return Object.values(shown).some((inner) => !isJsonObject(inner) && isAlike(inner, asked))
  }
  const [first, second] = [plainText(shown), plainText(asked)]
  if (first === second) return true
  if (first === '' || second === '') return false
  if (!Number.isNaN(Number(first)) && Number(first) === Number(second)) return true
  if (DATE.test(first) && DATE.test(second)) return Date.parse(first) === Date.parse(second)
  return PHONE.test(first) && PHONE.test(second) && digitsOf(first) === digitsOf(second)
}

const DATE = /^\d{4}-\d\d-\d\d(?:t|$)/

const PHONE = /^\+?[\d\s().\-/]{7,}$/

function digitsOf(text: string): string {
  return text.replace(/\D/g, '')
}

function plainText(value: JsonValue): string {
  if (value === null) return ''
  const text = idText(value) ?? JSON.stringify(value)
  return foldText(text)
}

/** Servers trim, and change the case. */
export function foldText(text: string): string {
  return text.trim().replace(/\s+/g, ' ').toLowerCase()
}
