import { idText, isJsonObject, type JsonObject, type JsonValue, memberOf } from './json.ts'
import { foldedLine } from './nearest.ts'
import { redactShapes } from './redact.ts'

export interface OtherValue {
  /** The path as in `--set`: `address.city`. */
  readonly member: string
  readonly asked: JsonValue
  readonly shown: JsonValue
}

/** The members of a merge patch whose values in the record differ; members that the record omits are not compared. */
export function otherValues(record: JsonObject, patch: JsonObject): readonly OtherValue[] {
  const found: OtherValue[] = []
  compare(record, patch, { path: '', found })
  return found
}

/** Each row of a job is compared: nothing is allocated for members that are equal. */
function compare(shown: JsonObject, patch: JsonObject, { path, found }: { path: string; found: OtherValue[] }): void {
  for (const name of Object.keys(patch)) {
    const [asked = null, value = null] = [patch[name], shown[name]]
    if (value === asked || !Object.hasOwn(shown, name)) continue
    if (isJsonObject(asked) && isJsonObject(value)) compare(value, asked, { path: `${path}${name}.`, found })
    else if (!isAlike(value, asked)) found.push({ member: `${path}${name}`, asked, shown: value })
  }
}

/**
 * The members of a patch that the record does not show at all, without those that it clears: the server dropped them, or leaves
 * them out of its answer.
 */
export function absentMembers(record: JsonObject, patch: JsonObject): readonly string[] {
  return Object.keys(patch).filter((name) => !Object.hasOwn(record, name) && !isNothing(patch[name]))
}

function isNothing(value: JsonValue | undefined): boolean {
  return value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0)
}

const MOST_CHARS = 60

/** `company: sent "Acme", answered "ACME Inc"`; long texts are cut, without what looks like a secret. */
export function otherValueText({ member, asked, shown }: OtherValue): string {
  return `${shortText(member)}: sent ${shortText(JSON.stringify(asked))}, answered ${shortText(JSON.stringify(shown))}`
}

/** `company: "Acme"`, cut and redacted alike. */
export function sentValueText(member: string, asked: JsonValue): string {
  return `${shortText(member)}: ${shortText(JSON.stringify(asked))}`
}

function shortText(text: string): string {
  const safe = redactShapes(text)
  return safe.length <= MOST_CHARS ? safe : `${safe.slice(0, MOST_CHARS - 1).toWellFormed()}…`
}

/** Whether the record has every sent member, each with a different value; a truncated or wrapped text counts as the same. */
export function isAnother(record: JsonObject, sent: JsonObject): boolean {
  const entries = Object.entries(sent)
  return (
    entries.length > 0 && entries.every(([name, asked]) => Object.hasOwn(record, name) && !isAkin(record[name], asked))
  )
}

function isAkin(shown: JsonValue = null, asked: JsonValue): boolean {
  if (isAlike(shown, asked)) return true
  const [first, second] = [plainText(shown), plainText(asked)]
  return first !== '' && second !== '' && (first.includes(second) || second.includes(first))
}

/**
 * Servers trim texts, change their case, and reformat numbers, dates and telephone numbers. They order the members of objects as
 * they like, and add some.
 */
export function isAlike(shown: JsonValue, asked: JsonValue): boolean {
  if (Array.isArray(shown) && Array.isArray(asked)) {
    return shown.length === asked.length && asked.every((each, at) => isAlike(shown[at] ?? null, each))
  }
  if (isJsonObject(shown) && isJsonObject(asked)) {
    return Object.entries(asked).every(([name, value]) => isAlike(memberOf(shown, name), value))
  }
  // Some servers return the owner as an object in `owner_id`.
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
  return foldedLine(text)
}

/** Of a change that the server took and did not keep, or not all of it. */
export const NOT_KEPT_CODE = 'not_kept'
