import { CrmError, type ErrorCode } from '../../core/errors.ts'
import { isJsonObject, type JsonObject, type JsonValue, valueAt } from '../../core/json.ts'
import type { CrmRecord } from '../../core/resources/registry.ts'
import { oneLine } from '../errors/one-line.ts'
import { readProblem } from '../errors/problem.ts'
import { ownId } from '../writes/shown-record.ts'

/** By `extensions.code`, if a server uses the codes of its REST API; others are `rejected`. */
const CODES: Readonly<Record<string, ErrorCode>> = {
  not_found: 'not_found',
  unauthorized: 'unauthorized',
  unauthenticated: 'unauthorized',
  invalid_token: 'unauthorized',
  forbidden: 'forbidden',
  insufficient_scope: 'forbidden',
  precondition_failed: 'precondition_failed',
  invalid_values: 'invalid_values',
  conflict: 'conflict',
  rate_limited: 'rate_limited',
}

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
  // Beside the id of the record to change there is no other.
  const unknown = named.find(([name]) => name === 'id' || !members.includes(name))
  if (unknown) {
    const known = members.filter((name) => name !== 'id').join(', ')
    throw new CrmError('usage', `this server cannot change ${unknown[0]} of a deal`, { hint: `it accepts ${known}` })
  }
  return { id, ...Object.fromEntries(named) }
}

interface GraphqlFailure {
  readonly errors: readonly JsonObject[]
  /** Completes "cannot ...: <messages>". */
  readonly action: string
  readonly hint: string
  /** For a record that does not exist; default: `hint`. */
  readonly findHint?: string
}

/** The errors of an answer as one, with the code of the first. */
export function graphqlError({ errors, action, hint, findHint = hint }: GraphqlFailure): CrmError {
  const messages = [...new Set(errors.map(({ message }) => String(message)))].join('; ')
  const [first] = errors
  const extensions = isJsonObject(first?.extensions) ? first.extensions : {}
  const code = CODES[String(extensions.code).toLowerCase()] ?? 'rejected'
  const requestId = extensions.request_id
  const { fields } = readProblem('', extensions)
  return new CrmError(code, `cannot ${oneLine(action, 200)}: ${oneLine(messages)}`, {
    hint: code === 'not_found' ? findHint : hint,
    ...(typeof extensions.status === 'number' ? { status: extensions.status } : {}),
    ...(typeof requestId === 'string' ? { requestId } : {}),
    ...(fields.length === 0 ? {} : { fields }),
  })
}

/** Each has a message, which is all that the specification requires (GraphQL, section 7.1.2). */
export function errorsIn(json: JsonValue | undefined): readonly JsonObject[] | undefined {
  if (!isJsonObject(json) || !Array.isArray(json.errors)) return undefined
  const errors = json.errors.filter(isJsonObject)
  return errors.length > 0 && errors.every(({ message }) => typeof message === 'string') ? errors : undefined
}
