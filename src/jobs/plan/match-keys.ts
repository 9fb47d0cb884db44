import type { ValuesOf } from '../../connector/record-map.ts'
import { canonicalJson, exactDigits, idText, type JsonObject, type JsonValue, memberOf } from '../../core/json.ts'
import { foldedText } from '../../core/nearest.ts'
import { recordTimeMs } from '../../core/record-time.ts'
import type { CrmRecord } from '../../core/resources/registry.ts'

/** The key by which a record is found; undefined for a record that is not to be found. */
export type KeyOf = (record: CrmRecord) => string | undefined

export const byId: KeyOf = ({ id }) => idText(id)

/** Before a member of `--match` that is tried where those before it match nothing: `email, else phone`. */
const ELSE = 'else '

/** The members to match by, then those that are tried in their place. */
export function alternativesOf(names: readonly string[]): readonly (readonly string[])[] {
  const all: string[][] = [[]]
  for (const name of names) {
    if (name.startsWith(ELSE)) all.push([name.slice(ELSE.length)])
    else all.at(-1)?.push(name)
  }
  return all
}

/**
 * The keys by which a row matches a record, the first that it has counting: all members of an alternative of `--match`. Texts are folded,
 * numbers compared by value. None if a member of each is missing, null or empty: such a row matches nothing.
 */
function matchKeys(record: JsonObject, names: readonly string[]): readonly string[] {
  return alternativesOf(names).flatMap((own, at) => {
    const key = keyIn(record, own)
    return key === undefined ? [] : [at === 0 ? key : `${ELSE}${at} ${key}`]
  })
}

/** The alternative of which a key is, from 0. */
export function alternativeIn(key: string): number {
  return key.startsWith(ELSE) ? Number.parseInt(key.slice(ELSE.length), 10) : 0
}

/** The first of matchKeys. */
export function matchKey(record: JsonObject, names: readonly string[]): string | undefined {
  return matchKeys(record, names)[0]
}

function keyIn(record: JsonObject, names: readonly string[]): string | undefined {
  const parts: string[] = []
  for (const name of names) {
    const value = Object.hasOwn(record, name) ? record[name] : undefined
    const part = folded(addressIn(name, value) ?? value)
    if (part === undefined) return undefined
    parts.push(part)
  }
  return JSON.stringify(parts)
}

/** By id, or by the members of `--match`, each with every value that it has. */
export function keysOfRecord(record: CrmRecord, names: readonly string[], valuesOf: ValuesOf): readonly string[] {
  if (names[0] === 'id') return [record].flatMap((one) => byId(one) ?? [])
  let forms: readonly CrmRecord[] = [record]
  for (const name of alternativesOf(names).flat()) {
    const others = valuesOf(record, name).filter((value) => value !== record[name])
    if (others.length > 0)
      forms = forms.flatMap((form) => [form, ...others.map((value) => ({ ...form, [name]: value }))])
  }
  return [...new Set(forms.flatMap((form) => matchKeys(form, names)))]
}

interface KeyedRow {
  readonly id?: string | undefined
  readonly fields: JsonObject
}

/** The keys of a row, whose id is no member, in the order in which they are tried. */
export function keysOfRow({ id, fields }: KeyedRow, names: readonly string[]): readonly string[] {
  return names[0] === 'id' ? (id === undefined ? [] : [id]) : matchKeys(fields, names)
}

export function keyOfRow(row: KeyedRow, names: readonly string[]): string | undefined {
  return keysOfRow(row, names)[0]
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

/** The member by which people identify a record: its email, else its name. */
export function naturalName(record: JsonObject): string | undefined {
  return matchKey(record, ['email']) ?? matchKey(record, ['name'])
}

/** That, and what its members of `match` are, if there are any. */
export function naturalNames(record: JsonObject, match: readonly string[]): readonly string[] {
  const name = naturalName(record)
  const names = name === undefined ? [] : [name]
  return match.length === 0 ? names : [...new Set([...names, ...matchKeys(record, match)])]
}

/**
 * The values of these members, as a text for comparison. Null equals absent, because some servers keep no nulls, and a time is
 * one in every form.
 */
export function membersText(record: JsonObject, names: readonly string[]): string {
  return names.map((name) => comparable(memberOf(record, name))).join('\n')
}

function comparable(value: JsonValue): string {
  const timeMs = typeof value === 'string' && /^\d{4}-/.test(value) ? recordTimeMs(value) : Number.NaN
  return Number.isNaN(timeMs) ? canonicalJson(value) : `@${timeMs}`
}
