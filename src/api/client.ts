import { RESOURCES } from '../core/resources/registry.ts'
import type { Api } from './api.ts'
import { createCollections } from './collection.ts'
import { createGraphql } from './graphql/client.ts'
import type { ApiOptions } from './options.ts'
import { createRaw } from './raw.ts'
import { createHttp } from './transport/http.ts'
import { SYSTEM_TIMING, type Timing } from './transport/timing.ts'

/** A client of one server. It connects on the first call, and to nothing but the origin of `baseUrl`. */
export function createApi(options: ApiOptions, timing: Timing = SYSTEM_TIMING): Api {
  const http = createHttp(options, timing)
  const collections = createCollections(http, options.wire)
  const graphql = createGraphql(http, options)
  const raw = createRaw(http, options.wire, options.baseUrl)
  return {
    ...collections,
    update: (resource, ...change) =>
      resource === 'deal' ? graphql.updateDeal(...change) : collections[RESOURCES[resource].plural].update(...change),
    graphql,
    raw,
    describedMembers: async (resource) => {
      const { describedMembers } = await import('./described-members.ts')
      return describedMembers({ raw, graphql }, resource)
    },
    rate: http.rate,
    close: http.close,
  }
}
