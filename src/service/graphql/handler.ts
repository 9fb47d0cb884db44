import type { ExecutionResult } from 'graphql'
import { createHandler, type Response } from 'graphql-http'
import { isJsonObject, type JsonObject, type JsonValue, parseJsonAsWritten } from '../../core/json.ts'
import { parseBodyText, readBody } from '../body.ts'
import type { TargetRule } from '../delivery/target-rules.ts'
import { type Members, nodeText } from '../json-text.ts'
import { Problem } from '../problem.ts'
import type { RouteCall, RouteReply } from '../route.ts'
import type { Store } from '../store/store.ts'
import { openDocuments, type SentQuery } from './documents.ts'
import { type Engine, finish, type GraphqlExchange, prepare } from './graphql-exchange.ts'
import { openExecutor } from './plain-queries.ts'
import type { QueryContext } from './query-context.ts'
import { createSchema } from './schema.ts'

export type GraphqlHandler = (store: Store, call: RouteCall) => Promise<RouteReply>

/** A placeholder from which graphql-http selects the media type. */
const ANSWERED: ExecutionResult = { data: null }

/**
 * graphql-http implements the protocol, graphql-js the query. The response is serialised here: exact texts are inserted
 * unchanged, and JSON.stringify with a replacer takes twice as long.
 */
export function createGraphqlHandler(isTarget: TargetRule): GraphqlHandler {
  const schema = createSchema()
  const engine: Engine = { schema, documents: openDocuments(schema), isTarget }
  const handle = createHandler<undefined, GraphqlExchange, QueryContext>({
    schema,
    execute: openExecutor(schema),
    parseRequestParams: ({ context: { request } }) => ({ query: request.query }),
    onSubscribe: async ({ context }) => (await prepare(engine, context)) ?? ANSWERED,
    onOperation: async ({ context }, { contextValue }, result) => {
      if (contextValue) await finish(context, contextValue, result)
      return ANSWERED
    },
  })
  return async (store, call) => {
    const { key, method, url, headers } = call
    if (!key) throw new Error('the GraphQL route accepted a request without a key')
    const exchange = {
      store,
      call,
      key,
      request: readParams(call),
      operation: undefined,
      actions: undefined,
      idempotency: undefined,
      answer: undefined,
    }
    return replyOf(
      exchange,
      await handle({ method, url, headers: { ...headers }, body: null, raw: undefined, context: exchange }),
    )
  }
}

function replyOf({ answer, actions }: GraphqlExchange, [text, { status, headers }]: Response): RouteReply {
  const type = headers?.['content-type']
  if (status === 406 || type === undefined) throw notAcceptable()
  const audited = actions && { actions }
  if (!answer) return { status, body: text ?? '', headers: {}, type, ...audited }
  return {
    // Nothing was executed: https://graphql.github.io/graphql-over-http/draft/#sec-application-graphql-response-json
    status: answer.hasData || type.startsWith('application/json') ? 200 : 400,
    body: answer.body,
    headers: answer.isReplayed ? { 'idempotent-replayed': 'true' } : {},
    type,
    ...audited,
  }
}

function notAcceptable(): Problem {
  const detail = 'the response is application/graphql-response+json or application/json; Accept allows neither'
  return new Problem(406, { code: 'not_acceptable', detail })
}

/** The parameters of a request, from its body or its URL (https://graphql.github.io/graphql-over-http/draft/). */
function readParams(call: RouteCall): SentQuery {
  return call.method === 'GET' ? fromUrl(call) : fromBody(readBody(call))
}

function fromBody(body: Members): SentQuery {
  const valueFrom = (name: string): JsonValue => parseJsonAsWritten(nodeText(body.get(name) ?? 'null'))
  return sentQuery(valueFrom('query'), valueFrom('operationName'), {
    variables: valueFrom('variables'),
    extensions: valueFrom('extensions'),
  })
}

function fromUrl({ query }: RouteCall): SentQuery {
  const valueFrom = (text: string | undefined): JsonValue =>
    text === undefined || text === '' ? null : parseJsonAsWritten(nodeText(parseBodyText(text)))
  return sentQuery(query.query ?? null, query.operationName ?? null, {
    variables: valueFrom(query.variables),
    extensions: valueFrom(query.extensions),
  })
}

function sentQuery(
  query: JsonValue,
  operationName: JsonValue,
  objects: Record<'variables' | 'extensions', JsonValue>,
): SentQuery {
  if (typeof query !== 'string') throw badMember('query', 'a string')
  if (operationName !== null && typeof operationName !== 'string') throw badMember('operationName', 'a string or null')
  requireObject('extensions', objects.extensions)
  return { query, operationName: operationName ?? undefined, variables: requireObject('variables', objects.variables) }
}

function requireObject(name: string, value: JsonValue): JsonObject {
  if (value === null) return {}
  if (!isJsonObject(value)) throw badMember(name, 'an object or null')
  return value
}

function badMember(name: string, expected: string): Problem {
  const detail = `expected ${expected}`
  return new Problem(400, {
    code: 'malformed_request',
    detail: `${name}: ${detail}`,
    errors: [{ pointer: `#/${name}`, code: 'wrong_type', detail }],
  })
}
