// Facts from HubSpot's published description of contacts, deals and pipelines (v3) and its pages on contacts, deals,
// properties, search, errors and usage, read 2026-11. From answers that users published: 207 beside batch/create, the text of property
// errors, the missing category of a 404, 204 for a DELETE of nothing, an update's answer with the written properties
// alone, and results of a batch in another order. Assumed, as all are silent: 400 above a limit, no null in a property,
// 409 where an update takes the email of another contact, and how a wrong owner or stage is refused. Associations are
// taken and ignored; notes and the history of properties are left out.

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
import { answerBatch, requireUniqueProperty, type Verb } from './hubspot/batches.ts'
import { Portal, type Stored, shown } from './hubspot/portal.ts'
import { findKind, type ObjectKind, shownProperties } from './hubspot/properties.ts'
import { failure, type HubSpotKind, invalid, notFound, takeBody } from './hubspot/rules.ts'
import { search } from './hubspot/search.ts'

const PAGE_DEFAULT = 10
const PAGE_MAX = 100
const OBJECTS_PATH = '/crm/v3/objects/:type'

const WRITTEN = {
  type: 'object',
  properties: {
    properties: { type: 'object', additionalProperties: { type: ['string', 'number', 'boolean'] } },
    associations: { type: 'array' },
  },
  required: ['properties'],
}

export async function startHubSpot(options: EmulatorOptions = {}): Promise<Emulator<HubSpotKind>> {
  const { key = 'pat-na1-01234567-89ab-cdef-0123-456789abcdef', records = 0, pageMax = PAGE_MAX } = options
  const portal = new Portal(records)
  return startEmulator<HubSpotKind>(
    {
      tables: portal.tables,
      routes: [
        ...objectRoutes(portal, pageMax),
        ...batchRoutes(portal),
        ...searchRoutes(portal, options.searchLagMs ?? 0),
        ...settingRoutes(portal, pageMax),
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
  return [
    { method: 'GET', path: OBJECTS_PATH, answer: ({ query }, params) => list(portal, kindOf(params), query, pageMax) },
    {
      method: 'POST',
      path: OBJECTS_PATH,
      answer: (call, params) => {
        const kind = kindOf(params)
        const row = portal.prepareCreate(kind, written(call))()
        return { status: 201, body: shown(kind, row, Object.keys(row.properties)) }
      },
    },
    {
      method: 'GET',
      path,
      answer: ({ query }, params) => {
        const kind = kindOf(params)
        const row = oneOf(portal, kind, params, query)
        return { status: 200, body: shown(kind, row, namesIn(query)) }
      },
    },
    {
      method: 'PATCH',
      path,
      answer: (call, params) => {
        const kind = kindOf(params)
        const properties = written(call)
        const row = portal.prepareUpdate(kind, oneOf(portal, kind, params, call.query), properties)()
        return { status: 200, body: shown(kind, row, Object.keys(properties)) }
      },
    },
    {
      method: 'DELETE',
      path,
      answer: (_, params) => {
        portal.archive(kindOf(params), params.id ?? '')
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
    answer: (call, params) => answerBatch(portal, kindOf(params), verb, call),
  }))
}

function searchRoutes(portal: Portal, lagMs: number): Route[] {
  const answer = (call: Call, params: Params) => {
    const kind = kindOf(params)
    return search(kind, portal.tables[kind], call, lagMs)
  }
  return [{ method: 'POST', path: `${OBJECTS_PATH}/search`, answer }]
}

function settingRoutes({ tables }: Portal, pageMax: number): Route[] {
  const path = '/crm/v3/pipelines/:type'
  const pipelines = (params: Params) => (kindOf(params) === 'deals' ? tables.pipelines.present : [])
  const pipeline = (params: Params) => pipelines(params).find(({ id }) => id === params.id) ?? notFound()
  return [
    {
      method: 'GET',
      path: '/crm/v3/properties/:type',
      answer: (_, params) => ({ status: 200, body: { results: shownProperties(kindOf(params)) } }),
    },
    { method: 'GET', path, answer: (_, params) => ({ status: 200, body: { results: pipelines(params) } }) },
    { method: 'GET', path: `${path}/:id`, answer: (_, params) => ({ status: 200, body: pipeline(params) }) },
    {
      method: 'GET',
      path: `${path}/:id/stages`,
      answer: (_, params) => ({ status: 200, body: { results: pipeline(params).stages } }),
    },
    {
      method: 'GET',
      path: '/crm/v3/owners',
      answer: ({ query }) => {
        const email = query.get('email')
        const owners = tables.owners.present.filter((owner) => email === null || owner.email === email)
        return { status: 200, body: page(owners as Stored[], query, pageMax) }
      },
    },
  ]
}

function kindOf({ type = '' }: Params): ObjectKind {
  return findKind(type) ?? invalid(`Unable to infer object type from: ${type}`)
}

function oneOf(portal: Portal, kind: ObjectKind, { id = '' }: Params, query: URLSearchParams): Stored {
  const idProperty = query.get('idProperty') ?? undefined
  requireUniqueProperty(kind, idProperty)
  const row = portal.find(kind, id, idProperty)
  return row && row.archived === (query.get('archived') === 'true') ? row : notFound()
}

function written(call: Call): Row {
  return takeBody<{ readonly properties: Row }>(call, WRITTEN).properties
}

/** Names are separated by commas, or the parameter is repeated. */
function namesIn(query: URLSearchParams): string[] {
  return query.getAll('properties').flatMap((names) => names.split(',').filter(Boolean))
}

function list({ tables }: Portal, kind: ObjectKind, query: URLSearchParams, pageMax: number): Answer {
  const archived = query.get('archived') === 'true'
  const rows = ([...tables[kind].rows.values()] as Stored[]).filter((row) => row.archived === archived)
  const { results, ...rest } = page(rows, query, pageMax)
  return { status: 200, body: { results: results.map((row) => shown(kind, row, namesIn(query))), ...rest } }
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
