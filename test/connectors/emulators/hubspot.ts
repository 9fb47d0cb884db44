// Facts from HubSpot's published description of contacts, deals and pipelines (v3) and its pages on objects,
// properties, custom objects, owners, associations (v4), search, errors and usage, read 2026-11;
// hubspot-objects.test.ts names the page of each claim. From answers that users published: 207 beside batch/create, the
// text of property errors, 400 with CONFLICTING_UNIQUE_VALUE for an account's own unique property where a contact's
// email has 409, NO_ASSOCIATIONS_FOUND in a 207, a batch of associations without types that is complete and links
// nothing, the missing category of a 404, 204 for a DELETE of nothing, an update's answer with the written properties
// alone, and results of a batch in another order. Assumed, as all are silent: 400 above a limit, no null in a property,
// 409 where an update takes the email of another contact, how a wrong owner, stage or type of association is refused,
// that archived owners may be written, that a lifecycle stage set backwards is ignored, and that removing a label under
// another category answers 204. Left out: the history of properties, merges, the `associations` of a list, and the
// first company of a contact as its primary one.

import {
  type Answer,
  type Call,
  type Emulator,
  type EmulatorOptions,
  type Params,
  Refusal,
  type Route,
  type Row,
  startEmulator,
  type Window,
} from './emulator.ts'
import { associationRoutes, LINKS, type WrittenLink } from './hubspot/associations.ts'
import { answerBatch, requireUniqueProperty, type Verb } from './hubspot/batches.ts'
import type { ObjectType } from './hubspot/objects.ts'
import { ownerOf, Portal, type Stored, shown } from './hubspot/portal.ts'
import { addProperty, shownProperty } from './hubspot/properties.ts'
import { failure, invalid, notFound, takeBody } from './hubspot/rules.ts'
import { schemaRoutes } from './hubspot/schemas.ts'
import { search } from './hubspot/search.ts'

const PAGE_DEFAULT = 10
const PAGE_MAX = 100
const OBJECTS_PATH = '/crm/v3/objects/:type'

const WRITTEN = {
  type: 'object',
  properties: {
    properties: { type: 'object', additionalProperties: { type: ['string', 'number', 'boolean'] } },
    associations: LINKS,
  },
  required: ['properties'],
}

export interface HubSpotOptions extends EmulatorOptions {
  /** Which inputs of a batch fail, beside those that are wrong: it answers 207, and the others are written. */
  readonly refuses?: (properties: Row) => boolean
}

/** Records are asked for by the plural of their object, and the name of a custom one; also `associations`. */
export async function startHubSpot(options: HubSpotOptions = {}): Promise<Emulator<string>> {
  const { key = 'pat-na1-01234567-89ab-cdef-0123-456789abcdef', records = 0, pageMax = PAGE_MAX } = options
  const portal = new Portal(records, options.refuses)
  return startEmulator<string>(
    {
      tables: portal.tables,
      routes: [
        ...objectRoutes(portal, pageMax),
        ...batchRoutes(portal),
        ...searchRoutes(portal, options.searchLagMs ?? 0),
        ...settingRoutes(portal, pageMax),
        ...schemaRoutes(portal),
        ...associationRoutes(portal),
      ],
      authenticate: ({ headers }) => {
        if (headers.authorization === `Bearer ${key}`) return
        throw new Refusal(failure(401, 'INVALID_AUTHENTICATION', 'Authentication credentials not found.'))
      },
      refuse: {
        unknownPath: () => failure(404, 'OBJECT_NOT_FOUND', 'resource not found'),
        wrongMethod: () => failure(405, 'METHOD_NOT_ALLOWED', 'Method Not Allowed'),
        internal: () => failure(500, 'INTERNAL_ERROR', 'internal error'),
      },
      isSearch,
      hasRollingWindows: true,
      limited,
      limitHeaders,
    },
    { ...options, key },
  )
}

/** Searches have a limit of their own, which no header states. */
function isSearch({ path }: Call): boolean {
  return path.endsWith('/search')
}

function limited(_: Window, call: Call): Answer {
  const policyName = isSearch(call) ? 'SECONDLY' : 'TEN_SECONDLY_ROLLING'
  const message = `You have reached your ${policyName.toLowerCase()} limit.`
  return failure(429, 'RATE_LIMITS', message, { errorType: 'RATE_LIMIT', policyName })
}

/** The interval is that of the limit, not what is left of it, and there is no Retry-After. */
function limitHeaders({ limit, remaining, perMs }: Window, call: Call): Record<string, string> {
  if (isSearch(call)) return {}
  return {
    'x-hubspot-ratelimit-max': String(limit),
    'x-hubspot-ratelimit-remaining': String(Math.max(0, remaining)),
    'x-hubspot-ratelimit-interval-milliseconds': String(perMs),
  }
}

function objectRoutes(portal: Portal, pageMax: number): Route[] {
  const path = `${OBJECTS_PATH}/:id`
  const typeOf = typesOf(portal)
  return [
    { method: 'GET', path: OBJECTS_PATH, answer: ({ query }, params) => list(portal, typeOf(params), query, pageMax) },
    {
      method: 'POST',
      path: OBJECTS_PATH,
      answer: (call, params) => {
        const type = typeOf(params)
        const { properties, associations: links = [] } = written(call)
        const row = portal.prepareCreate(type, properties, { links })()
        return { status: 201, body: shown(type, row, Object.keys(row.properties)) }
      },
    },
    {
      method: 'GET',
      path,
      answer: ({ query }, params) => {
        const type = typeOf(params)
        const row = oneOf(portal, type, params, query)
        return { status: 200, body: shown(type, row, namesIn(query)) }
      },
    },
    {
      method: 'PATCH',
      path,
      answer: (call, params) => {
        const type = typeOf(params)
        const { properties } = written(call)
        const row = portal.prepareUpdate(type, oneOf(portal, type, params, call.query), properties)()
        return { status: 200, body: shown(type, row, Object.keys(properties)) }
      },
    },
    {
      method: 'DELETE',
      path,
      answer: (_, params) => {
        portal.archive(typeOf(params), params.id ?? '')
        return { status: 204 }
      },
    },
  ]
}

function batchRoutes(portal: Portal): Route[] {
  const verbs: readonly Verb[] = ['create', 'read', 'update', 'upsert', 'archive']
  return verbs.map((verb) => ({
    method: 'POST',
    path: `${OBJECTS_PATH}/batch/${verb}`,
    answer: (call, params) => answerBatch(portal, typesOf(portal)(params), verb, call),
  }))
}

function searchRoutes(portal: Portal, lagMs: number): Route[] {
  const answer = (call: Call, params: Params) => {
    const type = typesOf(portal)(params)
    return search(type, portal.table(type), call, lagMs)
  }
  return [{ method: 'POST', path: `${OBJECTS_PATH}/search`, answer }]
}

function settingRoutes(portal: Portal, pageMax: number): Route[] {
  return [...propertyRoutes(portal), ...pipelineRoutes(portal), ...ownerRoutes(portal, pageMax)]
}

function propertyRoutes(portal: Portal): Route[] {
  const path = '/crm/v3/properties/:type'
  const typeOf = typesOf(portal)
  return [
    {
      method: 'GET',
      path,
      answer: (_, params) => {
        const type = typeOf(params)
        const entries = Object.entries(type.properties)
        return { status: 200, body: { results: entries.map(([name, one]) => shownProperty(type, name, one)) } }
      },
    },
    { method: 'POST', path, answer: (call, params) => ({ status: 201, body: addProperty(typeOf(params), call) }) },
    {
      method: 'GET',
      path: `${path}/:name`,
      answer: (_, params) => {
        const type = typeOf(params)
        const property = type.properties[params.name ?? ''] ?? notFound()
        return { status: 200, body: shownProperty(type, params.name ?? '', property) }
      },
    },
  ]
}

function pipelineRoutes(portal: Portal): Route[] {
  const path = '/crm/v3/pipelines/:type'
  const pipelines = (params: Params) => portal.tables[typesOf(portal)(params).pipelines?.table ?? '']?.present ?? []
  const pipeline = (params: Params) => pipelines(params).find(({ id }) => id === params.id) ?? notFound()
  return [
    { method: 'GET', path, answer: (_, params) => ({ status: 200, body: { results: pipelines(params) } }) },
    { method: 'GET', path: `${path}/:id`, answer: (_, params) => ({ status: 200, body: pipeline(params) }) },
    {
      method: 'GET',
      path: `${path}/:id/stages`,
      answer: (_, params) => ({ status: 200, body: { results: pipeline(params).stages } }),
    },
  ]
}

function ownerRoutes(portal: Portal, pageMax: number): Route[] {
  const path = '/crm/v3/owners'
  const isArchived = (query: URLSearchParams) => query.get('archived') === 'true'
  return [
    {
      method: 'GET',
      path,
      answer: ({ query }) => {
        const email = query.get('email')?.toLowerCase()
        const owners = ([...(portal.tables.owners?.rows.values() ?? [])] as Stored[])
          .filter(({ archived }) => archived === isArchived(query))
          .filter((owner) => email === undefined || owner.email === email)
        return { status: 200, body: page(owners, query, pageMax) }
      },
    },
    {
      method: 'GET',
      path: `${path}/:id`,
      answer: ({ query }, { id = '' }) => ({ status: 200, body: ownerOf(portal, id, isArchived(query)) }),
    },
  ]
}

function typesOf(portal: Portal) {
  return ({ type = '' }: Params) => portal.type(type)
}

function oneOf(portal: Portal, type: ObjectType, { id = '' }: Params, query: URLSearchParams): Stored {
  const idProperty = query.get('idProperty') ?? undefined
  requireUniqueProperty(type, idProperty)
  const row = portal.find(type, id, idProperty)
  return row && row.archived === (query.get('archived') === 'true') ? row : notFound()
}

function written(call: Call) {
  return takeBody<{ readonly properties: Row; readonly associations?: readonly WrittenLink[] }>(call, WRITTEN)
}

/** Names are separated by commas, or the parameter is repeated. */
function namesIn(query: URLSearchParams): string[] {
  return query.getAll('properties').flatMap((names) => names.split(',').filter(Boolean))
}

function list(portal: Portal, type: ObjectType, query: URLSearchParams, pageMax: number): Answer {
  const archived = query.get('archived') === 'true'
  const rows = ([...portal.table(type).rows.values()] as Stored[]).filter((row) => row.archived === archived)
  const { results, ...rest } = page(rows, query, pageMax)
  return { status: 200, body: { results: results.map((row) => shown(type, row, namesIn(query))), ...rest } }
}

/** `after` is the id with which the next page begins. */
function page(rows: readonly Stored[], query: URLSearchParams, pageMax: number) {
  const limit = Number(query.get('limit') ?? Math.min(PAGE_DEFAULT, pageMax))
  if (!(Number.isInteger(limit) && limit >= 1 && limit <= pageMax)) return invalid(`limit must be 1 to ${pageMax}`)
  const after = Number(query.get('after') ?? 0)
  if (!Number.isInteger(after)) return invalid('after must be an id')
  const rest = rows.filter(({ id }) => Number(id) >= after)
  const next = rest[limit]?.id
  const link = `https://api.hubapi.com/?limit=${limit}&after=${next}`
  return { results: rest.slice(0, limit), ...(next !== undefined && { paging: { next: { after: next, link } } }) }
}
