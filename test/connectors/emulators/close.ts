// From public documentation alone: Close's pages on authentication, pagination, response codes, rate limits, advanced
// filtering and its reference of contacts, leads, opportunities, notes and pipelines, read 2026-11; the texts of a limit or
// a skip above the maximum from Close's published server library and from published answers. Assumed, as they are silent:
// the newest first, a maximum of 100 and a skip of at most 250,000 in all lists, one rate for all endpoints, what clears,
// the bodies of a 401, a 404 and a 429, and that only the answer that creates a webhook has its key. Custom fields, tasks and
// activities but notes are left out.
import { Organization } from './close/organization.ts'
import { type CloseKind, ok, refuse, takeBody, type WrittenKind } from './close/rules.ts'
import { searchContacts } from './close/search.ts'
import {
  type Answer,
  type Emulator,
  type EmulatorOptions,
  type Params,
  type Route,
  type Row,
  startEmulator,
  type Window,
} from './emulator.ts'

const BASE = '/api/v1'
const PAGE_MAX = 100
const SKIP_MAX = 250_000
const SIGNATURE_KEY = '0123456789abcdef'.repeat(4)

interface Resource {
  readonly path: string
  readonly filters: readonly string[]
}

const RESOURCES: Readonly<Record<WrittenKind, Resource>> = {
  contacts: { path: 'contact', filters: ['lead_id'] },
  leads: { path: 'lead', filters: [] },
  opportunities: { path: 'opportunity', filters: ['lead_id', 'user_id', 'status_id', 'status_type', 'status_label'] },
  notes: { path: 'activity/note', filters: ['lead_id', 'contact_id', 'user_id'] },
  webhooks: { path: 'webhook', filters: [] },
}

export async function startClose(options: EmulatorOptions = {}): Promise<Emulator<CloseKind>> {
  const { key = 'api_0123456789abcdefABCDEF.0123456789abcdef', records = 0, pageMax = PAGE_MAX } = options
  const organization = new Organization(records)
  const credentials = Buffer.from(`${key}:`).toString('base64')
  return startEmulator<CloseKind>(
    {
      tables: organization.tables,
      routes: [
        {
          method: 'POST',
          path: `${BASE}/data/search/`,
          answer: (call) => searchContacts(organization, call, options.searchLagMs ?? 0),
        },
        ...(Object.keys(RESOURCES) as WrittenKind[]).flatMap((kind) => resourceRoutes(organization, kind, pageMax)),
        ...settingRoutes(organization),
      ],
      authenticate: ({ headers }) => {
        if (headers.authorization !== `Basic ${credentials}`) refuse(401, 'The API key is missing or invalid.')
      },
      refuse: {
        unknownPath: () => failure(404, 'Not found.'),
        wrongMethod: () => failure(405, 'The method is not allowed.'),
        internal: () => failure(500, 'Internal server error.'),
      },
      limited: () => failure(429, 'Too many requests.'),
      limitHeaders,
    },
    { ...options, key },
  )
}

function failure(status: number, error: string): Answer {
  return { status, body: { error } }
}

function limitHeaders({ limit, remaining, resetAt }: Window): Record<string, string> {
  const reset = Math.max(0, Math.ceil((resetAt - Date.now()) / 1000))
  return { ratelimit: `limit=${limit}, remaining=${Math.max(0, remaining)}, reset=${reset}` }
}

/** All paths end with a slash, and a create answers 200. */
function resourceRoutes(organization: Organization, kind: WrittenKind, pageMax: number): Route[] {
  const path = `${BASE}/${RESOURCES[kind].path}/`
  const one = `${path}:id/`
  const found = ({ id = '' }: Params): Row => organization.tables[kind].rows.get(id) ?? refuse(404, 'Not found.')
  const answer = (row: Row, query?: URLSearchParams) => ok(withFields(organization.shown(kind, row), query))
  return [
    { method: 'GET', path, answer: ({ query }) => list(organization, kind, query, pageMax) },
    {
      method: 'POST',
      path,
      answer: (call) => {
        const created = organization.create(kind, takeBody(call, kind, 'create'))
        return kind === 'webhooks'
          ? { status: 201, body: { ...created, signature_key: SIGNATURE_KEY } }
          : answer(created)
      },
    },
    { method: 'GET', path: one, answer: ({ query }, params) => answer(found(params), query) },
    {
      method: 'PUT',
      path: one,
      answer: (call, params) => answer(organization.update(kind, found(params), takeBody(call, kind, 'update'))),
    },
    {
      method: 'DELETE',
      path: one,
      answer: (_, params) => {
        organization.delete(kind, found(params))
        return ok({})
      },
    },
  ]
}

function list(organization: Organization, kind: WrittenKind, query: URLSearchParams, pageMax: number): Answer {
  const limit = takeInteger(query, '_limit', pageMax)
  const skip = takeInteger(query, '_skip', 0)
  if (limit > pageMax) {
    return refuse(400, `The limit you set is larger than the maximum limit for this resource (max_limit = ${pageMax}).`)
  }
  if (skip > SKIP_MAX) {
    return refuse(400, `The skip you set is larger than the maximum skip for this resource (max_skip = ${SKIP_MAX}).`)
  }
  const wanted = RESOURCES[kind].filters.flatMap((name) => {
    const value = query.get(name)
    return value === null ? [] : [[name, value.split(',')] as const]
  })
  const rows = organization.tables[kind].present.reverse().filter((row) => {
    if (wanted.length === 0) return true
    const shown = organization.shown(kind, row)
    return wanted.every(([name, values]) => values.includes(String(shown[name])))
  })
  const data = rows.slice(skip, skip + limit).map((row) => withFields(organization.shown(kind, row), query))
  return ok({ data, has_more: rows.length > skip + limit })
}

function takeInteger(query: URLSearchParams, name: '_limit' | '_skip', unset: number): number {
  const value = query.get(name) ?? String(unset)
  return /^\d+$/.test(value) ? Number(value) : refuse(400, `${name} must be an integer (got "${value}" instead).`)
}

function withFields(row: Row, query: URLSearchParams | undefined): Row {
  const names = query?.get('_fields')?.split(',')
  return names ? Object.fromEntries(Object.entries(row).filter(([name]) => names.includes(name))) : row
}

function settingRoutes({ tables, user }: Organization): Route[] {
  const statuses = () =>
    tables.pipelines.present.flatMap(({ id, name, statuses: all }) =>
      (all as Row[]).map((status) => ({ ...status, pipeline_id: id, pipeline_name: name })),
    )
  return [
    { method: 'GET', path: `${BASE}/pipeline/`, answer: () => ok({ data: tables.pipelines.present }) },
    {
      method: 'GET',
      path: `${BASE}/pipeline/:id/`,
      answer: (_, { id = '' }) => ok(tables.pipelines.rows.get(id) ?? refuse(404, 'Not found.')),
    },
    { method: 'GET', path: `${BASE}/status/opportunity/`, answer: () => ok({ data: statuses(), has_more: false }) },
    { method: 'GET', path: `${BASE}/user/`, answer: () => ok({ data: tables.users.present, has_more: false }) },
    { method: 'GET', path: `${BASE}/me/`, answer: () => ok(tables.users.rows.get(user) ?? {}) },
  ]
}
