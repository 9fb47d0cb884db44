import { CrmError } from '../../core/errors.ts'
import type { JsonObject, JsonValue } from '../../core/json.ts'
import { camelCase } from './records.ts'

/** The input of `updateDeal`: a merge patch where it has a place for one, else member by member. */
export function dealInput(members: readonly string[], id: string, patch: JsonObject): JsonObject {
  if (members.includes('json')) return { id, json: patch }
  const named = Object.entries(patch).map(([name, value]): [string, JsonValue] => [camelCase(name), value])
  const unknown = named.find(([name]) => !members.includes(name))
  if (unknown) {
    const known = members.filter((name) => name !== 'id').join(', ')
    throw new CrmError('usage', `this server cannot change ${unknown[0]} of a deal`, { hint: `it takes ${known}` })
  }
  return { id, ...Object.fromEntries(named) }
}
