import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json.ts'
import type { CrmRecord } from '../../core/resources.ts'

/** The record in a node: its `json` where the server has that, else its members named as REST names them. */
export function recordOf(node: JsonValue | undefined): CrmRecord | undefined {
  if (!isJsonObject(node)) return undefined
  const { json } = node
  if (isJsonObject(json) && Object.keys(node).every((name) => name === 'json' || name === '__typename')) return json
  return snakeCased(node)
}

/** `ownerId` is `owner_id`. */
function snakeCased(object: JsonObject): JsonObject {
  const members = Object.entries(object).filter(([name]) => name !== '__typename')
  return Object.fromEntries(members.map(([name, value]) => [snakeCase(name), inside(value)]))
}

export function camelCase(name: string): string {
  return name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

function inside(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(inside)
  return isJsonObject(value) ? snakeCased(value) : value
}
