import { Buffer } from 'node:buffer'
import { type Failure, isFailure } from '../../api/errors/failure.ts'
import { oneLine } from '../../api/errors/one-line.ts'
import type { DealUpdates } from '../../api/graphql/graphql-api.ts'
import { errorsIn } from '../../api/graphql/graphql-error.ts'
import { changedRecord, dealInput } from '../../api/graphql/records.ts'
import type { Answer } from '../../api/transport/answer.ts'
import type { Sender, Write } from '../../api/writes/sender.ts'
import type { ErrorCode } from '../../core/errors.ts'
import { canonicalJson, isJsonObject, type JsonObject, type JsonValue, parseExactJson } from '../../core/json.ts'

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

const DEALS = '/v1/deals/'

/**
 * Sends changes of deals over GraphQL, because no endpoint accepts them. The request follows from the plan alone, as for other
 * operations. The response is converted to that of an endpoint.
 */
export function createDealSender(sender: Sender, updates: DealUpdates): Sender {
  return {
    ask: sender.ask,
    close: sender.close,
    send: async (write) => {
      if (write.method !== 'PATCH' || !write.path.startsWith(DEALS)) return sender.send(write)
      const outcome = await sender.send({ ...write, method: 'POST', path: updates.path, body: bodyOf(write, updates) })
      return asAnswer(outcome, updates, idOf(write))
    },
  }
}

function idOf({ path }: Write): string {
  return decodeURIComponent(path.slice(DEALS.length))
}

function bodyOf(write: Write, { query, members }: DealUpdates): Buffer {
  const patch = parseExactJson(write.body?.toString('utf8') ?? '{}') as JsonObject
  return Buffer.from(canonicalJson({ query, variables: { input: dealInput(members, idOf(write), patch) } }))
}

/** Error statuses that may accompany errors of GraphQL; any other status is more specific than the errors. */
const OWN_STATUSES = [400, 409, 412, 422]

function asAnswer(outcome: Answer | Failure, { place }: DealUpdates, id: string): Answer | Failure {
  const json = jsonOf(outcome)
  const record = changedRecord(json, place, id)
  if (record && !isFailure(outcome)) return { ...outcome, json: record }
  const errors = errorsIn(json)
  if (errors) return refusalOf(errors, outcome)
  return isFailure(outcome) ? outcome : noGraphql(outcome)
}

function jsonOf(outcome: Answer | Failure): JsonValue | undefined {
  if (!isFailure(outcome)) return outcome.json
  const { status = 0, body } = outcome
  if (!OWN_STATUSES.includes(status) || !body) return undefined
  try {
    return parseExactJson(body.toString('utf8'))
  } catch (error) {
    // The response of a proxy in front of the server; its status is its meaning.
    if (error instanceof SyntaxError) return undefined
    throw error
  }
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
