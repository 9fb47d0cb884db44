// Facts from OnePageCRM's published description of v3 and its pages, read 2026-11. Assumed, as they are silent: 400 above
// a maximum of a page or a text, an empty page after the last, null and '' as what clears, emails that match in any case,
// that unknown members are ignored, and that PUT of a deal or a note clears as that of a contact does. Custom fields,
// actions, statuses and the counts of a contact's deals are left out.
import {
  type Answer,
  type Emulator,
  type EmulatorOptions,
  type Params,
  Refusal,
  type Route,
  type Row,
  startEmulator,
  type Table,
} from './emulator.ts'
import { OnePageAccount } from './onepagecrm/account.ts'
import { failure, invalid, notFound, type OnePageCrmKind, ok, takeBody, type WrittenKind } from './onepagecrm/rules.ts'

const BASE = '/api/v3'
const PAGE_DEFAULT = 10
const PAGE_MAX = 100
/** Pages end here, whatever there is. */
const LISTED_MAX = 10_000

interface Listing {
  readonly sorts: readonly string[]
  readonly order: 'asc' | 'desc'
  readonly filters: readonly string[]
}

/** The first of the sorts is that without `sort_by`. */
const LISTS: Readonly<Record<WrittenKind, Listing>> = {
  contacts: {
    sorts: ['name', 'created_at', 'modified_at', 'first_name', 'last_name', 'company_name'],
    order: 'asc',
    filters: ['owner_id', 'company_id'],
  },
  deals: {
    sorts: ['created_at', 'modified_at', 'date', 'close_date', 'expected_close_date'],
    order: 'desc',
    filters: ['contact_id', 'owner_id', 'pipeline_id', 'status', 'stage', 'name'],
  },
  notes: { sorts: ['modified_at', 'created_at', 'date'], order: 'desc', filters: ['contact_id'] },
}

export async function startOnePageCrm(options: EmulatorOptions = {}): Promise<Emulator<OnePageCrmKind>> {
  const { key = 'MDEyMzQ1Njc4OWFiY2RlZg', records = 0, pageMax = PAGE_MAX } = options
  const account = new OnePageAccount(records)
  const credentials = Buffer.from(`${account.user}:${key}`).toString('base64')
  const kinds: readonly WrittenKind[] = ['contacts', 'deals', 'notes']
  return startEmulator<OnePageCrmKind>(
    {
      tables: account.tables,
      routes: [
        ...contactRoutes(account),
        ...kinds.flatMap((kind) => recordRoutes(account, kind, pageMax)),
        ...settingRoutes(account, pageMax),
      ],
      authenticate: ({ headers }) => {
        if (headers.authorization === `Basic ${credentials}`) return
        const message = 'Cannot find suitable authorization data or data provided is not complete.'
        throw new Refusal(failure(401, 'Authorization data not found', message))
      },
      refuse: {
        unknownPath: () => failure(404, 'Resource not found', 'The requested resource has not been found'),
        wrongMethod: () => failure(404, 'Resource not found', 'The requested resource has not been found'),
        internal: () => failure(500, 'Internal server error', 'Something went wrong'),
      },
      refusalIn200: { status: 108, message: 'Invalid request data', error_name: 'invalid_request_data', errors: {} },
      // A refused permission has the same status and a JSON body. No header states the limit.
      limited: () => ({ status: 403, body: 'Rate limit exceeded' }),
      limitHeaders: () => ({}),
    },
    { ...options, key },
  )
}

function wrapper(kind: string): string {
  return kind.slice(0, -1)
}

function contactRoutes(account: OnePageAccount): Route[] {
  const { contacts } = account.tables
  const cascade = ({ last_id }: Params): Answer => {
    const own = sorted(
      contacts.present.filter(({ owner_id }) => owner_id === account.user),
      'name',
      'asc',
    )
    const start = last_id === undefined ? 0 : own.findIndex(({ id }) => id === last_id) + 1
    if (last_id !== undefined && start === 0) return notFound()
    const page = own.slice(start, start + PAGE_MAX)
    const items_left = own.length - start - page.length
    const next_set_url = items_left > 0 ? `https://app.onepagecrm.com${BASE}/contacts/cascade/${page.at(-1)?.id}` : ''
    return ok({ contacts: page.map((row) => inList(account, 'contacts', row)), items_left, next_set_url })
  }
  return [
    {
      method: 'DELETE',
      path: `${BASE}/contacts/delete`,
      answer: ({ query }) => {
        const ids = query.get('ids')?.split(',').filter(Boolean) ?? []
        if (ids.length === 0) return invalid({ ids: 'ids is invalid or missing' })
        for (const row of ids.map((id) => contacts.rows.get(id))) {
          if (row && row.deleted_at === undefined) account.delete('contacts', row)
        }
        return ok({})
      },
    },
    { method: 'GET', path: `${BASE}/contacts/cascade`, answer: (_, params) => cascade(params) },
    { method: 'GET', path: `${BASE}/contacts/cascade/:last_id`, answer: (_, params) => cascade(params) },
  ]
}

function recordRoutes(account: OnePageAccount, kind: WrittenKind, pageMax: number): Route[] {
  const path = `${BASE}/${kind}`
  const answer = (row: Row, status?: number) => ok(inList(account, kind, row), status)
  const found = ({ id = '' }: Params): Row => {
    const row = account.tables[kind].rows.get(id)
    return row && row.deleted_at === undefined ? row : notFound()
  }
  return [
    { method: 'GET', path, answer: ({ query }) => list(account, kind, query, pageMax) },
    { method: 'GET', path: `${path}/:id`, answer: (_, params) => answer(found(params)) },
    { method: 'POST', path, answer: (call) => answer(account.create(kind, takeBody(call, kind)), 201) },
    {
      method: 'PUT',
      path: `${path}/:id`,
      answer: (call, params) => {
        const partial = /^(true|1)$/.test(call.query.get('partial') ?? '')
        return answer(account.update(kind, found(params), takeBody(call, kind), partial))
      },
    },
    {
      method: 'DELETE',
      path: `${path}/:id`,
      answer: ({ query }, params) => {
        if (kind !== 'contacts' || query.get('undo') !== 'true') account.delete(kind, found(params))
        else restore(account, params)
        return ok({})
      },
    },
  ]
}

function restore(account: OnePageAccount, { id = '' }: Params): void {
  const row = account.tables.contacts.rows.get(id)
  account.restore(row?.deleted_at === undefined ? notFound() : row)
}

function inList(account: OnePageAccount, kind: WrittenKind, row: Row): Row {
  const beside = kind === 'contacts' ? { next_actions: [], next_action: null, queued_actions: [] } : {}
  return { [wrapper(kind)]: account.shown(kind, row), ...beside }
}

function list(account: OnePageAccount, kind: WrittenKind, query: URLSearchParams, pageMax: number): Answer {
  const { sorts, order, filters } = LISTS[kind]
  const field = query.get('sort_by') ?? sorts[0] ?? ''
  if (!sorts.includes(field)) return invalid({ sort_by: 'sort_by is invalid or missing' })
  const direction = query.get('order') ?? (query.has('sort_by') ? 'asc' : order)
  if (direction !== 'asc' && direction !== 'desc') return invalid({ order: 'order is invalid or missing' })
  const wanted = filters.flatMap((name) => (query.has(name) ? [[name, query.get(name)] as const] : []))
  const rows = account.tables[kind].present.filter(
    (row) => isSeen(account, kind, row, query) && wanted.every(([name, value]) => String(row[name]) === value),
  )
  const { items, facts } = page(sorted(rows, field, direction), query, pageMax)
  return ok({ [kind]: items.map((row) => inList(account, kind, row)), ...facts })
}

/** Contacts of colleagues are listed with `team=true` alone. */
function isSeen(account: OnePageAccount, kind: WrittenKind, row: Row, query: URLSearchParams): boolean {
  if (kind !== 'contacts') return true
  const email = query.get('email')?.toLowerCase()
  const hasEmail = (row.emails as Row[]).some(({ value }) => String(value).toLowerCase() === email)
  if (email !== undefined && !hasEmail) return false
  return query.get('team') === 'true' || query.has('owner_id') || row.owner_id === account.user
}

function page(rows: readonly Row[], query: URLSearchParams, pageMax: number) {
  const take = (name: string, unset: number, most: number) => {
    const value = Number(query.get(name) ?? unset)
    if (Number.isInteger(value) && value >= 1 && value <= most) return value
    return invalid({ [name]: `${name} is invalid or missing` })
  }
  const number = take('page', 1, Number.MAX_SAFE_INTEGER)
  const per_page = take('per_page', Math.min(PAGE_DEFAULT, pageMax), pageMax)
  const listed = rows.slice(0, LISTED_MAX)
  return {
    items: listed.slice((number - 1) * per_page, number * per_page),
    facts: {
      total_count: rows.length,
      page: number,
      per_page,
      max_page: Math.max(1, Math.ceil(listed.length / per_page)),
    },
  }
}

function settingRoutes({ tables }: OnePageAccount, pageMax: number): Route[] {
  const found = (table: Table, { id = '' }: Params): Row => table.rows.get(id) ?? notFound()
  const { pipelines, webhooks, users } = tables
  return [
    {
      method: 'GET',
      path: `${BASE}/pipelines`,
      answer: ({ query }) => {
        const { items, facts } = page(pipelines.present, query, pageMax)
        return ok({ pipelines: items.map((pipeline) => ({ pipeline })), ...facts })
      },
    },
    { method: 'GET', path: `${BASE}/pipelines/:id`, answer: (_, params) => ok({ pipeline: found(pipelines, params) }) },
    {
      method: 'GET',
      path: `${BASE}/webhooks`,
      answer: ({ query }) => {
        const { items, facts } = page(webhooks.present, query, pageMax)
        return ok({ webhooks: items, ...facts })
      },
    },
    { method: 'GET', path: `${BASE}/webhooks/:id`, answer: (_, params) => ok(found(webhooks, params)) },
    {
      method: 'DELETE',
      path: `${BASE}/webhooks/:id`,
      answer: (_, params) => {
        webhooks.remove(String(found(webhooks, params).id))
        return ok({})
      },
    },
    { method: 'GET', path: `${BASE}/users`, answer: () => ok(users.present.map((user) => ({ user }))) },
    { method: 'GET', path: `${BASE}/users/:id`, answer: (_, params) => ok({ user: found(users, params) }) },
  ]
}

function sorted(rows: readonly Row[], field: string, direction: 'asc' | 'desc'): Row[] {
  const key = (row: Row) => String((field === 'name' ? `${row.last_name} ${row.first_name}` : row[field]) ?? '')
  const sign = direction === 'desc' ? -1 : 1
  const keyed = rows.map((row) => [key(row), row] as const)
  keyed.sort(([a], [b]) => {
    if (a === b) return 0
    return a < b ? -sign : sign
  })
  return keyed.map(([, row]) => row)
}
