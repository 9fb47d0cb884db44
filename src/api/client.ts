import type { ApiOperation, ResourceDefinition } from '../core/resources/field.ts'
import { isListed, RESOURCES, type Resource } from '../core/resources/registry.ts'
import { shellWord } from '../core/shell-words.ts'
import type { Wire } from '../core/wire.ts'
import type { Api, Collections } from './api.ts'
import type { Discovery } from './graphql/discovery.ts'
import type { GraphqlReads } from './graphql/graphql-api.ts'
import type { Operations } from './operations.ts'
import type { ApiOptions } from './options.ts'
import { listPages } from './pages/pages.ts'
import { createRaw } from './raw.ts'
import { collectionPath, recordPath } from './transport/call.ts'
import { createHttp, type Http } from './transport/http.ts'
import { SYSTEM_TIMING, type Timing } from './transport/timing.ts'
import { createRecord, requestRecord, requestWrite } from './writes/record.ts'

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

function createCollections(http: Http, wire: Wire): Collections {
  const collections = Object.entries<ResourceDefinition>(RESOURCES).map(([name, { plural, parent }]) => {
    const resource = name as Resource
    const of = (parentId?: string) => createCollection(http, wire, resource, parentId)
    return [plural, parent === undefined ? of() : of]
  })
  return Object.fromEntries(collections)
}

function createCollection(http: Http, wire: Wire, resource: Resource, parentId?: string): Operations {
  const { singular, plural, parent, commands }: ResourceDefinition = RESOURCES[resource]
  const commandOf = (operation: ApiOperation) => commands?.[operation] ?? `crm ${plural} ${operation}`
  const parentCommand = parent && `crm ${RESOURCES[parent].plural} list`
  const list: Operations['list'] = (query = {}) => {
    const action = parent ? `list the ${plural} of ${parent} ${parentId}` : `list ${plural}`
    const call = {
      path: collectionPath(resource, parentId),
      action,
      command: commandOf('list'),
      findCommand: parentCommand,
    }
    // Parts of a record are few. No server is known to page them on request.
    const limits = parent ? { ...wire, pageSize: undefined } : wire
    return listPages(http, call, { limit: undefined, cursor: undefined, filters: {}, ...query }, limits)
  }
  const create: Operations['create'] = async (fields, options) => {
    const call = {
      ...options,
      method: 'POST',
      path: collectionPath(resource, parentId),
      body: fields,
      action: parent ? `add the ${singular} to ${parent} ${parentId}` : `create the ${singular}`,
      command: commandOf('create'),
      findCommand: parentCommand,
    } as const
    if (isListed(resource)) return createRecord(http, call, () => list({ signal: options.signal }))
    const lookCommand = parent ? `crm ${plural} list ${shellWord(parentId ?? '')}` : `crm ${plural} list`
    return requestRecord(http, { ...call, lookCommand })
  }
  const ofRecord = (id: string, operation: 'update' | 'delete') => ({
    path: recordPath(resource, id),
    recordId: id,
    list: () => list(),
    action: `${operation} ${singular} ${id}`,
    command: commandOf(operation),
    findCommand: commandOf('list'),
    showCommand: `crm ${plural} get ${shellWord(id)}`,
  })
  return {
    list,
    create,
    update: async (id, patch, options) =>
      requestRecord(http, { ...options, method: 'PATCH', body: patch, ...ofRecord(id, 'update') }),
    delete: async (id, options) => {
      await requestWrite(http, { ...options, method: 'DELETE', ...ofRecord(id, 'delete') })
    },
  }
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
    dealUpdates: async () => (await reads()).dealUpdates(),
    updateDeal: async (id, patch, writing) => (await reads()).updateDeal(id, patch, writing),
  }
}
