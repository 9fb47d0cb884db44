import { isJsonObject, type JsonObject, type JsonValue } from '../core/json.ts'
import type { Resource } from '../core/resources/registry.ts'
import { joined } from './openapi/record-places.ts'
import { FIRST_NAMES, fieldNames, foldedName, LAST_NAMES } from './openapi/server-names.ts'

const MAX_DEPTH = 3
const MAX_LEAVES = 200

/** One value of a record, at a path of connectors. */
export interface Leaf {
  readonly path: string
  readonly name: string
  /** The members on the way to it, folded. */
  readonly above: readonly string[]
  readonly value: JsonValue
}

/** Objects that hold the members of the record itself. */
const OWN =
  /^(?:profile|person|personal|personaldata|contact|contactinfo|contactdetails|info|details|general|basic|basics|data|main|core|identity|attributes|fields|properties|values|deal|name|names|communication|channels)$/

export function leavesOf(record: JsonObject): readonly Leaf[] {
  return leavesIn(record, '.', []).slice(0, MAX_LEAVES)
}

function leavesIn(object: JsonObject, path: string, above: readonly string[]): readonly Leaf[] {
  return Object.entries(object).flatMap(([name, member]) => {
    const at = Array.isArray(member) ? `${joined(path, name)}[0]` : joined(path, name)
    const value = Array.isArray(member) ? member[0] : member
    if (value === undefined || (isJsonObject(value) && above.length === MAX_DEPTH)) return []
    const folded = foldedName(name)
    return isJsonObject(value) ? leavesIn(value, at, [...above, folded]) : [{ path: at, name: folded, above, value }]
  })
}

export interface Proposed {
  readonly made: JsonValue
  readonly path: string
  /** Its place says that it belongs to the record; else a person decides. */
  readonly isSure: boolean
}

const EMAIL = /^[^\s@]+@[^\s@]+\.[^\s@]+$/

/** A place below the record for a field that its own members do not have. */
export function proposeField(resource: Resource, field: string, leaves: readonly Leaf[]): Proposed | undefined {
  const names = fieldNames(resource)[field] ?? []
  const nested = leaves.filter(
    ({ above, name }) => above.length > 0 && (names.includes(name) || isValueOf(names, above, name)),
  )
  const own = nested.filter(({ above }) => above.every((each) => OWN.test(each) || names.includes(each)))
  const [best] = own.length > 0 ? own : nested
  if (field === 'name' && own.length === 0) {
    const parts = nameParts(leaves)
    if (parts) return parts
  }
  if (best) return { made: madeOf(field, best.path), path: best.path, isSure: own.length === 1 }
  const shown =
    field === 'email' ? leaves.find(({ value }) => typeof value === 'string' && EMAIL.test(value)) : undefined
  return shown && { made: madeOf(field, shown.path), path: shown.path, isSure: false }
}

const VALUES = ['value', 'address', 'email', 'emailaddress', 'number', 'phonenumber', 'name', 'full']

/** `emails[0].address`. */
function isValueOf(names: readonly string[], above: readonly string[], name: string): boolean {
  return names.includes(above.at(-1) ?? '') && VALUES.includes(name)
}

/** First and last name in one object. */
function nameParts(leaves: readonly Leaf[]): Proposed | undefined {
  const named = (names: readonly string[]) => leaves.find(({ name, above }) => above.length > 0 && names.includes(name))
  const [first, last] = [named(FIRST_NAMES), named(LAST_NAMES)]
  if (!first || !last || first.above.join() !== last.above.join()) return undefined
  const isSure = first.above.every((each) => OWN.test(each))
  return { made: { join: [first.path, last.path] }, path: `${first.path} and ${last.path}`, isSure }
}

/** The field at this path, in the grammar of connectors. */
export function madeOf(field: string, path: string): JsonValue {
  return field === 'email' ? { at: path, fold: 'case' } : path
}

/** One record that has what any of them has: the first value of each member that is not null. */
export function mergedRecord(records: readonly JsonObject[]): JsonObject {
  const merged: JsonObject = {}
  for (const record of records) {
    for (const [name, value] of Object.entries(record)) {
      const before = Object.hasOwn(merged, name) ? merged[name] : undefined
      if (before === undefined || before === null || (Array.isArray(before) && before.length === 0)) {
        Object.defineProperty(merged, name, { value, enumerable: true, writable: true, configurable: true })
      } else if (isJsonObject(before) && isJsonObject(value)) merged[name] = mergedRecord([before, value])
    }
  }
  return merged
}
