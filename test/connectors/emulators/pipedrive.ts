// Facts from Pipedrive's published descriptions of v1 and v2 and its pages on pagination, responses, rate limits and the
// move to v2, read 2026-11. Assumed, as they are silent: the texts of errors, 400 above a limit, 200 for a GET and 404 for a
// second DELETE of what is deleted, and which members of a deal or a person can be null.
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
  Table,
  type Window,
} from './emulator.ts'
import { create, seed, timeText, update } from './pipedrive/records.ts'
import {
  FIELDS,
  failure,
  invalid,
  isV1,
  ok,
  type PipedriveKind,
  refuse,
  type Tables,
  takeBody,
  type V2Kind,
} from './pipedrive/rules.ts'
import { v1Routes } from './pipedrive/v1.ts'

const PAGE_DEFAULT = 100
const PAGE_MAX = 500
const IDS_MAX = 100
const SEARCHED = ['name', 'email', 'phone', 'notes', 'custom_fields']

const KINDS: Readonly<Record<V2Kind, { readonly filters: readonly string[]; readonly ids: boolean }>> = {
  persons: { filters: ['owner_id', 'org_id'], ids: true },
  deals: { filters: ['owner_id', 'person_id', 'org_id', 'pipeline_id', 'stage_id'], ids: true },
  organizations: { filters: ['owner_id'], ids: true },
  activities: { filters: ['owner_id', 'deal_id', 'person_id', 'org_id'], ids: true },
  pipelines: { filters: [], ids: false },
  stages: { filters: ['pipeline_id'], ids: false },
}

const FIELD_PATHS = ['person', 'deal', 'organization', 'activity'].map((kind) => `/api/v2/${kind}Fields`)

export async function startPipedrive(options: EmulatorOptions = {}): Promise<Emulator<PipedriveKind>> {
  const { key = '0123456789abcdef0123456789abcdef01234567', records = 0, pageMax = PAGE_MAX, searchLagMs = 0 } = options
  const marked = () => new Table((row) => row.is_deleted === true)
  const persons = marked()
  const tables: Tables = {
    ...{ persons, deals: marked(), organizations: marked(), activities: marked() },
    ...{ pipelines: marked(), stages: marked(), notes: new Table(), webhooks: new Table() },
  }
  seed(tables, records)
  const v2 = Object.keys(KINDS).flatMap((kind) => v2Routes(tables, kind as V2Kind, pageMax))
  const search = (call: Call) => searchPersons(persons.indexed(searchLagMs), call.query, pageMax)
  return startEmulator<PipedriveKind>(
    {
      tables,
      routes: [
        { method: 'GET', path: '/api/v2/persons/search', answer: search },
        ...v2,
        ...FIELD_PATHS.map((path): Route => ({ method: 'GET', path, answer: () => ok(FIELDS, { next_cursor: null }) })),
        ...v1Routes(tables),
      ],
      authenticate: (call) => authenticate(call, key),
      refuse: {
        unknownPath: () => failure(404, 'Unknown method .'),
        wrongMethod: () => failure(405, 'Method not allowed'),
        internal: () => ({
          status: 500,
          body: { success: false, error: 'Internal Server Error', code: 'ERR_UNKNOWN' },
        }),
      },
      refusalIn200: { success: false, error: 'The record was not saved', data: null },
      limited: () => failure(429, 'Rate limit exceeded'),
      limitHeaders,
    },
    { ...options, key },
  )
}

/** v1 takes the token in the query too. A user's token is no bearer token. */
function authenticate({ path, query, headers }: Call, key: string): void {
  const given = headers['x-api-token'] ?? (isV1(path) ? query.get('api_token') : undefined)
  if (given === key) return
  throw new Refusal({ status: 401, body: { success: false, error: 'unauthorized access', errorCode: 401 } })
}

function limitHeaders({ limit, remaining, resetAt }: Window): Record<string, string> {
  return {
    'x-ratelimit-limit': String(limit),
    'x-ratelimit-remaining': String(Math.max(0, remaining)),
    'x-ratelimit-reset': String(Math.max(0, Math.ceil((resetAt - Date.now()) / 1000))),
  }
}

function v2Routes(tables: Tables, kind: V2Kind, pageMax: number): Route[] {
  const table = tables[kind]
  const path = `/api/v2/${kind}`
  const found = ({ id = '' }: Params, { evenDeleted }: { readonly evenDeleted: boolean }): Row => {
    if (!/^\d+$/.test(id)) return invalid('id: must be integer')
    const row = table.rows.get(id)
    return row && (evenDeleted || !row.is_deleted) ? row : refuse(404, 'Entity not found', 'ERR_NOT_FOUND')
  }
  return [
    { method: 'GET', path, answer: ({ query }) => list(table, kind, query, pageMax) },
    { method: 'GET', path: `${path}/:id`, answer: (_, params) => ok(found(params, { evenDeleted: true })) },
    { method: 'POST', path, answer: (call) => ok(create(tables, kind, takeBody(call, kind, 'create'))) },
    {
      method: 'PATCH',
      path: `${path}/:id`,
      answer: (call, params) => {
        // Only of deals is it documented that is_deleted can be written.
        const before = found(params, { evenDeleted: kind === 'deals' })
        return ok(update(tables, kind, before, takeBody(call, kind, 'update')))
      },
    },
    {
      method: 'DELETE',
      path: `${path}/:id`,
      answer: (_, params) => {
        const row = found(params, { evenDeleted: false })
        table.write('deleted', String(row.id), { ...row, is_deleted: true, update_time: timeText() })
        return ok({ id: row.id })
      },
    },
  ]
}

interface Position {
  readonly field: string
  readonly fieldValue: unknown
  readonly sortDirection: string
  readonly id: number
}

function list(table: Table, kind: V2Kind, query: URLSearchParams, pageMax: number): Answer {
  const limit = takeLimit(query, pageMax)
  const sorts = kind === 'stages' ? ['id', 'update_time', 'add_time', 'order_nr'] : ['id', 'update_time', 'add_time']
  const from = takeCursor<Position>(query)
  const field = from?.field ?? oneOf(query, 'sort_by', sorts)
  const sortDirection = from?.sortDirection ?? oneOf(query, 'sort_direction', ['asc', 'desc'])
  const sign = sortDirection === 'desc' ? -1 : 1
  const order = (a: Row, b: Row) => sign * (compare(a[field], b[field]) || compare(a.id, b.id))
  const rows = filtered(table, kind, query).sort(order)
  const start = from ? rows.findIndex((row) => order(row, { [field]: from.fieldValue, id: from.id }) >= 0) : 0
  const rest = start < 0 ? [] : rows.slice(start)
  const next = rest[limit]
  const cursor = next && { field, fieldValue: next[field], sortDirection, id: next.id }
  const page = rest.slice(0, limit).map((row) => withCustomFields(row, query.get('custom_fields')))
  return ok(page, { next_cursor: cursor ? encodeCursor(cursor) : null })
}

function filtered(table: Table, kind: V2Kind, query: URLSearchParams): Row[] {
  const { filters, ids } = KINDS[kind]
  const asked = ids ? query.get('ids')?.split(',') : undefined
  if (asked && (asked.length > IDS_MAX || asked.some((id) => !/^\d+$/.test(id)))) {
    return invalid(`ids: up to ${IDS_MAX} integers, separated by commas`)
  }
  const wanted = filters.flatMap((name) => (query.has(name) ? [[name, takeInteger(query, name)] as const] : []))
  const since = takeTime(query, 'updated_since')
  const until = takeTime(query, 'updated_until')
  const statuses = kind === 'deals' ? query.get('status')?.split(',') : undefined
  const candidates = [...table.rows.values()].filter((row) => !asked || asked.includes(String(row.id)))
  return candidates.filter(
    (row) =>
      isListed(row, statuses) &&
      wanted.every(([name, value]) => row[name] === value) &&
      (since === undefined || String(row.update_time) >= since) &&
      (until === undefined || String(row.update_time) < until),
  )
}

function isListed(row: Row, statuses: readonly string[] | undefined): boolean {
  if (row.is_archived) return false
  if (!statuses) return row.is_deleted !== true
  return statuses.includes(row.is_deleted ? 'deleted' : String(row.status))
}

function withCustomFields(row: Row, keys: string | null): Row {
  if (keys === null || !row.custom_fields) return row
  const kept = Object.entries(row.custom_fields).filter(([key]) => keys.split(',').includes(key))
  return { ...row, custom_fields: Object.fromEntries(kept) }
}

function searchPersons(persons: readonly Row[], query: URLSearchParams, pageMax: number): Answer {
  const exact = query.get('exact_match') === 'true'
  const term = (query.get('term') ?? '').toLowerCase()
  if (term.length < (exact ? 1 : 2)) return invalid('term: at least 2 characters, or 1 with exact_match')
  const fields = query.get('fields')?.split(',') ?? SEARCHED
  if (fields.some((field) => !SEARCHED.includes(field))) return invalid(`fields: one of ${SEARCHED.join(', ')}`)
  const values = (row: Row) => [
    ...(fields.includes('name') ? [String(row.name)] : []),
    ...(fields.includes('email') ? valuesOf(row.emails) : []),
    ...(fields.includes('phone') ? valuesOf(row.phones) : []),
  ]
  const fits = (text: string) => (exact ? text.toLowerCase() === term : text.toLowerCase().includes(term))
  const hits = persons.filter((row) => values(row).some(fits))
  const start = takeCursor<{ readonly start: number }>(query)?.start ?? 0
  const end = start + takeLimit(query, pageMax)
  const items = hits.slice(start, end).map((row) => ({ result_score: exact ? 1 : 0.5, item: shownHit(row) }))
  return ok({ items }, { next_cursor: end < hits.length ? encodeCursor({ start: end }) : null })
}

function shownHit({ id, name, phones, emails, visible_to, owner_id }: Row): Row {
  return {
    id,
    type: 'person',
    name,
    phones: valuesOf(phones),
    emails: valuesOf(emails),
    visible_to,
    owner: { id: owner_id },
    organization: null,
    custom_fields: [],
    notes: [],
  }
}

function valuesOf(entries: unknown): string[] {
  return (entries as Row[]).map(({ value }) => String(value))
}

function takeLimit(query: URLSearchParams, pageMax: number): number {
  const limit = query.has('limit') ? takeInteger(query, 'limit') : Math.min(PAGE_DEFAULT, pageMax)
  return limit >= 1 && limit <= pageMax ? limit : invalid(`limit: must be 1 to ${pageMax}`)
}

function takeInteger(query: URLSearchParams, name: string): number {
  const value = query.get(name) ?? ''
  return /^\d+$/.test(value) ? Number(value) : invalid(`${name}: must be integer`)
}

/** A fraction of a second is refused. */
function takeTime(query: URLSearchParams, name: string): string | undefined {
  const value = query.get(name)
  if (value === null) return undefined
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(value) ? value : invalid(`${name}: not a valid datetime`)
}

function oneOf(query: URLSearchParams, name: string, values: readonly string[]): string {
  const value = query.get(name) ?? values[0] ?? ''
  return values.includes(value) ? value : invalid(`${name}: one of ${values.join(', ')}`)
}

/** Opaque to clients: the first item of the next page. */
function encodeCursor(position: object): string {
  return Buffer.from(JSON.stringify(position)).toString('base64url')
}

function takeCursor<Position>(query: URLSearchParams): Position | undefined {
  const cursor = query.get('cursor')
  if (cursor === null) return undefined
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString())
  } catch {
    return invalid('cursor: not a cursor of this list')
  }
}

function compare(a: unknown, b: unknown): number {
  if (a === b) return 0
  return (a as number) < (b as number) ? -1 : 1
}
