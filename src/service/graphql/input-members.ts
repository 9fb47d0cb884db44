import { pointer } from '../fields/rules.ts'
import { type JsonNode, type Members, parseJsonText } from '../json-text.ts'
import { invalidValues } from '../problem.ts'
import { shownValue } from '../shown.ts'
import { JsonValueText } from './json-value.ts'

/** An `input` of the schema: its own members and those of `json`, named as in REST. */
export type MutationInput = Readonly<Record<string, unknown>> & { readonly json?: JsonValueText | null }

/** Arguments that select the record and are not members of it. */
const PLACES = ['id', 'dealId', 'ifVersion', 'json']

/** The members of a record as sent to REST. */
export function inputMembers(input: MutationInput): Members {
  const members = new Map(jsonMembers(input.json))
  for (const [name, value] of Object.entries(input)) {
    if (PLACES.includes(name) || value === undefined) continue
    const member = memberName(name)
    if (members.has(member)) throw namedTwice(name, member)
    members.set(member, value instanceof JsonValueText ? value.text : JSON.stringify(value))
  }
  return members
}

/** `ownerId` is `owner_id` in REST and in the database. */
export function memberName(field: string): string {
  return field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

function jsonMembers(json: JsonValueText | null | undefined): Iterable<readonly [string, JsonNode]> {
  if (json === undefined || json === null) return []
  const node = parseJsonText(json.text)
  if (typeof node !== 'string') return node
  throw invalidValues([
    { pointer: '#', code: 'wrong_type', detail: `expected json: an object, got ${shownValue(node)}` },
  ])
}

function namedTwice(name: string, member: string): Error {
  return invalidValues([
    { pointer: pointer(member), code: 'ambiguous', detail: `expected ${name} or ${member} of json, not both` },
  ])
}
