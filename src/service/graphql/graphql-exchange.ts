import {
  type ExecutionResult,
  GraphQLError,
  type GraphQLFormattedError,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
} from 'graphql'
import type { OperationArgs } from 'graphql-http'
import { exactDigits } from '../../core/json.ts'
import { requireScope } from '../admission.ts'
import type { TargetRule } from '../delivery/target-rules.ts'
import { Problem } from '../problem.ts'
import { type AuditedAction, type RouteCall, readAuthor, readIdempotency } from '../route.ts'
import type { ApiKey, Store } from '../store/store.ts'
import { keyReused } from '../write.ts'
import type { Documents, SentQuery } from './documents.ts'
import { type Idempotency, openQueryWriter, type QueryContext } from './query-context.ts'
import { openQueryReader } from './reader.ts'
import { JsonValueText } from './record-source.ts'

export interface Engine {
  readonly schema: GraphQLSchema
  readonly documents: Documents
  readonly isTarget: TargetRule
}

/** One request and its result. */
export interface GraphqlExchange {
  readonly store: Store
  readonly call: RouteCall
  readonly key: ApiKey
  readonly request: SentQuery
  /** Undefined until the document is validated. */
  operation: OperationDefinitionNode | undefined
  actions: readonly AuditedAction[] | undefined
  idempotency: Idempotency | undefined
  answer: { readonly body: string; readonly hasData: boolean; readonly isReplayed: boolean } | undefined
}

export type Args = OperationArgs<QueryContext>

/** Returns what to execute, or the errors, or undefined when the kept answer is replayed. */
export async function prepare(
  { schema, documents, isTarget }: Engine,
  exchange: GraphqlExchange,
): Promise<Args | readonly GraphQLError[] | undefined> {
  const { store, call, key, request } = exchange
  const checked = documents.open(request)
  if (!('document' in checked)) {
    exchange.actions = [{ name: `${call.method} ${call.path}`, isRefused: true }]
    return checked.map((fault) => withRequestId(fault, call.requestId))
  }
  const isMutation = checked.operation.operation === 'mutation'
  exchange.operation = checked.operation
  exchange.actions = actionsOf(checked.operation, [])
  if (isMutation && call.method === 'GET') throw notWithGet()
  requireScope(key, isMutation ? 'write' : 'read')
  if (isMutation) exchange.idempotency = readIdempotency(call)
  const kept = exchange.idempotency && (await findReply(store, exchange.idempotency))
  if (kept !== undefined) {
    exchange.answer = { body: kept, hasData: true, isReplayed: true }
    return undefined
  }
  const contextValue: QueryContext = {
    reader: openQueryReader(store, key),
    writer: openQueryWriter(store, exchange.idempotency, readAuthor(call)),
    isTarget,
    hasExactText: false,
  }
  const { document, variables } = checked
  return { schema, document, operationName: request.operationName, variableValues: variables, contextValue }
}

/** Stores the answer when all writes took effect. Other requests may be repeated with the same key. */
export async function finish(exchange: GraphqlExchange, context: QueryContext, result: ExecutionResult): Promise<void> {
  const { errors = [] } = result
  requireNoFailure(errors)
  if (exchange.operation) exchange.actions = actionsOf(exchange.operation, errors)
  const formatted = errors.map((error) => formatError(error, exchange.call.requestId))
  const whole = formatted.length > 0 ? { errors: formatted, data: result.data } : result
  const body = context.hasExactText ? answerText(whole) : JSON.stringify(whole)
  if (exchange.idempotency && errors.length === 0) await keepReply(exchange.store, exchange.idempotency, body)
  exchange.answer = { body, hasData: result.data !== undefined, isReplayed: context.writer.isReplayed() }
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

function withRequestId(fault: GraphQLError, requestId: string): GraphQLError {
  const { message, nodes, source, positions, extensions } = fault
  return new GraphQLError(message, { nodes, source, positions, extensions: { ...extensions, request_id: requestId } })
}

function notWithGet(): Problem {
  return new Problem(405, {
    code: 'method_not_allowed',
    detail: 'mutations require POST, not GET',
    headers: { allow: 'POST' },
  })
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
  const { code, errors, extensions } = original.parts
  return { code, status: original.status, ...(errors && { errors }), ...extensions }
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
