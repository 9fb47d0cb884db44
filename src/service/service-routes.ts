import type { IncomingHttpHeaders } from 'node:http'
import { CrmError } from '../core/errors.ts'
import type { TargetRule } from './delivery/target-rules.ts'
import type { GraphqlHandler } from './graphql/handler.ts'
import { PROBLEM_TYPE, Problem, problemText } from './problem.ts'
import type { Route, RouteCall, RouteReply } from './route.ts'
import type { Store } from './store/store.ts'

export function healthRoutes({ isStopping }: { readonly isStopping: () => boolean }): readonly Route[] {
  const handle: Route['handle'] = async (store, call) => (isStopping() ? stoppingReply(call) : showReadiness(store))
  return [
    { method: 'GET', path: '/healthz', scope: undefined, parameters: [], handle: showHealth },
    { method: 'GET', path: '/readyz', scope: undefined, parameters: [], handle },
  ]
}

/** Not thrown, because it is no failure for the log. */
function stoppingReply({ path, requestId }: RouteCall): RouteReply {
  const problem = notReady('the service is stopping')
  const headers = problem.parts.headers ?? {}
  return { status: problem.status, type: PROBLEM_TYPE, body: problemText(problem, path, requestId), headers }
}

const PATH = '/v1/graphql'
const PARAMETERS = ['query', 'operationName', 'variables', 'extensions']

/**
 * The libraries and the schema are loaded by the first request, not at start-up. With `hasPage`, a browser without a query
 * gets a page to write one.
 */
export function graphqlRoutes({
  hasPage,
  isTarget,
}: {
  readonly hasPage: boolean
  readonly isTarget: TargetRule
}): readonly Route[] {
  let handler: Promise<GraphqlHandler> | undefined
  const handle = async (store: Store, call: RouteCall): Promise<RouteReply> => {
    if (!call.key) return (await import('./graphql/page.ts')).graphqlPage()
    handler ??= import('./graphql/handler.ts').then(({ createGraphqlHandler }) => createGraphqlHandler(isTarget))
    return (await handler)(store, call)
  }
  const isPageRequest: Route['needsNoKey'] = (headers, query) =>
    hasPage && query.query === undefined && wantsPage(headers)
  return [
    { method: 'GET', path: PATH, scope: 'any', parameters: PARAMETERS, handle, needsNoKey: isPageRequest },
    { method: 'POST', path: PATH, scope: 'any', parameters: [], handle },
  ]
}

function wantsPage({ accept, authorization }: IncomingHttpHeaders): boolean {
  return authorization === undefined && /(^|,)\s*text\/html\b/i.test(accept ?? '')
}

/** Liveness: whether the process answers. */
async function showHealth(): Promise<RouteReply> {
  return { status: 200, body: '{"status":"ok"}', headers: {} }
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
  return new Problem(503, { code: 'not_ready', detail, headers: { 'retry-after': '5' } }, { cause })
}

/** Public: the document describes the service and contains no data. */
export function openapiRoutes(version: string, answersKeptMs?: number): readonly Route[] {
  let text: Promise<string> | undefined
  const handle: Route['handle'] = async (_store, { prefix, origin }) => {
    text ??= import('./openapi/document.ts').then(({ openapiDocument }) =>
      JSON.stringify(openapiDocument(version, answersKeptMs)),
    )
    return {
      status: 200,
      body: (await text).replace('"servers":[{"url":"', () => `"servers":[{"url":"${origin}${prefix}`),
      headers: {},
    }
  }
  return [{ method: 'GET', path: '/v1/openapi.json', scope: undefined, parameters: [], handle }]
}
