import type { Api } from '../api.ts'
import type { ApiOptions } from '../options.ts'
import type { Http } from '../transport/http.ts'
import type { Discovery } from './discovery.ts'
import type { GraphqlReads } from './graphql-api.ts'

export function createGraphql(http: Http, options: ApiOptions): Api['graphql'] {
  let discovery: Promise<Discovery> | undefined
  const open = async (): Promise<Discovery> => {
    const { openDiscovery } = await import('./discovery.ts')
    return openDiscovery(http, options)
  }
  const reads = async (): Promise<GraphqlReads> => {
    discovery ??= open()
    const { createReads } = await import('./reads.ts')
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
    dealUpdates: async () => (await reads()).dealUpdates(),
    updateDeal: async (id, patch, writing) => (await reads()).updateDeal(id, patch, writing),
  }
}
