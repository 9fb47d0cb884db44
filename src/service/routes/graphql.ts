import type { GraphqlHandler } from '../graphql/handler.ts'
import type { Call, Reply, Route } from '../route.ts'
import type { Store } from '../store/store.ts'

const PATH = '/v1/graphql'

/** The libraries and the schema are loaded by the first request: the start of the service does not wait for them. */
export function graphqlRoutes(): readonly Route[] {
  let handler: Promise<GraphqlHandler> | undefined
  const handle = async (store: Store, call: Call): Promise<Reply> => {
    handler ??= import('../graphql/handler.ts').then(({ createGraphqlHandler }) => createGraphqlHandler())
    return (await handler)(store, call)
  }
  return [
    {
      method: 'GET',
      path: PATH,
      scope: 'any',
      parameters: ['query', 'operationName', 'variables', 'extensions'],
      handle,
    },
    { method: 'POST', path: PATH, scope: 'any', parameters: [], handle },
  ]
}
