import { isJsonObject, type JsonObject, type JsonValue } from '../core/json.ts'

/**
 * What stands at the place; undefined when nothing does. `*` is the only member that is a list or an object, which no
 * record is taken for: a list inside one is not the list that was asked for.
 */
export function valueAt(json: JsonValue, place: readonly string[]): JsonValue | undefined {
  let value: JsonValue | undefined = json
  for (const key of place) value = isJsonObject(value) ? member(value, key) : undefined
  return value
}

/** As valueAt, for a place that a setting names: `a.b`, or a member that has the dot in its name. */
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
