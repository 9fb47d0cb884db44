import { CrmError, type ErrorCode } from '../core/errors.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../core/json.ts'
import type { Redactor } from '../core/redact.ts'
import { lacks } from './connectors/resource-rules.ts'
import { doubtHint, isGoneStatus, type KeyState } from './errors/failure.ts'
import { oneLine } from './errors/one-line.ts'
import { readProblem } from './errors/problem.ts'
import type { ApiOptions } from './options.ts'
import { parseJson, readBodyText, redactTrouble } from './transport/answer.ts'
import { type Call, cannot } from './transport/call.ts'
import type { Http, Settled } from './transport/http.ts'

export interface GraphqlRequest {
  readonly query: string
  readonly variables: JsonObject
  readonly operationName: string | undefined
  /** It changes nothing, and needs no idempotency key. */
  readonly isRead: boolean
  readonly idempotencyKey: string | undefined
  /** See Call. */
  readonly signal?: AbortSignal | undefined
}

export interface GraphqlAnswer {
  /** The body, unchanged. */
  readonly text: string
  readonly json: JsonObject
  readonly errors: readonly JsonObject[]
}

/**
 * Posts to the path that the connector names. CrmError `not_supported` if it names none, before anything is sent. Errors in the
 * answer are returned, not thrown.
 */
export async function sendGraphql(
  http: Http,
  { baseUrl, connector }: Pick<ApiOptions, 'baseUrl' | 'connector'>,
  request: GraphqlRequest,
): Promise<GraphqlAnswer> {
  const { graphql } = connector.document
  if (graphql === undefined) throw lacks(connector.document, 'GraphQL', connector)
  const path = baseUrl.pathname.replace(/\/+$/, '') + graphql
  const call = { ...callOf(path, request), headers: connector.common.headers }
  const settled = await http.settle(call)
  const answer = readGraphql(settled, http.redactor)
  if (answer) return answer
  if ('error' in settled) {
    const { status } = settled.error.details
    throw isGoneStatus(status) || status === 405
      ? notThere(call, `${call.path} answers ${status}`, connector.word)
      : settled.error
  }
  throw request.isRead
    ? notThere(call, `${call.path} answers something else`, connector.word)
    : inDoubt(call, http.keys)
}

function callOf(path: string, request: GraphqlRequest): Call {
  const { query, variables, operationName, isRead, idempotencyKey, signal } = request
  return {
    method: 'POST',
    path,
    address: path,
    body: { query, variables, ...(operationName !== undefined && { operationName }) },
    idempotencyKey,
    ...(isRead && { isRead }),
    signal,
    isAnyTypeTaken: true,
    action: 'ask GraphQL',
    command: 'crm graphql',
    findCommand: undefined,
  }
}

function notThere(call: Call, seen: string, connector: string): CrmError {
  return new CrmError('bad_answer', `${cannot(call)}: ${seen}, expected a GraphQL response`, {
    hint: `graphql in the connector names its path: crm connectors show ${connector}`,
  })
}

/** The error of a mutation whose answer is not a GraphQL response. */
function inDoubt(call: Call, keys: KeyState): CrmError {
  const { idempotencyKey } = call
  const message = `${cannot(call)}: the answer is not a GraphQL response; it is unknown whether the server applied it`
  return new CrmError('in_doubt', message, {
    isInDoubt: true,
    hint: doubtHint(call, idempotencyKey, keys),
    ...(idempotencyKey !== undefined && { idempotencyKey }),
  })
}

/** Error statuses that the query can cause; others have their usual meaning. */
const OWN_STATUSES = [400, 406, 409, 412, 415, 422]

/** A GraphQL response; its status may be an error. */
function readGraphql(settled: Settled, redactor: Redactor): GraphqlAnswer | undefined {
  const isSuccess = 'answer' in settled
  const { status = 0, headers = {}, body } = isSuccess ? settled.answer : settled.failure
  if (!body || !(isSuccess || OWN_STATUSES.includes(status))) return undefined
  const text = readBodyText({ body, headers })
  const data = text === undefined ? undefined : parseJson(redactor.data(text))
  const json = data === undefined ? undefined : redactTrouble(data, redactor)
  if (text === undefined || !isJsonObject(json)) return undefined
  const errors = errorsIn(json)
  return isJsonObject(json.data) || errors ? { text, json, errors: errors ?? [] } : undefined
}

/** Each has a message, which is all that the specification requires (GraphQL, section 7.1.2). */
export function errorsIn(json: JsonValue | undefined): readonly JsonObject[] | undefined {
  if (!isJsonObject(json) || !Array.isArray(json.errors)) return undefined
  const errors = json.errors.filter(isJsonObject)
  return errors.length > 0 && errors.every(({ message }) => typeof message === 'string') ? errors : undefined
}

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

interface GraphqlFailure {
  readonly errors: readonly JsonObject[]
  /** Completes "cannot ...: <messages>". */
  readonly action: string
  readonly hint: string
}

/** The errors of an answer as one, with the code of the first. */
export function graphqlError({ errors, action, hint }: GraphqlFailure): CrmError {
  const messages = [...new Set(errors.map(({ message }) => String(message)))].join('; ')
  const [first] = errors
  const extensions = isJsonObject(first?.extensions) ? first.extensions : {}
  const code = CODES[String(extensions.code).toLowerCase()] ?? 'rejected'
  const requestId = extensions.request_id
  const { fields } = readProblem('', extensions)
  return new CrmError(code, `cannot ${oneLine(action, 200)}: ${oneLine(messages)}`, {
    hint,
    ...(typeof extensions.status === 'number' ? { status: extensions.status } : {}),
    ...(typeof requestId === 'string' ? { requestId } : {}),
    ...(fields.length === 0 ? {} : { fields }),
  })
}
