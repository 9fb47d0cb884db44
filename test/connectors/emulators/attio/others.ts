import { randomUUID } from 'node:crypto'
import type { Call, Params, Route, Row, Table } from '../emulator.ts'
import { findAttribute, findObject } from './attributes.ts'
import { inData, notFound, ok, refuse, takeBody, takePage, timeText } from './rules.ts'
import { WORKSPACE_ID, type Workspace } from './workspace.ts'

const TEXT = { type: 'string' }

const EVENT_TYPES = [
  ...['created', 'resolved', 'unresolved', 'deleted'].map((verb) => `comment.${verb}`),
  ...['list', 'list-entry', 'note', 'record', 'task'].flatMap((thing) =>
    ['created', 'updated', 'deleted'].map((verb) => `${thing}.${verb}`),
  ),
  ...['list-attribute', 'object-attribute'].flatMap((thing) => [`${thing}.created`, `${thing}.updated`]),
  'record.merged',
  'workspace-member.created',
]

const WEBHOOK = {
  target_url: { type: 'string', pattern: '^https://.*' },
  subscriptions: {
    type: 'array',
    items: {
      type: 'object',
      properties: { event_type: { type: 'string', enum: EVENT_TYPES }, filter: { type: ['object', 'null'] } },
      required: ['event_type', 'filter'],
    },
  },
}

const NOTE = {
  parent_object: TEXT,
  parent_record_id: TEXT,
  title: TEXT,
  format: { type: 'string', enum: ['plaintext', 'markdown'] },
  content: TEXT,
  created_at: TEXT,
}

const SENT = {
  note: inData(NOTE, ['parent_object', 'parent_record_id', 'title', 'format', 'content']),
  newWebhook: inData(WEBHOOK, ['target_url', 'subscriptions']),
  changedWebhook: inData(WEBHOOK, []),
}

export function otherRoutes(workspace: Workspace): Route[] {
  return [...noteRoutes(workspace), ...webhookRoutes(workspace.tables.webhooks), ...settingRoutes(workspace)]
}

function noteRoutes(workspace: Workspace): Route[] {
  const { notes } = workspace.tables
  const one = (params: Params) => found(notes, 'Note with ID', params)
  return [
    {
      method: 'GET',
      path: '/v2/notes',
      answer: ({ query }) => {
        const { limit, offset } = takePage(query, { max: 50, unset: 10 })
        const asked = ['parent_object', 'parent_record_id'].filter((name) => query.has(name))
        const object = query.get('parent_object')
        if (object !== null && !findObject(object)) return notFound('Object with slug/ID', object)
        const rows = notes.present.filter((note) => asked.every((name) => note[name] === query.get(name)))
        return ok(rows.slice(offset, offset + limit))
      },
    },
    { method: 'GET', path: '/v2/notes/:id', answer: (_, params) => ok(one(params)) },
    { method: 'POST', path: '/v2/notes', answer: (call) => ok(createNote(workspace, call)) },
    { method: 'DELETE', path: '/v2/notes/:id', answer: (_, params) => removed(notes, one(params), 'note_id') },
  ]
}

function createNote({ tables, actor }: Workspace, call: Call): Row {
  const data = takeBody(call, SENT.note).data as Row
  const parent_object = findObject(String(data.parent_object))
  if (!parent_object) return notFound('Object with slug/ID', String(data.parent_object))
  const parent_record_id = String(data.parent_record_id)
  if (!tables[parent_object].rows.has(parent_record_id)) return notFound('Record with ID', parent_record_id)
  const created = Date.parse(String(data.created_at ?? new Date().toISOString()))
  if (!(created >= 0 && created <= Date.now())) {
    return refuse(400, 'validation_type', 'created_at must be between 1970 and now.')
  }
  const note_id = randomUUID()
  const content = String(data.content)
  return tables.notes.write('created', note_id, {
    id: { workspace_id: WORKSPACE_ID, note_id },
    parent_object,
    parent_record_id,
    title: data.title,
    content_plaintext: data.format === 'markdown' ? content.replace(/[*_#`]/g, '') : content,
    content_markdown: content,
    created_by_actor: actor,
    created_at: timeText(created),
  })
}

function webhookRoutes(webhooks: Table): Route[] {
  const path = '/v2/webhooks'
  const one = (params: Params) => found(webhooks, 'Webhook with ID', params)
  return [
    {
      method: 'GET',
      path,
      answer: ({ query }) => {
        const { limit, offset } = takePage(query, { min: 10, max: 100, unset: 10 })
        return ok(webhooks.present.slice(offset, offset + limit))
      },
    },
    { method: 'GET', path: `${path}/:id`, answer: (_, params) => ok(one(params)) },
    {
      method: 'POST',
      path,
      answer: (call) => {
        const data = takeBody(call, SENT.newWebhook).data as Row
        const webhook_id = randomUUID()
        const id = { workspace_id: WORKSPACE_ID, webhook_id }
        const webhook = { ...data, id, status: 'active', created_at: timeText() }
        // The secret is given once.
        return ok({ ...webhooks.write('created', webhook_id, webhook), secret: randomUUID().replaceAll('-', '') })
      },
    },
    {
      method: 'PATCH',
      path: `${path}/:id`,
      answer: (call, params) => {
        const before = one(params)
        const after = { ...before, ...(takeBody(call, SENT.changedWebhook).data as Row) }
        return ok(webhooks.write('updated', String(params.id), after))
      },
    },
    { method: 'DELETE', path: `${path}/:id`, answer: (_, params) => removed(webhooks, one(params), 'webhook_id') },
  ]
}

function settingRoutes({ tables }: Workspace): Route[] {
  return [
    {
      method: 'GET',
      path: '/v2/objects/:object/attributes/:attribute/statuses',
      answer: (_, { object: slug = '', attribute: attributeSlug = '' }) => {
        const object = findObject(slug)
        if (!object) return notFound('Object with slug/ID', slug)
        const attribute = findAttribute(object, attributeSlug)
        if (attribute?.type !== 'status') return notFound('Status attribute with slug/ID', attributeSlug)
        return ok(tables.statuses.present)
      },
    },
    { method: 'GET', path: '/v2/workspace_members', answer: () => ok(tables.members.present) },
    {
      method: 'GET',
      path: '/v2/workspace_members/:id',
      answer: (_, params) => ok(found(tables.members, 'Workspace member with ID', params)),
    },
  ]
}

function found(table: Table, thing: string, { id = '' }: Params): Row {
  return table.rows.get(id) ?? notFound(thing, id)
}

function removed(table: Table, { id }: Row, member: string) {
  table.remove(String((id as Row)[member]))
  return { status: 200, body: {} }
}
