import { Buffer } from 'node:buffer'
import { type Failure, isFailure } from '../../api/errors/failure.ts'
import { oneLine } from '../../api/errors/one-line.ts'
import { STATUSES } from '../../api/errors/status-failure.ts'
import { errorsIn } from '../../api/graphql.ts'
import type { Answer } from '../../api/transport/answer.ts'
import type { Sender } from '../../api/writes/sender.ts'
import { ownId } from '../../api/writes/shown-record.ts'
import type { Write } from '../../api/writes/write.ts'
import { CrmError, type ErrorCode } from '../../core/errors.ts'
import {
  canonicalJson,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  jsonIn,
  parseExactJson,
  valueAt,
} from '../../core/json.ts'
import type { CrmRecord } from '../../core/resources/registry.ts'

// Jobs of earlier versions changed deals by a mutation of GraphQL, which stands in the head of their plan.

/** The request for updating any deal, as an earlier version stored it with a plan. */
export interface DealUpdates {
  /** Below the path of the base URL. */
  readonly path: string
  readonly query: string
  /** The members of the data that lead to the deal. */
  readonly place: readonly string[]
  readonly members: readonly string[]
}

/** The meaning of `extensions.code` without a status; any other code means refused values. */
const KINDS: readonly (readonly [RegExp, ErrorCode, number])[] = [
  [/rate.?limit|throttl|too.?many/i, 'rate_limited', 429],
  [/not.?found/i, 'not_found', 404],
  [/unauth|invalid.?token/i, 'unauthorized', 401],
  [/forbidden|scope|permission/i, 'forbidden', 403],
  [/precondition/i, 'precondition_failed', 412],
  [/in.?progress/i, 'conflict', 409],
  [/internal|unavailable|timeout/i, 'server_error', 500],
]

/**
 * Sends changes of deals by that mutation. The request follows from the plan alone, as for other operations. The response is
 * converted to that of an endpoint.
 */
export function createDealSender(sender: Sender, updates: DealUpdates): Sender {
  return {
    ...sender,
    send: async (write) => {
      const { kind, resource, id } = write
      if (kind !== 'update' || resource !== 'deal' || id === undefined) return sender.send(write)
      const outcome = await sender.post({
        ...write,
        ifMatch: undefined,
        path: updates.path,
        body: bodyOf(write, id, updates),
      })
      return asAnswer(outcome, updates, id)
    },
  }
}

function bodyOf(write: Write, id: string, { query, members }: DealUpdates): Buffer {
  const patch = parseExactJson(write.body?.toString('utf8') ?? '{}') as JsonObject
  const input = dealInput(members, id, patch)
  if (members.includes('ifVersion') && /^\d{1,15}$/.test(write.ifMatch ?? '')) input.ifVersion = Number(write.ifMatch)
  return Buffer.from(canonicalJson({ query, variables: { input } }))
}

/** Error statuses that may accompany errors of GraphQL; any other status is more specific than the errors. */
const OWN_STATUSES = [400, 409, 412, 422]

function asAnswer(outcome: Answer | Failure, { place }: DealUpdates, id: string): Answer | Failure {
  const json = jsonOf(outcome)
  const record = changedRecord(json, place, id)
  if (record && !isFailure(outcome))
    return { ...outcome, json: record, written: { type: 'done', record, id, quoted: () => undefined } }
  const errors = errorsIn(json)
  if (errors) return refusalOf(errors, outcome)
  return isFailure(outcome) ? outcome : noGraphql(outcome)
}

function jsonOf(outcome: Answer | Failure): JsonValue | undefined {
  if (!isFailure(outcome)) return outcome.json
  const { status = 0, body } = outcome
  // The response of a proxy in front of the server is not JSON; its status is its meaning.
  return OWN_STATUSES.includes(status) && body ? jsonIn(body.toString('utf8')) : undefined
}

/** The change may still have taken effect. */
function noGraphql({ headers, status }: Answer): Failure {
  return {
    code: 'in_doubt',
    reason: 'the answer shows neither the deal nor a refusal',
    hint: 'crm graphql --help',
    rule: 'never',
    isInDoubt: true,
    ...{ status, headers },
  }
}

/** Errors of GraphQL, which have any status, as the failure of a REST endpoint. */
function refusalOf(errors: readonly JsonObject[], outcome: Answer | Failure): Failure {
  const [first = {}] = errors
  const extensions = isJsonObject(first.extensions) ? first.extensions : {}
  const serverCode = typeof extensions.code === 'string' ? extensions.code : ''
  const [, known = 'invalid_values', usual = 422] = KINDS.find(([pattern]) => pattern.test(serverCode)) ?? []
  const status = typeof extensions.status === 'number' ? extensions.status : usual
  const code = status >= 500 ? 'server_error' : status === 429 ? 'rate_limited' : (STATUSES[status]?.code ?? known)
  const isOutage = code === 'server_error'
  const isPatient = code === 'rate_limited' || /in.?progress/i.test(serverCode)
  const field = fieldOf(extensions)
  return {
    ...{ code, status, serverCode, isInDoubt: isOutage },
    reason: oneLine([...new Set(errors.map(({ message }) => String(message)))].join('; ')),
    hint: 'crm deals list',
    rule: isOutage ? 'few' : isPatient ? 'patient' : 'never',
    ...(outcome.headers === undefined ? {} : { headers: outcome.headers }),
    ...(field === undefined ? {} : { field }),
    ...(typeof extensions.request_id === 'string' ? { requestId: extensions.request_id } : {}),
  }
}

/** `/input/json/stage` is `stage`. */
function fieldOf({ errors }: JsonObject): string | undefined {
  const [first] = Array.isArray(errors) ? errors : []
  const pointer = isJsonObject(first) ? first.pointer : undefined
  return typeof pointer === 'string' ? pointer.split('/').at(-1) : undefined
}

/**
 * The record with this id in the answer to its update. Errors beside it are about members that could not be read: a failed
 * mutation returns no record (GraphQL specification, 6.4.4).
 */
function changedRecord(json: JsonValue | undefined, place: readonly string[], id: string): CrmRecord | undefined {
  const record = isJsonObject(json) ? recordOf(valueAt(json.data ?? null, place)) : undefined
  if (!record) return undefined
  const shownId = ownId(record)
  return shownId === undefined || shownId.toLowerCase() === id.toLowerCase() ? record : undefined
}

/** The record in a node: its `json` member if there is one, else its members with the names of REST. */
function recordOf(node: JsonValue | undefined): CrmRecord | undefined {
  if (!isJsonObject(node)) return undefined
  const { json } = node
  if (isJsonObject(json) && Object.keys(node).every((name) => name === 'json' || name === '__typename')) return json
  return snakeCased(node)
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
