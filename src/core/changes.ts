import { isJsonObject, isSameJson, type JsonObject, type JsonValue, memberOf, parseExactJson } from './json.ts'
import type { CrmRecord } from './resources/registry.ts'

/** The effect of a merge patch (RFC 7396) on a record: each changed member with its value before and after. */
export function changedMembers(record: CrmRecord, patch: JsonObject): JsonObject {
  const changes: [string, JsonValue][] = []
  for (const [name, value] of Object.entries(patch)) {
    const before = memberOf(record, name)
    const after = merged(before, value)
    if (!isSame(before, after)) changes.push([name, { from: before, to: after }])
  }
  return Object.fromEntries(changes)
}

/** Also of equal numbers: 12500.50 is 12500.5. */
function isSame(before: JsonValue, after: JsonValue): boolean {
  return isSameJson(before, after) || isSameJson(reparsed(before), reparsed(after))
}

function reparsed(value: JsonValue): JsonValue {
  return parseExactJson(JSON.stringify(value))
}

function merged(before: JsonValue, patch: JsonValue): JsonValue {
  if (!isJsonObject(patch)) return patch
  const members = new Map(Object.entries(isJsonObject(before) ? before : {}))
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) members.delete(name)
    else members.set(name, merged(members.get(name) ?? null, value))
  }
  return Object.fromEntries(members)
}
