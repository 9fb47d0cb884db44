import type { Api, ApiOptions } from './api.ts'
import { createContacts } from './contacts.ts'
import { createDeals } from './deals.ts'
import { createGraphql } from './graphql.ts'
import { createHttp } from './http.ts'
import { createNotes } from './notes.ts'
import { createPipelines } from './pipelines.ts'
import { createRaw } from './raw.ts'
import { SYSTEM_TIMING, type Timing } from './timing.ts'
import { createWebhooks } from './webhooks.ts'

/** A client of one server. It connects on the first call, and to nothing but the origin of `baseUrl`. */
export function createApi(options: ApiOptions, timing: Timing = SYSTEM_TIMING): Api {
  const http = createHttp(options, timing)
  const graphql = createGraphql(http, options)
  const raw = createRaw(http, options.wire, options.baseUrl)
  return {
    contacts: createContacts(http, options.wire),
    deals: createDeals(http, options.wire),
    notes: createNotes(http),
    pipelines: createPipelines(http, options.wire),
    webhooks: createWebhooks(http),
    graphql,
    raw,
    describedMembers: async (resource) => {
      const { describedMembers } = await import('./described-members.ts')
      return describedMembers({ raw, graphql }, resource)
    },
    describedNumbers: async (resource) => {
      const { describedNumbers } = await import('./described-members.ts')
      return describedNumbers({ raw, graphql }, resource)
    },
    rate: http.rate,
    close: http.close,
  }
}
