import { Buffer } from 'node:buffer'
import { createHash } from 'node:crypto'
import { type Failure, isFailure, isGoneStatus } from '../../api/errors/failure.ts'
import { oneLine } from '../../api/errors/one-line.ts'
import { changedRecord, dealInput, errorsIn } from '../../api/graphql/answers.ts'
import type { DealUpdates } from '../../api/graphql/graphql-api.ts'
import type { Answer } from '../../api/transport/answer.ts'
import type { Sender } from '../../api/writes/sender.ts'
import type { Write } from '../../api/writes/write.ts'
import type { ErrorCode } from '../../core/errors.ts'
import {
  canonicalJson,
  idText,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  jsonIn,
  parseExactJson,
} from '../../core/json.ts'
import { type ImportableResource, resourceOf, uniqueByOf } from '../../core/resources/registry.ts'
import type { PlanHead } from '../plan/plan-format.ts'

/** The sender of a job: changes of deals and creates of an upsert are not sent as the plan describes them. */
export function senderFor({ updates, upsert, terms, noun }: PlanHead, sender: Sender): Sender {
  if (upsert !== undefined) return sender
  const [member, ...others] = terms?.match.mode === 'upsert' ? terms.match.names : []
  if (member !== undefined && others.length === 0) {
    return createUpsertSender(sender, { resource: resourceOf(noun), member })
  }
  return updates === undefined ? sender : createDealSender(sender, updates)
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

const BY_STATUS: Readonly<Record<number, ErrorCode>> = {
  400: 'bad_request',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not_found',
  409: 'conflict',
  410: 'not_found',
  412: 'precondition_failed',
  422: 'invalid_values',
  429: 'rate_limited',
}

/**
 * Sends changes of deals over GraphQL, because no endpoint accepts them. The request follows from the plan alone, as for other
 * operations. The response is converted to that of an endpoint.
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
  const code = BY_STATUS[status] ?? (status >= 500 ? 'server_error' : known)
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

/** `Contact already exists. Existing ID: 123`: https://developers.hubspot.com/docs/api/error-handling */
const EXISTING_ID = /\bexisting ID: ?([\w-]+)/i

/** The number of attempts; a record may be deleted between the two requests of one, but not by chance in all of them. */
const MOST_TURNS = 3

/** The response to a create that changed an existing record, because another writer created it after planning. */
interface ChangedInstead extends Answer {
  readonly changedId: string
}

/** The member by which rows are matched. */
interface MatchedBy {
  readonly resource: ImportableResource
  readonly member: string
}

/**
 * Sends the creates of an upsert: a create that is refused because a record has its value of `member` becomes a change of that
 * record. Both requests are one try. The create is refused each time and the change sets the same values again, so an
 * interrupted try is safe to repeat, under keys derived from that of the create.
 */
export function createUpsertSender(sender: Sender, matched: MatchedBy): Sender {
  return {
    ...sender,
    // A refused create of a batch could not become a change.
    inBatch: (write) => (write.kind === 'create' ? undefined : sender.inBatch(write)),
    send: async (write) => {
      if (write.kind !== 'create') return sender.send(write)
      let outcome = await createOrChange(sender, write, matched)
      for (let turn = 1; turn < MOST_TURNS && isGoneStatus(outcome.status); turn++) {
        outcome = await createOrChange(sender, write, matched)
      }
      return outcome
    },
  }
}

async function createOrChange(sender: Sender, write: Write, matched: MatchedBy): Promise<Answer | Failure> {
  const outcome = await sender.send(write)
  const id = isFailure(outcome) ? existingIdIn(outcome, matched) : undefined
  if (id === undefined) return outcome
  const changed = await sender.send(changeOf(write, id))
  if (isFailure(changed)) return { ...changed, isInDoubt: false }
  const turned: ChangedInstead = { ...changed, changedId: id }
  return turned
}

export function changedId(answer: Answer): string | undefined {
  return 'changedId' in answer ? (answer as ChangedInstead).changedId : undefined
}

function changeOf(write: Write, id: string): Write {
  const idempotencyKey = createHash('sha256').update(`${write.idempotencyKey}\0${id}`).digest('base64url').slice(0, 32)
  return { ...write, kind: 'update', id, idempotencyKey, action: `update ${id}` }
}

/** Undefined if the existing record is unknown, or does not match the row. */
function existingIdIn({ status, body, field }: Failure, { resource, member }: MatchedBy): string | undefined {
  const json = status === 409 && body ? jsonIn(body.toString('utf8')) : undefined
  if (!isJsonObject(json)) return undefined
  if ((field ?? uniqueByOf(resource)) !== member) return undefined
  return idText(json.existing_id) ?? EXISTING_ID.exec(textOf(json))?.[1]
}

function textOf({ message, detail }: JsonObject): string {
  return [message, detail].filter((text) => typeof text === 'string').join(' ')
}
