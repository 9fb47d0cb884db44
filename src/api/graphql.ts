import type { JsonObject } from '../core/json.ts'
import type { Api, ApiOptions } from './api.ts'
import type { Discovery } from './graphql/discovery.ts'
import type { GraphqlAnswer, GraphqlRequest } from './graphql/endpoint.ts'
import type { GraphqlReads } from './graphql/reads.ts'
import type { Http } from './http.ts'

/** What goes over GraphQL, where the server has it. Loaded when it is first asked for: most commands never do. */
export interface GraphqlApi extends GraphqlReads {
  /** CrmError `not_supported` when the server has none; the errors of an answer are in it, and not thrown. */
  send(request: GraphqlRequest): Promise<GraphqlAnswer>
}

export function createGraphql(http: Http, options: ApiOptions): Api['graphql'] {
  let discovery: Promise<Discovery> | undefined
  const open = async (): Promise<Discovery> => {
    const { openDiscovery } = await import('./graphql/discovery.ts')
    return openDiscovery(http, options)
  }
  const reads = async (): Promise<GraphqlReads> => {
    discovery ??= open()
    const { createReads } = await import('./graphql/reads.ts')
    return createReads(await discovery, options.wire.pageSize)
  }
  return {
    send: async (request) => {
      discovery ??= open()
      return (await discovery).send(request)
    },
    get: async (noun, id) => (await reads()).get(noun, id),
    async *list(noun, query) {
      yield* (await reads()).list(noun, query)
    },
    async *notes(dealId, query) {
      yield* (await reads()).notes(dealId, query)
    },
    updateDeal: async (id, patch, writing) => (await reads()).updateDeal(id, patch, writing),
  }
}

/** What is remembered of one server between two runs. */
export interface GraphqlMemory {
  read(): Promise<JsonObject | undefined>
  write(value: JsonObject): Promise<void>
}
