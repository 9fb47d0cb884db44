import { CrmError } from '../core/errors.ts'
import { offeredNames } from '../core/resources/described-names.ts'
import type { ResourceDefinition } from '../core/resources/field.ts'
import { isListed, RESOURCES, type Resource } from '../core/resources/registry.ts'
import type { Api, Collections } from './api.ts'
import { type CollectionParts, createCollection } from './collection.ts'
import { type Connector, createConnector } from './connectors/connector.ts'
import { contractDocument, isBeyondContract } from './connectors/contract.ts'
import { ListedReferences } from './connectors/references.ts'
import { createExchange } from './connectors/resource-exchange.ts'
import type { OperationName } from './connectors/resource-rules.ts'
import { completedWire } from './connectors/server-rules.ts'
import type { Discovery } from './graphql/discovery.ts'
import type { GraphqlReads } from './graphql/graphql-api.ts'
import { createHistory } from './history.ts'
import { Ceilings } from './limits/ceiling.ts'
import type { Operations, Page } from './operations.ts'
import type { ApiOptions } from './options.ts'
import { createRaw, type RawApi } from './raw.ts'
import { createHttp, type Http } from './transport/http.ts'
import { type HostTiming, SYSTEM_TIMING, type Timing } from './transport/timing.ts'

/** A client of one server. It connects on the first call, and to nothing but the origin of `baseUrl`. */
export function createApi(given: ApiOptions, timing: Timing = SYSTEM_TIMING): Api {
  const { baseUrl, beyond } = given
  const connector = given.connector ?? createConnector(contractDocument(beyond), { baseUrl, variables: {} })
  const ceilings = createCeilings(connector, timing)
  const options = { ...given, connector, ceilings, wire: completedWire(given.wire, connector.document) }
  const http = createHttp(options, timing)
  const references = new ListedReferences((resource) => createCollection(parts, resource).list())
  const { wire, onUnread } = options
  const parts: CollectionParts = { http, wire, connector, references, onUnread }
  const graphql = createGraphql(http, options)
  const raw = createRaw(http, options.wire, options.baseUrl)
  const known = new Set(given.connector ? offeredNames(connector.document.offers ?? []) : beyond)
  const isLearned = given.connector !== undefined || beyond !== undefined
  const describe = descriptionReader(raw, known)
  const learn = isLearned ? async () => undefined : learner(connector, describe)
  const offers = offering(connector, learn)
  const listedNames = namesReader(parts)
  const isDescribed = connector.document.isDescribed === true
  const describes: Api['describes'] = async (name) => {
    // A profile of an earlier version has no such name; a connector of its own describes nothing more.
    if (!known.has(name) && isDescribed) await describe()
    return known.has(name)
  }
  const rate = () => http.rate() ?? ceilings.main.rate
  return {
    ...createCollections({ parts, graphql, offers }),
    connector,
    ceilings,
    wire: options.wire,
    references,
    graphql,
    raw,
    learn,
    offers,
    knows: (name) => known.has(name),
    describes,
    history: createHistory({ http, wire: options.wire, describes }),
    readKey: async () => {
      const { readServerKey } = await import('./server-key.ts')
      return readServerKey({ raw, describes, rate })
    },
    require: async (resource, operation) => {
      if (!(await offers(resource, operation))) connector.rules(resource).operation(operation)
    },
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
    describedMembers: async (resource) => {
      const listed = await listedNames(resource)
      if (listed) return { names: new Set(listed.map(({ name }) => name)), numbers: new Set() }
      // The description of another CRM is its connector.
      if (!connector.document.isDescribed)
        return { names: new Set(connector.rules(resource).map.names), numbers: new Set() }
      const { describedMembers } = await import('./described-members.ts')
      return describedMembers({ raw, graphql }, resource)
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

/** Reads the OpenAPI document of the server once, for what it has beyond the contract; the names are added to `known`. */
function descriptionReader(raw: RawApi, known: Set<string>): Api['learn'] {
  let reading: ReturnType<Api['learn']> | undefined
  const read = async () => {
    const { describedOperations } = await import('./connectors/described-operations.ts')
    const { fetchJson } = await import('./described-members.ts')
    const beyond = await describedOperations((path) => fetchJson(raw, path, { isProbe: true }))
    for (const name of beyond ?? []) known.add(name)
    return beyond
  }
  return () => {
    reading ??= read().catch((error: unknown) => {
      reading = undefined
      throw error
    })
    return reading
  }
}

/** Offers from then on what the document describes. */
function learner(connector: Connector, describe: Api['learn']): Api['learn'] {
  let learning: ReturnType<Api['learn']> | undefined
  const learn = async () => {
    const beyond = await describe()
    if (beyond) connector.adopt(contractDocument(beyond))
    return beyond
  }
  return () => {
    learning ??= learn()
    return learning
  }
}

function offering(connector: Connector, learn: Api['learn']): Api['offers'] {
  return async (resource, operation) => {
    if (connector.offers(resource, operation)) return true
    if (!isBeyondContract(resource, operation)) return false
    await learn()
    return connector.offers(resource, operation)
  }
}

interface CollectionsParts {
  readonly parts: CollectionParts
  readonly graphql: Api['graphql']
  readonly offers: Api['offers']
}

function createCollections({ parts, ...more }: CollectionsParts): Collections {
  const collections = Object.entries<ResourceDefinition>(RESOURCES).map(([name, { plural, parent }]) => {
    const resource = name as Resource
    const of = (parentId?: string) => {
      const overRest = createCollection(parts, resource, parentId)
      return parts.connector.document.isDescribed
        ? completed(overRest, { ...more, connector: parts.connector, resource, parentId })
        : overRest
    }
    return [plural, parent === undefined ? of() : of]
  })
  return Object.fromEntries(collections)
}

interface Completion {
  readonly connector: Connector
  readonly graphql: Api['graphql']
  readonly offers: Api['offers']
  readonly resource: Resource
  readonly parentId: string | undefined
}

/** Operations beyond the contract: over GraphQL unless the server is known to have them, else by what its document names. */
function completed(rest: Operations, { connector, graphql, offers, resource, parentId }: Completion): Operations {
  const { list, get, update } = rest
  const overGraphql: Partial<Record<Resource, Operations['list']>> = {
    pipeline: (query) => graphql.list('pipelines', query),
    webhook: (query) => graphql.list('webhooks', query),
    note: (query) => graphql.notes(parentId ?? '', query),
  }
  const isOffered = (name: OperationName) => connector.offers(resource, name)
  return {
    ...rest,
    list: (query) => {
      const other = isOffered('list') ? undefined : overGraphql[resource]
      return other
        ? eitherList(other(query), async () => ((await offers(resource, 'list')) ? list(query) : undefined))
        : list(query)
    },
    get: async (id, signal) => {
      if (isOffered('get')) return get(id, signal)
      if (isListed(resource)) return graphql.get(resource, id)
      await offers(resource, 'get')
      return get(id, signal)
    },
    update: async (...change) => {
      if (!isOffered('update') && resource === 'deal') {
        try {
          return await graphql.updateDeal(...change)
        } catch (error) {
          if (!isUnsupported(error) || !(await offers(resource, 'update'))) throw error
        }
      } else await offers(resource, 'update')
      return update(...change)
    },
    delete: async (...deletion) => {
      await offers(resource, 'delete')
      return rest.delete(...deletion)
    },
    test: async (...asked) => {
      await offers(resource, 'test')
      return rest.test(...asked)
    },
  }
}

/** The other list where the server does not support the first one. */
async function* eitherList(
  first: AsyncIterable<Page>,
  other: () => Promise<AsyncIterable<Page> | undefined>,
): AsyncGenerator<Page, void, undefined> {
  try {
    yield* first
  } catch (error) {
    const pages = isUnsupported(error) ? await other() : undefined
    if (!pages) throw error
    yield* pages
  }
}

function isUnsupported(error: unknown): boolean {
  return error instanceof CrmError && error.code === 'not_supported'
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
