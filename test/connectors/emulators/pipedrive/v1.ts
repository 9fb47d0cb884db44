import type { Answer, Params, Route, Row, Table } from '../emulator.ts'
import { failure, ok, refuse, type Tables, takeBody } from './rules.ts'

/** v1 answers fewer than were asked for, v2 refuses. */
const MAX = 500
const DEFAULT = 100
const NOTE_FILTERS = ['user_id', 'deal_id', 'person_id', 'org_id', 'project_id', 'task_id', 'lead_id']
const NOTE_SORTS = ['id', 'user_id', 'deal_id', 'person_id', 'org_id', 'content', 'add_time', 'update_time']
const PARENTS = ['deal_id', 'person_id', 'org_id', 'project_id', 'task_id', 'lead_id']

export function v1Routes(tables: Tables): Route[] {
  return ['/v1', '/api/v1'].flatMap((base) => [
    ...noteRoutes(tables, base),
    ...webhookRoutes(tables.webhooks, base),
    { method: 'GET', path: `${base}/users`, answer: () => ok(USERS) },
  ])
}

/** Those that records may have as owners; the last one has left. */
const USERS = ['ada', 'bernd', 'leaver'].map((name, at) => ({
  id: at + 1,
  name,
  email: `${name}@crm.example`,
  active_flag: name !== 'leaver',
}))

function noteRoutes(tables: Tables, base: string): Route[] {
  const path = `${base}/notes`
  const found = ({ id = '' }: Params): Row => tables.notes.rows.get(id) ?? refuse(404, 'Note not found', 'not_found')
  return [
    { method: 'GET', path, answer: ({ query }) => listNotes(tables, query) },
    { method: 'GET', path: `${path}/:id`, answer: (_, params) => ok(shownNote(tables, found(params))) },
    {
      method: 'POST',
      path,
      answer: (call) => {
        const id = tables.notes.nextId()
        const time = timeText()
        const made = { id, ...NEW_NOTE, add_time: time, update_time: time }
        const note = tables.notes.write('created', id, settle(tables, made, takeBody(call, 'notes', 'create')))
        return ok(shownNote(tables, note))
      },
    },
    {
      method: 'PUT',
      path: `${path}/:id`,
      answer: (call, params) => {
        const before = found(params)
        const after = settle(tables, { ...before, update_time: timeText() }, takeBody(call, 'notes', 'update'))
        return ok(shownNote(tables, tables.notes.write('updated', String(before.id), after)))
      },
    },
    {
      method: 'DELETE',
      path: `${path}/:id`,
      answer: (_, params) => {
        tables.notes.remove(String(found(params).id))
        return ok(true)
      },
    },
  ]
}

const NEW_NOTE: Row = {
  active_flag: true,
  content: '',
  lead_id: null,
  deal_id: null,
  last_update_user_id: null,
  org_id: null,
  person_id: null,
  project_id: null,
  pinned_to_lead_flag: false,
  pinned_to_deal_flag: false,
  pinned_to_organization_flag: false,
  pinned_to_person_flag: false,
  pinned_to_project_flag: false,
  user_id: 1,
}

/** 'YYYY-MM-DD HH:MM:SS' in UTC. */
function timeText(): string {
  return new Date().toISOString().slice(0, 19).replace('T', ' ')
}

/** Unknown members are ignored, flags are 0 or 1 when written and a boolean when read. */
function settle(tables: Tables, before: Row, members: Row): Row {
  const after = { ...before }
  for (const [name, value] of Object.entries(members)) {
    if (!(name in NEW_NOTE || name === 'task_id' || name === 'add_time')) continue
    after[name] = name.startsWith('pinned_') ? value === 1 : value
  }
  after.content = sanitised(String(after.content))
  if (PARENTS.every((name) => (after[name] ?? null) === null)) {
    return refuse(400, `One of ${PARENTS.join(', ')} must be given.`, 'bad_request')
  }
  for (const [name, table] of [
    ['deal_id', tables.deals],
    ['person_id', tables.persons],
    ['org_id', tables.organizations],
  ] as const) {
    const parent = table.rows.get(String(members[name]))
    if (members[name] !== undefined && (!parent || parent.is_deleted)) {
      return refuse(400, `${name} ${after[name]} does not exist`, 'bad_request')
    }
  }
  return after
}

/** HTML without scripts and handlers; a lone & or < becomes an entity. */
function sanitised(html: string): string {
  return html
    .replace(/<(script|style|iframe)\b[\s\S]*?<\/\1>/gi, '')
    .replace(/\son\w+="[^"]*"/gi, '')
    .replace(/&(?![a-z]+;|#\d+;|#x[\da-f]+;)/gi, '&amp;')
    .replace(/<(?![a-z/!])/gi, '&lt;')
}

function shownNote({ deals, persons, organizations }: Tables, note: Row): Row {
  const deal = deals.rows.get(String(note.deal_id))
  const person = persons.rows.get(String(note.person_id))
  const organization = organizations.rows.get(String(note.org_id))
  return {
    ...note,
    deal: deal ? { title: deal.title } : null,
    person: person ? { name: person.name } : null,
    organization: organization ? { name: organization.name } : null,
    project: null,
    user: { email: 'user@example.com', icon_url: null, is_you: note.user_id === 1, name: `User ${note.user_id}` },
  }
}

function listNotes(tables: Tables, query: URLSearchParams): Answer {
  const rows = tables.notes.present.filter((note) =>
    NOTE_FILTERS.every((name) => !query.has(name) || String(note[name]) === query.get(name)),
  )
  const [, field = 'id', direction = 'ASC'] = /^(\w+)(?: (ASC|DESC))?/i.exec(query.get('sort') ?? 'id ASC') ?? []
  if (!NOTE_SORTS.includes(field)) return failure(400, `sort: ${field} is not a field to sort by`)
  const sign = direction.toUpperCase() === 'DESC' ? -1 : 1
  const numeric = { numeric: true } as const
  rows.sort(
    (a, b) => sign * String(a[field]).localeCompare(String(b[field]), 'en', numeric) || Number(a.id) - Number(b.id),
  )
  const start = Number(query.get('start') ?? 0)
  const limit = Math.min(MAX, Number(query.get('limit') ?? DEFAULT))
  if (!(Number.isInteger(start) && start >= 0 && Number.isInteger(limit) && limit > 0)) {
    return failure(400, 'start and limit must be whole numbers')
  }
  const end = start + limit
  const more = rows.length > end
  const pagination = { start, limit, more_items_in_collection: more, ...(more && { next_start: end }) }
  const page = rows.slice(start, end).map((note) => shownNote(tables, note))
  return ok(page.length > 0 ? page : null, { pagination })
}

function webhookRoutes(webhooks: Table, base: string): Route[] {
  const path = `${base}/webhooks`
  return [
    {
      method: 'GET',
      path,
      answer: () => ({ status: 200, body: { status: 'ok', success: true, data: webhooks.present } }),
    },
    {
      method: 'POST',
      path,
      answer: (call) => {
        const { version = '2.0', user_id = 1, ...members } = takeBody(call, 'webhooks', 'create')
        if (!isHttpUrl(members.subscription_url)) {
          return webhookError(400, { subscription_url: ['invalid or non-reachable URL'] })
        }
        const id = webhooks.nextId()
        const known = Object.fromEntries(Object.entries(members).filter(([name]) => WEBHOOK_MEMBERS.includes(name)))
        const data = { ...newWebhook(id), ...known, version, user_id, owner_id: user_id }
        return { status: 201, body: { status: 'ok', success: true, data: webhooks.write('created', id, data) } }
      },
    },
    {
      method: 'DELETE',
      path: `${path}/:id`,
      answer: (_, { id = '' }) => {
        if (!webhooks.rows.has(id)) return webhookError(404, { id: ['not found'] })
        webhooks.remove(id)
        return { status: 200, body: { status: 'ok', success: true } }
      },
    },
  ]
}

const WEBHOOK_MEMBERS = [
  'subscription_url',
  'event_action',
  'event_object',
  'name',
  'http_auth_user',
  'http_auth_password',
]

function newWebhook(id: number): Row {
  return {
    id,
    company_id: 1,
    is_active: 1,
    add_time: new Date().toISOString(),
    remove_time: null,
    type: 'general',
    http_auth_user: null,
    http_auth_password: null,
    remove_reason: null,
    last_delivery_time: null,
    last_http_status: null,
    admin_id: 1,
  }
}

function webhookError(status: number, errors: object): Answer {
  return { status, body: { status: 'error', success: false, errors } }
}

function isHttpUrl(value: unknown): boolean {
  return /^https?:$/.test(URL.parse(String(value))?.protocol ?? '')
}
