import { isJsonObject, type JsonObject, type JsonValue } from '../../src/core/json.ts'

const MADE = /creat|add|updat|modif/i
const TIME = /^\d{4}-\d\d-\d\d(?<separator>[T ])\d\d:\d\d:\d\d(?:\.\d+)?(?<zone>Z|[+-]\d\d:?\d\d)?$/

/** The example with its times of creation and change at this moment: a record of years ago is none that was just made. */
export function withFreshTimes(example: JsonObject, now = new Date()): JsonObject {
  const members = Object.entries(example).map(([name, value]) => [name, freshened(name, value, now)] as const)
  return Object.fromEntries(members)
}

function freshened(name: string, value: JsonValue, now: Date): JsonValue {
  if (Array.isArray(value)) return value.map((element) => freshened(name, element, now))
  if (isJsonObject(value)) return withFreshTimes(value, now)
  const { separator, zone } = (MADE.test(name) && typeof value === 'string' && TIME.exec(value)?.groups) || {}
  if (separator === undefined) return value
  return now.toISOString().slice(0, 19).replace('T', separator) + (zone === undefined ? '' : 'Z')
}
