import { randomUUID } from 'node:crypto'
import type { Call, Params, Route, Row, Table } from '../emulator.ts'
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

const LISTED = { type: 'array', items: { type: 'object' } }

/** A task keeps its text. */
const TASK = {
  deadline_at: { type: ['string', 'null'] },
  is_completed: { type: 'boolean' },
  linked_records: LISTED,
  assignees: LISTED,
}

const SENT = {
  newTask: inData({ content: TEXT, format: { type: 'string', enum: ['plaintext'] }, ...TASK }, [
    'content',
    'format',
    ...Object.keys(TASK),
  ]),
  changedTask: inData(TASK, []),
  note: inData(NOTE, ['parent_object', 'parent_record_id', 'title', 'format', 'content']),
  newWebhook: inData(WEBHOOK, ['target_url', 'subscriptions']),
  changedWebhook: inData(WEBHOOK, []),
}

export function otherRoutes(workspace: Workspace): Route[] {
  return [
    ...noteRoutes(workspace),
    ...taskRoutes(workspace),
    ...webhookRoutes(workspace.table('webhooks')),
    ...memberRoutes(workspace.table('members')),
  ]
}

function noteRoutes(workspace: Workspace): Route[] {
  const notes = workspace.table('notes')
  const one = (params: Params) => found(notes, 'Note with ID', params)
  return [
    {
      method: 'GET',
      path: '/v2/notes',
      answer: ({ query }) => {
        const { limit, offset } = takePage(query, { max: 50, unset: 10 })
        const asked = ['parent_object', 'parent_record_id'].filter((name) => query.has(name))
        const object = query.get('parent_object')
        if (object !== null) workspace.objectNamed(object)
        const rows = notes.present.filter((note) => asked.every((name) => note[name] === query.get(name)))
        return ok(rows.slice(offset, offset + limit))
      },
    },
    { method: 'GET', path: '/v2/notes/:id', answer: (_, params) => ok(one(params)) },
    { method: 'POST', path: '/v2/notes', answer: (call) => ok(createNote(workspace, call)) },
    { method: 'DELETE', path: '/v2/notes/:id', answer: (_, params) => removed(notes, one(params), 'note_id') },
  ]
}

function createNote(workspace: Workspace, call: Call): Row {
  const data = takeBody(call, SENT.note).data as Row
  const { slug: parent_object } = workspace.objectNamed(String(data.parent_object))
  const parent_record_id = String(data.parent_record_id)
  if (!workspace.table(parent_object).rows.has(parent_record_id)) return notFound('Record with ID', parent_record_id)
  const created = Date.parse(String(data.created_at ?? new Date().toISOString()))
  if (!(created >= 0 && created <= Date.now())) {
    return refuse(400, 'validation_type', 'created_at must be between 1970 and now.')
  }
  const note_id = randomUUID()
  const content = String(data.content)
  return workspace.table('notes').write('created', note_id, {
    id: { workspace_id: WORKSPACE_ID, note_id },
    parent_object,
    parent_record_id,
    title: data.title,
    content_plaintext: data.format === 'markdown' ? content.replace(/[*_#`]/g, '') : content,
    content_markdown: content,
    created_by_actor: workspace.actor,
    created_at: timeText(created),
  })
}

function taskRoutes(workspace: Workspace): Route[] {
  const tasks = workspace.table('tasks')
  const path = '/v2/tasks'
  const one = (params: Params) => found(tasks, 'Task with ID', params)
  return [
    {
      method: 'GET',
      path,
      answer: ({ query }) => {
        const { limit, offset } = takePage(query, { max: 500 })
        const [done, assignee] = [query.get('is_completed'), query.get('assignee')]
        const member = assignee === null ? undefined : workspace.member({ id: assignee, email: assignee })
        const rows = tasks.present.filter(
          ({ is_completed, assignees }) =>
            (done === null || String(is_completed) === done) &&
            (assignee === null || (assignees as Row[]).some((each) => each.referenced_actor_id === member)),
        )
        return ok(rows.slice(offset, offset + limit))
      },
    },
    { method: 'GET', path: `${path}/:id`, answer: (_, params) => ok(one(params)) },
    {
      method: 'POST',
      path,
      answer: (call) => {
        const { content, format, ...data } = takeBody(call, SENT.newTask).data as Row
        const task_id = randomUUID()
        const id = { workspace_id: WORKSPACE_ID, task_id }
        const made = { created_by_actor: workspace.actor, created_at: timeText() }
        const task = { id, content_plaintext: content, ...taskIn(workspace, data), ...made }
        return ok(tasks.write('created', task_id, task))
      },
    },
    {
      method: 'PATCH',
      path: `${path}/:id`,
      answer: (call, params) => {
        const before = one(params)
        const after = { ...before, ...taskIn(workspace, takeBody(call, SENT.changedTask).data as Row) }
        return ok(tasks.write('updated', String(params.id), after))
      },
    },
    { method: 'DELETE', path: `${path}/:id`, answer: (_, params) => removed(tasks, one(params), 'task_id') },
  ]
}

/** The written members of a task in the form in which they are read: the object of a linked record has another name there. */
function taskIn(workspace: Workspace, { linked_records, assignees, deadline_at, ...data }: Row): Row {
  const records = (linked_records as Row[] | undefined)?.map((reference) => {
    const object = workspace.object(String(reference.target_object))
    if (!object) return refuse(400, 'validation_type', 'Only standard or custom object records can be linked to.')
    const target_record_id =
      workspace.record(reference) ?? notFound('Record with ID', String(reference.target_record_id))
    return { target_object_id: object.slug, target_record_id }
  })
  const members = (assignees as Row[] | undefined)?.map((actor) => {
    const email = actor.workspace_member_email_address
    const referenced_actor_id = workspace.member({ id: actor.referenced_actor_id, email })
    if (referenced_actor_id) return { referenced_actor_type: 'workspace-member', referenced_actor_id }
    return notFound('Workspace member', String(email ?? actor.referenced_actor_id))
  })
  if (typeof deadline_at === 'string' && Number.isNaN(Date.parse(deadline_at)))
    return refuse(400, 'validation_type', 'Body payload validation error.')
  return {
    ...data,
    ...(deadline_at !== undefined && { deadline_at: deadline_at && timeText(Date.parse(String(deadline_at))) }),
    ...(records && { linked_records: records }),
    ...(members && { assignees: members }),
  }
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

function memberRoutes(members: Table): Route[] {
  return [
    { method: 'GET', path: '/v2/workspace_members', answer: () => ok(members.present) },
    {
      method: 'GET',
      path: '/v2/workspace_members/:id',
      answer: (_, params) => ok(found(members, 'Workspace member with ID', params)),
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
