import type { ResourceDefinition } from '../core/resources/field.ts'
import type { GivenParent } from '../core/resources/parents.ts'
import { RESOURCES, type Resource } from '../core/resources/registry.ts'
import type { Api, Collections } from './api.ts'
import { type CollectionParts, createCollection } from './collection.ts'
import type { Connector } from './connectors/connector.ts'
import { ListedReferences } from './connectors/references.ts'
import { createExchange } from './connectors/resource-exchange.ts'
import { createHistory } from './history.ts'
import { Ceilings } from './limits/ceiling.ts'
import { linkedRecords } from './links/linked-records.ts'
import type { ApiOptions } from './options.ts'
import { createRaw } from './raw.ts'
import { createSubscriptions } from './subscriptions.ts'
import { createHttp } from './transport/http.ts'
import { type HostTiming, SYSTEM_TIMING, type Timing } from './transport/timing.ts'

/** A client of one server. It connects on the first call, and to nothing but the origin of `baseUrl`. */
export function createApi(given: ApiOptions, timing: Timing = SYSTEM_TIMING): Api {
  const { baseUrl, connector } = given
  const ceilings = createCeilings(connector, timing)
  const options = { ...given, ceilings }
  const http = createHttp(options, timing)
  const references = new ListedReferences((resource) => createCollection(parts, resource).list())
  const { terms, onUnread } = options
  const parts: CollectionParts = { http, connector, references, onUnread }
  const raw = createRaw(http, connector, baseUrl)
  const knows: Api['knows'] = (offered) => connector.document.offers?.includes(offered) === true
  const listedNames = namesReader(parts)
  const rate = () => http.rate() ?? ceilings.main.rate
  return {
    ...createCollections(parts),
    connector,
    ceilings,
    terms,
    references,
    subscriptions: createSubscriptions(parts),
    graphql: async (request) => {
      const { sendGraphql } = await import('./graphql.ts')
      return sendGraphql(http, options, request)
    },
    raw,
    knows,
    history: createHistory({ http, connector, knows }),
    readKey: async () => {
      const { readServerKey } = await import('./server-key.ts')
      return readServerKey({ raw, knows, rate, account: connector.document.account })
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
    knownMembers: async (resource) => {
      const { memberByLabel } = await import('./connectors/listed-names.ts')
      const listed = await listedNames(resource)
      const { links, fields = {} } = connector.document.resources[resource] ?? {}
      const names = listed?.map(({ name }) => name) ?? connector.rules(resource).map.names
      return {
        names: [...names, ...Object.keys(links?.fields ?? {})],
        labelled: memberByLabel(listed ?? [], fields),
      }
    },
    linkTypes: async (resource, field) => linkedRecords(parts, resource)?.types(field),
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
    const exchange = createExchange({ http, connector, references }, { resource, parent: undefined })
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
    const of = (on?: GivenParent) => createCollection(parts, name as Resource, on)
    return [plural, parent === undefined ? of() : of]
  })
  return Object.fromEntries(collections)
}
