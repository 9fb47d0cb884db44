import type { IncomingHttpHeaders } from 'node:http'
import type { TargetRule } from '../delivery/target-rules.ts'
import type { GraphqlHandler } from '../graphql/handler.ts'
import type { Call, Reply, Route } from '../route.ts'
import type { Store } from '../store/store.ts'

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
  const handle = async (store: Store, call: Call): Promise<Reply> => {
    if (!call.key) return (await import('../graphql/page.ts')).graphqlPage()
    handler ??= import('../graphql/handler.ts').then(({ createGraphqlHandler }) => createGraphqlHandler(isTarget))
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
