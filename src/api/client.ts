import { offeredNames } from '../core/resources/described-names.ts'
import type { ResourceDefinition } from '../core/resources/field.ts'
import { RESOURCES, type Resource } from '../core/resources/registry.ts'
import type { Api, Collections } from './api.ts'
import { type CollectionParts, createCollection } from './collection.ts'
import type { Connector } from './connectors/connector.ts'
import { ListedReferences } from './connectors/references.ts'
import { createExchange } from './connectors/resource-exchange.ts'
import type { Discovery } from './graphql/discovery.ts'
import type { GraphqlReads } from './graphql/graphql-api.ts'
import { createHistory } from './history.ts'
import { Ceilings } from './limits/ceiling.ts'
import type { ApiOptions } from './options.ts'
import { createRaw } from './raw.ts'
import { createHttp, type Http } from './transport/http.ts'
import { type HostTiming, SYSTEM_TIMING, type Timing } from './transport/timing.ts'

/** A client of one server. It connects on the first call, and to nothing but the origin of `baseUrl`. */
export function createApi(given: ApiOptions, timing: Timing = SYSTEM_TIMING): Api {
  const { baseUrl, connector } = given
  const ceilings = createCeilings(connector, timing)
  const options = { ...given, ceilings }
  const http = createHttp(options, timing)
  const references = new ListedReferences((resource) => createCollection(parts, resource).list())
  const { wire, onUnread } = options
  const parts: CollectionParts = { http, wire, connector, references, onUnread }
  const raw = createRaw(http, options.wire, baseUrl)
  const known = new Set(offeredNames(connector.document.offers ?? []))
  const knows = (name: string) => known.has(name)
  const listedNames = namesReader(parts)
  const rate = () => http.rate() ?? ceilings.main.rate
  return {
    ...createCollections(parts),
    connector,
    ceilings,
    wire,
    references,
    graphql: createGraphql(http, options),
    raw,
    knows,
    history: createHistory({ http, wire, knows }),
    readKey: async () => {
      const { readServerKey } = await import('./server-key.ts')
      return readServerKey({ raw, knows, rate })
    },
    require: (resource, operation) => void connector.rules(resource).operation(operation),
    keyReader: async (resource, field) => {
      const { createKeyReader } = await import('./keyed-reads.ts')
      return createKeyReader(parts, resource, field)
    },
    listedNames,
    askAll: async (resource) => {
      const rules = connector.rules(resource)
      if (!rules.selection.asked) return undefined
      const { askListed } = await import('./connectors/listed-names.ts')
      return askListed(rules, await listedNames(resource))
    },
    memberNames: async (resource) => {
      const listed = await listedNames(resource)
      return listed ? listed.map(({ name }) => name) : connector.rules(resource).map.names
    },
    rate,
    close: http.close,
  }
}

function namesReader({ http, connector, references }: CollectionParts): Api['listedNames'] {
  const reading = new Map<Resource, ReturnType<Api['listedNames']>>()
  const read = async (resource: Resource) => {
    const rules = connector.rules(resource)
    if (!rules.names()) return undefined
    const { readListedNames } = await import('./connectors/listed-names.ts')
    const exchange = createExchange({ http, connector, references }, { resource, parentId: undefined })
    return readListedNames({ http, exchange, rules })
  }
  return (resource) => {
    const names = reading.get(resource) ?? read(resource)
    reading.set(resource, names)
    return names
  }
}

function createCeilings({ document: { limits } }: Connector, timing: Timing | HostTiming): Ceilings {
  const { steadyMs } = 'steadyMs' in timing ? timing : SYSTEM_TIMING
  return new Ceilings(limits, steadyMs)
}

function createCollections(parts: CollectionParts): Collections {
  const collections = Object.entries<ResourceDefinition>(RESOURCES).map(([name, { plural, parent }]) => {
    const of = (parentId?: string) => createCollection(parts, name as Resource, parentId)
    return [plural, parent === undefined ? of() : of]
  })
  return Object.fromEntries(collections)
}

function createGraphql(http: Http, options: ApiOptions): Api['graphql'] {
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
    newestDeliveries: async (signal) => (await reads()).newestDeliveries(signal),
    async *deliveries(webhookId, query) {
      yield* (await reads()).deliveries(webhookId, query)
    },
    rotateSecret: async (id, writing) => (await reads()).rotateSecret(id, writing),
    resendDelivery: async (delivery, writing) => (await reads()).resendDelivery(delivery, writing),
    dealUpdates: async () => (await reads()).dealUpdates(),
    updateDeal: async (id, patch, writing) => (await reads()).updateDeal(id, patch, writing),
  }
}
