// Facts from Zoho's public documentation of the REST API of Zoho CRM, version 8, from its OpenAPI documents (zoho/crm-oas) and, for
// quotation marks in COQL, from its developer community (Kaizen 171); read 2026-11. Assumed, as these are silent: that a field which
// no module has, one that the server sets, a value that no option has, or a look-up whose id is null refuses a row, and an unknown
// field a list; texts are compared without case; a page token holds its place though records are deleted; in a query, look-ups are
// ids alone; the status of a request of which each row is refused (documents have 400 and 202). Left out: layouts, pipelines,
// approvals, blueprints, territories, subforms, the recycle bin, If-Unmodified-Since, search, conversion of leads and OAuth.

import {
  type Answer,
  type Call,
  type Emulator,
  type EmulatorOptions,
  type Route,
  type Row,
  startEmulator,
  type Window,
} from './emulator.ts'
import { Account, type Rules, USERS } from './zoho/account.ts'
import { runQuery } from './zoho/coql.ts'
import { describedField, type Module } from './zoho/modules.ts'
import { answerOf, bodyOf, failure, invalid, listed, type Outcome, ok, refuse } from './zoho/rules.ts'

const BASE = '/crm/v8'
const ROWS_MAX = 100
const PAGE_MAX = 200
/** By number of page; behind that, a token leads on. */
const NUMBERED_MAX = 2000
const TOKENS_MAX = 100_000
const FIELDS_MAX = 50
const SORTS = ['id', 'Created_Time', 'Modified_Time']
/** An access token, which lives for an hour. */
const KEY = '1000.8cb99dxxxxxxxxxxxxx9be93.9b8xxxxxxxxxxxxxxxf'

export interface ZohoOptions extends EmulatorOptions, Rules {
  /** Of a request of which each row is refused: 400, or 202. */
  readonly refusedStatus?: 400 | 202
}

/** Records are asked for by the API name of their module. */
export async function startZoho(options: ZohoOptions = {}): Promise<Emulator<string>> {
  const { key = KEY, records = 0, pageMax = PAGE_MAX, refusedStatus = 400 } = options
  const account = new Account(records, options)
  return startEmulator<string>(
    {
      tables: account.tables,
      routes: [
        ...settingRoutes(account),
        ...listRoutes(account, pageMax),
        ...noteRoutes(account, refusedStatus),
        ...writeRoutes(account, refusedStatus),
      ],
      authenticate: ({ headers }) => {
        if (headers.authorization !== `Zoho-oauthtoken ${key}`) refuse(401, 'INVALID_TOKEN', 'invalid oauth token')
      },
      refuse: {
        unknownPath: () =>
          failure(404, 'INVALID_URL_PATTERN', 'Please check if the URL trying to access is a correct one'),
        wrongMethod: () => failure(400, 'INVALID_REQUEST_METHOD', 'The http request method type is not a valid one'),
        internal: () => failure(500, 'INTERNAL_ERROR', 'Internal server error occurred.'),
      },
      limited: () => failure(429, 'TOO_MANY_REQUESTS', 'The maximum number of requests is reached'),
      limitHeaders,
    },
    { ...options, key },
  )
}

/** From the half of the credits of a day on; nothing says when they come back. */
function limitHeaders({ limit, remaining }: Window): Record<string, string> {
  return remaining * 2 > limit ? {} : { 'x-api-credits-remaining': String(Math.max(0, remaining)) }
}

function settingRoutes(account: Account): Route[] {
  return [
    {
      method: 'GET',
      path: `${BASE}/settings/modules`,
      answer: () =>
        ok({
          modules: account.modules.map(({ fields: _fields, isUpsertable: _upserts, ...module }, at) => ({
            ...{ ...module, id: String(at + 1), module_name: module.api_name, api_supported: true },
          })),
        }),
    },
    {
      method: 'GET',
      path: `${BASE}/settings/fields`,
      answer: ({ query }) => {
        const name = query.get('module') ?? missing('module')
        return ok({ fields: Object.entries(account.module(name).fields).map((each) => describedField(...each)) })
      },
    },
    {
      method: 'GET',
      path: `${BASE}/users`,
      answer: ({ query }) => {
        const type = query.get('type') ?? 'AllUsers'
        if (type === 'CurrentUser') return ok({ users: USERS.slice(0, 1) })
        const status = { AllUsers: undefined, ActiveUsers: 'active', DeactiveUsers: 'inactive' }[type]
        const [page, size] = [Number(query.get('page') ?? 1), Number(query.get('per_page') ?? PAGE_MAX)]
        const all = USERS.filter((user) => status === undefined || user.status === status)
        const users = all.slice((page - 1) * size, page * size)
        const info = { page, per_page: size, count: users.length, more_records: all.length > page * size }
        return users.length === 0 ? { status: 204 } : ok({ users, info })
      },
    },
    {
      method: 'POST',
      path: `${BASE}/coql`,
      answer: (call) => {
        const { select_query } = bodyOf(call)
        const { module, fields, rows, hasMore } = runQuery(select_query, (name) => {
          const found = account.module(name)
          return { module: found, rows: account.table(found).present }
        })
        const data = rows.map((row) => account.shown(module, row, fields, false))
        return listed({ data, info: { count: data.length, more_records: hasMore } })
      },
    },
  ]
}

function missing(param_name: string): never {
  return refuse(400, 'REQUIRED_PARAM_MISSING', 'One of the expected parameter is missing', { param_name })
}

/** Names of fields in `fields`; all of them without it, which only one record may be asked for. */
function fieldsAsked({ query }: Call, module: Module): readonly string[] | undefined {
  const names = query.get('fields')?.split(',')
  if (names && names.length > FIELDS_MAX) refuse(400, 'LIMIT_EXCEEDED', 'more than 50 fields', { limit: FIELDS_MAX })
  const unknown = names?.find((name) => !Object.hasOwn(module.fields, name))
  if (unknown !== undefined) refuse(400, 'INVALID_DATA', `no field ${unknown}`, { param_name: 'fields' })
  return names
}

interface Place {
  readonly after: string
  /** What must not differ in the request with the token. */
  readonly bound: string
  readonly passed: number
}

function listRoutes(account: Account, pageMax: number): Route[] {
  const places = new Map<string, Place>()
  return [
    {
      method: 'GET',
      path: `${BASE}/:module`,
      answer: (call, { module = '' }) => {
        const of = account.module(module)
        return pageOf(call, { account, module: of, rows: account.table(of).present, pageMax, places })
      },
    },
    {
      method: 'GET',
      path: `${BASE}/:parent/:id/Notes`,
      answer: (call, { parent, id }) => {
        const of = account.module('Notes')
        const isOn = ({ id: own, module }: Row) => own === id && (module as Row).api_name === parent
        const rows = account.table(of).present.filter(({ Parent_Id }) => isOn(Parent_Id as Row))
        return pageOf(call, { account, module: of, rows, pageMax, places })
      },
    },
    {
      method: 'GET',
      path: `${BASE}/:module/:id`,
      answer: (call, { module = '', id = '' }) => {
        const of = account.module(module)
        if (!/^\d{16,19}$/.test(id))
          refuse(400, 'INVALID_DATA', 'the id given seems to be invalid', { resource_path_index: 1 })
        const row = account.table(of).rows.get(id)
        const names = fieldsAsked(call, of) ?? Object.keys(of.fields)
        return row ? ok({ data: [account.shown(of, row, names)] }) : { status: 204 }
      },
    },
  ]
}

interface Listing {
  readonly account: Account
  readonly module: Module
  readonly rows: readonly Row[]
  readonly pageMax: number
  readonly places: Map<string, Place>
}

interface Asked {
  readonly sortBy: string
  readonly order: string
  readonly size: number
  readonly page: number
  readonly token: string | null
}

/** "Get Records": what the parameters may be, and how far numbered pages reach. */
function askedPage({ query }: Call): Asked {
  const [sortBy, order] = [query.get('sort_by') ?? 'id', query.get('sort_order') ?? 'desc']
  if (!SORTS.includes(sortBy)) refuse(400, 'INVALID_DATA', 'invalid data', { param_name: 'sort_by' })
  const size = Number(query.get('per_page') ?? PAGE_MAX)
  if (!(size >= 1 && size <= PAGE_MAX)) refuse(400, 'LIMIT_EXCEEDED', 'per_page', { limit: PAGE_MAX })
  const [token, numbered] = [query.get('page_token'), query.get('page')]
  if (token !== null && numbered !== null)
    refuse(400, 'AMBIGUITY_DURING_PROCESSING', 'page and page_token cannot be used together')
  const page = Number(numbered ?? 1)
  if (page * size > NUMBERED_MAX)
    refuse(400, 'DISCRETE_PAGINATION_LIMIT_EXCEEDED', 'use page_token for more records', { limit: NUMBERED_MAX })
  return { sortBy, order, size, page, token }
}

/** A token leads on in the list for which it was given. */
function placeOf(token: string, bound: string, places: Listing['places']): Place {
  const place = places.get(token) ?? refuse(400, 'INVALID_DATA', 'invalid data', { param_name: 'page_token' })
  if (place.bound !== bound)
    refuse(400, 'TOKEN_BOUND_DATA_MISMATCH', 'the parameters differ from those of the page_token')
  if (place.passed >= TOKENS_MAX) refuse(400, 'PAGINATION_LIMIT_EXCEEDED', 'no more records', { limit: TOKENS_MAX })
  return place
}

function pageOf(call: Call, { account, module, rows, pageMax, places }: Listing): Answer {
  const fields = fieldsAsked(call, module) ?? missing('fields')
  const { sortBy, order, size, page, token } = askedPage(call)
  const bound = JSON.stringify([call.path, fields, sortBy, order])
  const place = token === null ? undefined : placeOf(token, bound, places)
  const isBehind = ({ id }: Row) => !place || String(id) > place.after === (order === 'asc')
  const rest = (order === 'asc' ? rows : rows.toReversed()).filter(isBehind)
  const start = place ? 0 : (page - 1) * size
  const shown = rest.slice(start, start + Math.min(size, pageMax))
  const hasMore = rest.length > start + shown.length
  const next = hasMore ? `token${places.size}` : null
  const passed = (place?.passed ?? start) + shown.length
  if (next !== null) places.set(next, { after: String(shown.at(-1)?.id), bound, passed })
  const info = {
    ...{ per_page: size, count: shown.length, page, sort_by: sortBy, sort_order: order, more_records: hasMore },
    ...{ next_page_token: next, previous_page_token: null, page_token_expiry: next && '2026-12-31T00:00:00+00:00' },
  }
  return listed({ data: shown.map((row) => account.shown(module, row, fields)), info })
}

/** The rows of a request, which has one at least and 100 at most. */
function rowsIn(call: Call): readonly Row[] {
  const { data } = bodyOf(call)
  if (!Array.isArray(data) || data.length === 0)
    return refuse(400, 'MANDATORY_NOT_FOUND', 'required field not found', { api_name: 'data' })
  if (data.length > ROWS_MAX)
    refuse(400, 'LIMIT_EXCEEDED', 'maximum number of records exceeded', { limit: ROWS_MAX, api_name: 'data' })
  return data as Row[]
}

function noteRoutes(account: Account, refusedStatus: number): Route[] {
  return [
    {
      method: 'POST',
      path: `${BASE}/:parent/:id/Notes`,
      answer: (call, { parent: module = '', id = '' }) => {
        if (!account.tables[module]?.rows.has(id))
          refuse(400, 'INVALID_DATA', 'the related id given seems to be invalid', { resource_path_index: 1 })
        const outcomes = rowsIn(call).map(({ Parent_Id, ...row }, at) => {
          const on = (Parent_Id ?? {}) as { id?: unknown; module?: Row }
          if (on.id !== id || on.module?.api_name !== module) return invalid({ api_name: 'Parent_Id' })
          return account.create(account.module('Notes'), { ...row, Parent_Id: { id, module: on.module } }, at)
        })
        return answerOf(outcomes, 201, refusedStatus)
      },
    },
  ]
}

function writeRoutes(account: Account, refusedStatus: number): Route[] {
  const each = (call: Call, done: number, write: (row: Row, at: number) => Outcome) =>
    answerOf(rowsIn(call).map(write), done, refusedStatus)
  return [
    {
      method: 'POST',
      path: `${BASE}/:module`,
      answer: (call, { module = '' }) => {
        const of = account.module(module)
        return each(call, 201, (row, at) => account.create(of, row, at))
      },
    },
    {
      method: 'PUT',
      path: `${BASE}/:module`,
      answer: (call, { module = '' }) => {
        const of = account.module(module)
        return each(call, 200, ({ id, ...row }, at) => account.update(of, id, row, at))
      },
    },
    {
      method: 'DELETE',
      path: `${BASE}/:module`,
      answer: ({ query }, { module = '' }) => {
        const of = account.module(module)
        const ids = (query.get('ids') ?? missing('ids')).split(',')
        if (ids.length > ROWS_MAX) refuse(400, 'LIMIT_EXCEEDED', 'more than 100 ids', { limit: ROWS_MAX })
        return answerOf(
          ids.map((id) => account.remove(of, id)),
          200,
          400,
        )
      },
    },
    {
      method: 'POST',
      path: `${BASE}/:module/upsert`,
      answer: (call, { module = '' }) => {
        const of = account.module(module)
        if (!of.isUpsertable) refuse(400, 'NOT_SUPPORTED', 'the module is not supported')
        const { duplicate_check_fields: asked } = bodyOf(call)
        const checked = Object.keys(of.fields).filter((name) => of.fields[name]?.isChecked)
        const by = Array.isArray(asked) ? asked.map(String) : checked
        const wrong = by.find((name) => !checked.includes(name))
        if (wrong !== undefined) refuse(400, 'INVALID_DATA', 'invalid data', { api_name: 'duplicate_check_fields' })
        return each(call, 200, (row, at) => account.upsert(of, row, at, by))
      },
    },
    {
      method: 'PUT',
      path: `${BASE}/:module/:id`,
      answer: (call, { module = '', id }) => {
        const of = account.module(module)
        return each(call, 200, (row, at) => account.update(of, id, row, at))
      },
    },
    {
      method: 'DELETE',
      path: `${BASE}/:module/:id`,
      answer: (_, { module = '', id = '' }) => {
        const outcome = account.remove(account.module(module), id)
        return outcome.status === 'error' ? { status: 400, body: outcome } : ok({ data: [outcome] })
      },
    },
  ]
}
