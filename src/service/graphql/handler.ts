import {
  GraphQLError,
  type GraphQLFormattedError,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
} from 'graphql'
import { exactDigits, isJsonObject, type JsonObject, type JsonValue, parseJsonAsWritten } from '../../core/json.ts'
import { requireScope } from '../admission.ts'
import type { TargetRule } from '../delivery/target-rules.ts'
import { type Members, nodeText } from '../json-text.ts'
import { Problem } from '../problem.ts'
import {
  type AuditedAction,
  parseBodyText,
  type RouteCall,
  type RouteReply,
  readAuthor,
  readBody,
  readIdempotency,
} from '../route.ts'
import type { Store } from '../store/store.ts'
import { keyReused } from '../write.ts'
import { type CheckedQuery, openDocuments, type SentQuery } from './documents.ts'
import { openExecutor } from './plain-queries.ts'
import {
  type Idempotency,
  JsonValueText,
  openQueryReader,
  openQueryWriter,
  type QueryContext,
} from './query-context.ts'
import { createSchema } from './schema.ts'

export type GraphqlHandler = (store: Store, call: RouteCall) => Promise<RouteReply>

/**
 * GraphQL over HTTP. The response is serialised here: exact texts are inserted unchanged, and JSON.stringify with a replacer
 * takes twice as long.
 */
export function createGraphqlHandler(isTarget: TargetRule): GraphqlHandler {
  const schema = createSchema()
  const documents = openDocuments(schema)
  const engine = { schema, execute: openExecutor(schema), isTarget }
  return async (store, call) => {
    const request = readParams(call)
    const type = answerType(call.headers.accept)
    const checked = documents.open(request)
    const outcome = 'document' in checked ? await outcomeOf(engine, store, call, checked) : refusedQuery(call, checked)
    const { body, hasData, isReplayed, actions } = outcome
    return {
      // Nothing was executed: https://graphql.github.io/graphql-over-http/draft/#sec-application-graphql-response-json
      status: hasData || type === 'application/json' ? 200 : 400,
      body,
      headers: isReplayed ? { 'idempotent-replayed': 'true' } : {},
      type: `${type}; charset=utf-8`,
      actions,
    }
  }
}

interface Engine {
  readonly schema: GraphQLSchema
  readonly execute: ReturnType<typeof openExecutor>
  readonly isTarget: TargetRule
}

interface Outcome {
  readonly body: string
  readonly hasData: boolean
  readonly isReplayed: boolean
  readonly actions: readonly AuditedAction[]
}

async function outcomeOf(
  { schema, execute, isTarget }: Engine,
  store: Store,
  call: RouteCall,
  checked: CheckedQuery,
): Promise<Outcome> {
  const { document, operation, variables: variableValues } = checked
  const { key, requestId } = call
  if (!key) throw new Error('the GraphQL route accepted a request without a key')
  const isMutation = operation.operation === 'mutation'
  if (isMutation && call.method === 'GET') throw notWithGet()
  requireScope(key, isMutation ? 'write' : 'read')
  const idempotency = isMutation ? readIdempotency(call) : undefined
  const kept = idempotency && (await findReply(store, idempotency))
  if (kept !== undefined) return { body: kept, hasData: true, isReplayed: true, actions: actionsOf(operation, []) }
  const reader = openQueryReader(store, key)
  const writer = openQueryWriter(store, idempotency, readAuthor(call))
  const contextValue: QueryContext = { reader, writer, isTarget, hasExactText: false }
  const operationName = operation.name?.value
  const result = await execute({ schema, document, operationName, variableValues, contextValue })
  const { errors = [], data } = result
  requireNoFailure(errors)
  const whole = errors.length > 0 ? { errors: errors.map((error) => formatError(error, requestId)), data } : result
  const body = contextValue.hasExactText ? answerText(whole) : JSON.stringify(whole)
  // Stored when all writes took effect; other requests may be repeated with the same key.
  if (idempotency && errors.length === 0) await keepReply(store, idempotency, body)
  return { body, hasData: data !== undefined, isReplayed: writer.isReplayed(), actions: actionsOf(operation, errors) }
}

function refusedQuery({ method, path, requestId }: RouteCall, faults: readonly GraphQLError[]): Outcome {
  const body = JSON.stringify({ errors: faults.map((fault) => formatError(fault, requestId)) })
  return { body, hasData: false, isReplayed: false, actions: [{ name: `${method} ${path}`, isRefused: true }] }
}

/** The first media type of Accept that a response can have. */
function answerType(accept: string | undefined): string {
  for (const each of (accept || '*/*').replaceAll(/\s/g, '').toLowerCase().split(',')) {
    const [type = '', ...parameters] = each.split(';')
    const charset = parameters.find((parameter) => parameter.includes('charset='))
    if (charset !== undefined && !/^charset=utf-?8$/.test(charset)) continue
    if (type === 'application/graphql-response+json') return type
    if (['application/json', 'application/*', '*/*'].includes(type)) return 'application/json'
  }
  const detail = 'the response is application/graphql-response+json or application/json; Accept allows neither'
  throw new Problem(406, 'not_acceptable', detail)
}

/**
 * The mutations of a validated operation by name, each once. An error marks its own field as refused; an error without a
 * path, such as an invalid variable, marks all.
 */
function actionsOf(operation: OperationDefinitionNode, errors: readonly GraphQLError[]): readonly AuditedAction[] {
  const isNothingDone = errors.some(({ path }) => path === undefined)
  if (operation.operation !== 'mutation') return [{ name: 'graphql query', isRefused: isNothingDone }]
  const refused = new Set(errors.map(({ path }) => path?.[0]))
  const actions = new Map<string, boolean>()
  for (const each of operation.selectionSet.selections) {
    const isField = each.kind === Kind.FIELD
    const name = isField ? `graphql ${each.name.value}` : 'graphql mutation'
    const isRefused = isField ? refused.has((each.alias ?? each.name).value) : errors.length > 0
    actions.set(name, isNothingDone || isRefused || actions.get(name) === true)
  }
  return [...actions].map(([name, isRefused]) => ({ name, isRefused }))
}

function notWithGet(): Problem {
  return new Problem(405, 'method_not_allowed', 'mutations require POST, not GET', { headers: { allow: 'POST' } })
}

/** An error in a response. `extensions` has the members of a REST problem. */
function formatError(error: GraphQLError, requestId: string): GraphQLFormattedError {
  const { message, locations, path, extensions } = error.toJSON()
  const own = { code: 'invalid_variables', ...extensions, ...problemParts(error.originalError), request_id: requestId }
  return { message, ...(locations && { locations }), ...(path && { path }), extensions: own }
}

/** A server failure fails the whole request and is logged, as in REST. */
function requireNoFailure(errors: readonly GraphQLError[]): void {
  for (const { originalError } of errors) {
    if (originalError === undefined || originalError instanceof GraphQLError) continue
    if (!(originalError instanceof Problem) || originalError.status >= 500) throw originalError
  }
}

function problemParts(original: Error | undefined): Record<string, unknown> {
  if (!(original instanceof Problem)) return {}
  const { status, code, parts } = original
  return { code, status, ...(parts.errors && { errors: parts.errors }), ...parts.extensions }
}

/** Serialises a response, inserting JSON texts unchanged. */
function answerText(value: unknown): string {
  if (value instanceof JsonValueText) return value.text
  if (Array.isArray(value)) return listText(value)
  return isRecordLike(value) ? objectText(value) : JSON.stringify(value)
}

function listText(values: readonly unknown[]): string {
  let text = ''
  for (const value of values) text += `${text === '' ? '' : ','}${answerText(value)}`
  return `[${text}]`
}

function objectText(value: object): string {
  let text = ''
  for (const name in value) {
    const member = value[name as keyof typeof value]
    if (member !== undefined) text += `${text === '' ? '' : ','}${JSON.stringify(name)}:${answerText(member)}`
  }
  return `{${text}}`
}

/** An object to walk; objects of JSON.rawJSON are serialised by JSON.stringify. */
function isRecordLike(value: unknown): value is object {
  return typeof value === 'object' && value !== null && exactDigits(value) === undefined
}

/**
 * The whole response is stored under the key, besides the answers of its writes, as the selected fields may change. After a
 * crash between the two, the writes are replayed and the selected fields are read again.
 */
async function findReply(store: Store, idempotency: Idempotency): Promise<string | undefined> {
  const reply = await store.replay(replyKey(idempotency))
  if (reply?.type === 'replayed') return reply.answer.body
  const write = reply ?? (await store.replay(idempotency))
  if (write?.type === 'key_reused') throw keyReused()
  return undefined
}

/** Stores the response with a write that changes no record. */
async function keepReply(store: Store, idempotency: Idempotency, body: string): Promise<void> {
  const answer = { status: 200, body, location: undefined, etag: undefined }
  await store.write({
    resource: 'contact',
    id: '',
    idempotency: replyKey(idempotency),
    decide: () => ({ next: undefined, answer }),
  })
}

/** Keys of clients contain no line break, so they never equal this one. */
function replyKey({ key, fingerprint }: Idempotency): Idempotency {
  return { key: `${key}\nreply`, fingerprint }
}

/** The parameters of a request, from its body or its URL (https://graphql.github.io/graphql-over-http/draft/). */
function readParams(call: RouteCall): SentQuery {
  const sent = call.method === 'GET' ? urlMembers(call.query) : readBody(call)
  const read = (name: string): JsonValue => parseJsonAsWritten(nodeText(sent.get(name) ?? 'null'))
  const query = read('query')
  const operationName = read('operationName')
  if (typeof query !== 'string') throw badMember('query', 'a string')
  if (operationName !== null && typeof operationName !== 'string') throw badMember('operationName', 'a string or null')
  const variables = requireObject('variables', read('variables'))
  requireObject('extensions', read('extensions'))
  return { query, operationName: operationName ?? undefined, variables }
}

function urlMembers(query: RouteCall['query']): Members {
  return new Map(
    Object.entries(query).map(([name, text = '']) => {
      if (name === 'query' || name === 'operationName') return [name, JSON.stringify(text)]
      return [name, text === '' ? 'null' : parseBodyText(text)]
    }),
  )
}

function requireObject(name: string, value: JsonValue): JsonObject {
  if (value === null) return {}
  if (!isJsonObject(value)) throw badMember(name, 'an object or null')
  return value
}

function badMember(name: string, expected: string): Problem {
  const detail = `expected ${expected}`
  return new Problem(400, 'malformed_request', `${name}: ${detail}`, {
    errors: [{ pointer: `#/${name}`, code: 'wrong_type', detail }],
  })
}
