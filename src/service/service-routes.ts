import type { IncomingHttpHeaders } from 'node:http'
import { CrmError } from '../core/errors.ts'
import { KEY_PATH } from '../core/resources/registry.ts'
import type { TargetRule } from './delivery/target-rules.ts'
import { fixtureRunRoutes } from './fixture-run-routes.ts'
import type { GraphqlHandler } from './graphql/handler.ts'
import { PROBLEM_TYPE, Problem, problemText } from './problem.ts'
import type { RateLimit } from './rate-limit.ts'
import { dealRoutes } from './resources/deals.ts'
import { historyRoutes } from './resources/history.ts'
import { objectsRoute } from './resources/objects.ts'
import { pipelineRoutes } from './resources/pipelines.ts'
import { plainRoutes } from './resources/plain.ts'
import { timeText } from './resources/records.ts'
import { webhookRoutes } from './resources/webhooks.ts'
import { type Route, type RouteCall, type RouteReply, route } from './route.ts'
import type { ApiKey, Store } from './store/store.ts'

export interface RoutesOptions {
  readonly isStopping: () => boolean
  /** Whether a browser without a query gets a page to write one. */
  readonly hasPage: boolean
  readonly isTarget: TargetRule
  readonly rateLimit: RateLimit | undefined
  readonly version: string
  readonly answersKeptMs: number
}

/** Everything that the service answers. */
export function serviceRoutes(options: RoutesOptions): readonly Route[] {
  const routes: readonly Route[] = [
    ...healthRoutes(options),
    ...plainRoutes,
    objectsRoute,
    ...dealRoutes,
    ...pipelineRoutes,
    ...historyRoutes,
    ...fixtureRunRoutes,
    ...webhookRoutes(options.isTarget),
    keyRoute(options.rateLimit),
    ...graphqlRoutes(options),
    openapiRoute(options, () => routes),
  ]
  return routes
}

const STATUS = { type: 'object', properties: { status: { type: 'string' } }, required: ['status'] }

function healthRoutes({ isStopping }: Pick<RoutesOptions, 'isStopping'>): readonly Route[] {
  return [
    route('GET /healthz', {
      text: 'showHealth: Whether the service answers. Needs no key.',
      success: [200, 'The service answers.', STATUS],
      scope: undefined,
      handle: async () => ({ status: 200, body: '{"status":"ok"}', headers: {} }),
    }),
    route('GET /readyz', {
      text: 'showReadiness: Whether the service accepts writes. Needs no key.',
      success: [200, 'The service accepts writes.', STATUS],
      problems: ['503'],
      scope: undefined,
      handle: async (store, call) => (isStopping() ? stoppingReply(call) : showReadiness(store)),
    }),
  ]
}

/** The key that the request was sent with, whatever its scopes. `rateLimit`: of keys without a rate of their own. */
function keyRoute(rateLimit: RateLimit | undefined): Route {
  return route(`GET ${KEY_PATH}`, {
    text: 'showKey: Show the key in use. Any key may ask, whatever its scopes.',
    success: [200, 'The key of the request.', 'Key'],
    scope: 'any',
    handle: async (_, { key }) => showKey(key as ApiKey, rateLimit),
  })
}

function showKey(key: ApiKey, rateLimit: RateLimit | undefined): RouteReply {
  const { id, name, scopes, lastFour, createdAtMs, expiresAtMs, rate = rateLimit ?? 'none' } = key
  const body = {
    id,
    name,
    scopes,
    last_four: lastFour,
    rate_limit: rate === 'none' ? null : { requests: rate.requests, window_ms: rate.windowMs },
    created_at: timeText(createdAtMs),
    expires_at: timeText(expiresAtMs),
  }
  return { status: 200, body: JSON.stringify(body), headers: { 'cache-control': 'no-store' } }
}

/** Not thrown, because it is no failure for the log. */
function stoppingReply({ path, requestId }: RouteCall): RouteReply {
  const problem = notReady('the service is stopping')
  const headers = problem.parts.headers ?? {}
  return { status: problem.status, type: PROBLEM_TYPE, body: problemText(problem, path, requestId), headers }
}

/** The parameters of a query in a URL. */
const QUERY = [
  { name: 'query', required: true, description: 'The query.', example: '{ pipelines { nodes { id } } }' },
  { name: 'operationName', required: false, description: 'The operation to run, if the query has several.' },
  { name: 'variables', required: false, description: 'A JSON object.' },
  { name: 'extensions', required: false, description: 'A JSON object; ignored.' },
].map((parameter) => ({ in: 'query', schema: { type: 'string' }, ...parameter }))

/** The libraries and the schema are loaded by the first request, not at start-up. */
function graphqlRoutes({ hasPage, isTarget }: Pick<RoutesOptions, 'hasPage' | 'isTarget'>): readonly Route[] {
  let handler: Promise<GraphqlHandler> | undefined
  const handle = async (store: Store, call: RouteCall): Promise<RouteReply> => {
    if (!call.key) return (await import('./graphql/page.ts')).graphqlPage()
    handler ??= import('./graphql/handler.ts').then(({ createGraphqlHandler }) => createGraphqlHandler(isTarget))
    return (await handler)(store, call)
  }
  const needsNoKey: Route['needsNoKey'] = (headers, query) => hasPage && query.query === undefined && wantsPage(headers)
  const parts: Pick<Route, 'scope' | 'success' | 'handle'> = {
    scope: 'any',
    success: [200, 'Data, errors, or both.', 'GraphqlAnswer', 'Idempotent-Replayed'],
    handle,
  }
  return [
    route('GET /v1/graphql', {
      text: 'queryGraphql: Run a GraphQL query. Introspection returns the schema. Mutations require POST.',
      problems: ['405', '422'],
      query: QUERY,
      parameters: QUERY.map(({ name }) => name),
      needsNoKey,
      ...parts,
    }),
    route('POST /v1/graphql', {
      text: 'executeGraphql: Execute a GraphQL query or mutation. Scopes, limits and Idempotency-Key work as in REST.',
      body: 'GraphqlRequest',
      isWrite: true,
      ...parts,
    }),
  ]
}

function wantsPage({ accept, authorization }: IncomingHttpHeaders): boolean {
  return authorization === undefined && /(^|,)\s*text\/html\b/i.test(accept ?? '')
}

/** Readiness: whether the service can write now. */
async function showReadiness(store: Store): Promise<RouteReply> {
  try {
    await store.checkWritable()
  } catch (error) {
    if (!(error instanceof CrmError)) throw error
    throw notReady('the database cannot be written at the moment', error)
  }
  return { status: 200, body: '{"status":"ready"}', headers: {} }
}

function notReady(detail: string, cause?: unknown): Problem {
  return new Problem(503, 'not_ready', detail, { headers: { 'retry-after': '5' }, cause })
}

/** Public: the document describes the service and contains no data. */
function openapiRoute({ version, answersKeptMs }: RoutesOptions, routes: () => readonly Route[]): Route {
  let text: Promise<string> | undefined
  return route('GET /v1/openapi.json', {
    text: 'showOpenapi: This document. OpenAPI 3.1.',
    success: [200, 'OpenAPI 3.1.', { type: 'object' }],
    scope: undefined,
    handle: async (_, { prefix, origin }) => {
      text ??= import('./openapi/document.ts').then(({ openapiDocument }) =>
        JSON.stringify(openapiDocument(routes(), version, answersKeptMs)),
      )
      const body = (await text).replace('"servers":[{"url":"', () => `"servers":[{"url":"${origin}${prefix}`)
      return { status: 200, body, headers: {} }
    },
  })
}
