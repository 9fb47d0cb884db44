import { CrmError } from '../../core/errors.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json.ts'
import type { CrmRecord } from '../../core/resources/registry.ts'
import { valueAt } from '../value-at.ts'
import { ownId } from '../writes/shown-record.ts'

/** The record in a node: its `json` member if there is one, else its members with the names of REST. */
export function recordOf(node: JsonValue | undefined): CrmRecord | undefined {
  if (!isJsonObject(node)) return undefined
  const { json } = node
  if (isJsonObject(json) && Object.keys(node).every((name) => name === 'json' || name === '__typename')) return json
  return snakeCased(node)
}

/**
 * The record with this id in the answer to its update. Errors beside it are about members that could not be read: a failed
 * mutation returns no record (GraphQL specification, 6.4.4).
 */
export function changedRecord(
  json: JsonValue | undefined,
  place: readonly string[],
  id: string,
): CrmRecord | undefined {
  const record = isJsonObject(json) ? recordOf(valueAt(json.data ?? null, place)) : undefined
  if (!record) return undefined
  const shownId = ownId(record)
  return shownId === undefined || shownId.toLowerCase() === id.toLowerCase() ? record : undefined
}

/** `ownerId` becomes `owner_id`. */
function snakeCased(object: JsonObject): JsonObject {
  const members = Object.entries(object).filter(([name]) => name !== '__typename')
  return Object.fromEntries(members.map(([name, value]) => [snakeCase(name), inside(value)]))
}

function camelCase(name: string): string {
  return name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

function inside(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(inside)
  return isJsonObject(value) ? snakeCased(value) : value
}

/** The input of `updateDeal`: a merge patch in `json` if the type has it, else member by member. */
export function dealInput(members: readonly string[], id: string, patch: JsonObject): JsonObject {
  if (members.includes('json')) return { id, json: patch }
  const named = Object.entries(patch).map(([name, value]): [string, JsonValue] => [camelCase(name), value])
  const unknown = named.find(([name]) => !members.includes(name))
  if (unknown) {
    const known = members.filter((name) => name !== 'id').join(', ')
    throw new CrmError('usage', `this server cannot change ${unknown[0]} of a deal`, { hint: `it accepts ${known}` })
  }
  return { id, ...Object.fromEntries(named) }
}
