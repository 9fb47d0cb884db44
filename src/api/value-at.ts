import { isJsonObject, type JsonObject, type JsonValue } from '../core/json.ts'

/**
 * The value at the place; undefined if there is none. `*` is the only member that is a list or an object. Records are not
 * searched: a list within a record is not the requested list.
 */
export function valueAt(json: JsonValue, place: readonly string[]): JsonValue | undefined {
  let value: JsonValue | undefined = json
  for (const key of place) value = isJsonObject(value) ? member(value, key) : undefined
  return value
}

/** Like valueAt, for the path in a setting: `a.b`, or a member with a dot in its name. */
export function valueAtPath(json: JsonValue, path: string): JsonValue | undefined {
  if (!isJsonObject(json)) return undefined
  if (Object.hasOwn(json, path)) return json[path]
  const at = path.indexOf('.')
  if (at < 0) return undefined
  const inner = Object.hasOwn(json, path.slice(0, at)) ? json[path.slice(0, at)] : undefined
  return inner === undefined ? undefined : valueAtPath(inner, path.slice(at + 1))
}

function member(object: JsonObject, key: string): JsonValue | undefined {
  if (key !== '*') return Object.hasOwn(object, key) ? object[key] : undefined
  if (Object.hasOwn(object, 'id')) return undefined
  const holders = Object.keys(object).filter((name) => name !== 'pageInfo' && typeof object[name] === 'object')
  return holders.length === 1 ? (object[holders[0] ?? ''] ?? undefined) : undefined
}
