import type { Row, Table } from '../emulator.ts'
import { invalid, NO_CUSTOM_FIELDS, type Tables, type V2Kind } from './rules.ts'

/** The key is that of the first. */
const USERS: readonly unknown[] = [1, 2, 3]

const DEFAULTS: Readonly<Record<V2Kind, Row>> = {
  persons: {
    name: '',
    first_name: null,
    last_name: null,
    owner_id: 1,
    org_id: null,
    emails: [],
    phones: [],
    is_deleted: false,
    visible_to: 3,
    label_ids: [],
    picture_id: null,
    custom_fields: NO_CUSTOM_FIELDS,
  },
  deals: {
    title: '',
    creator_user_id: 1,
    owner_id: 1,
    value: 0,
    person_id: null,
    org_id: null,
    stage_id: null,
    pipeline_id: 1,
    currency: 'USD',
    archive_time: null,
    stage_change_time: null,
    status: 'open',
    is_archived: false,
    is_deleted: false,
    probability: null,
    lost_reason: null,
    visible_to: 3,
    close_time: null,
    won_time: null,
    lost_time: null,
    expected_close_date: null,
    label_ids: [],
    origin: 'API',
    origin_id: null,
    channel: null,
    channel_id: null,
    custom_fields: NO_CUSTOM_FIELDS,
  },
  organizations: {
    name: '',
    owner_id: 1,
    address: null,
    is_deleted: false,
    visible_to: 3,
    label_ids: [],
    website: null,
    linkedin: null,
    industry: null,
    annual_revenue: null,
    employee_count: null,
    custom_fields: NO_CUSTOM_FIELDS,
  },
  activities: {
    subject: 'Call',
    type: 'call',
    owner_id: 1,
    creator_user_id: 1,
    is_deleted: false,
    deal_id: null,
    lead_id: null,
    person_id: null,
    org_id: null,
    project_id: null,
    due_date: '2026-01-01',
    due_time: null,
    duration: null,
    busy: false,
    done: false,
    marked_as_done_time: null,
    location: null,
    participants: [],
    attendees: [],
    public_description: null,
    priority: null,
    note: null,
  },
  pipelines: { name: '', order_nr: 0, is_deleted: false, is_deal_probability_enabled: false },
  stages: {
    name: '',
    order_nr: 0,
    is_deleted: false,
    deal_probability: 100,
    pipeline_id: 1,
    is_deal_rot_enabled: false,
    days_to_rotten: null,
  },
}

/** RFC 3339 in whole seconds. */
export function timeText(ms = Date.now()): string {
  return new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z')
}

export function create(tables: Tables, kind: V2Kind, members: Row, time = timeText()): Row {
  const id = tables[kind].nextId()
  const made = { id, ...DEFAULTS[kind], add_time: time, update_time: time }
  if ('order_nr' in made) made.order_nr = id
  return tables[kind].write('created', id, RULES[kind](tables, made, members, time))
}

export function update(tables: Tables, kind: V2Kind, before: Row, members: Row): Row {
  const time = timeText()
  const after = RULES[kind](tables, before, members, time)
  return tables[kind].write('updated', String(before.id), { ...after, update_time: time })
}

/** What a record is after a write with these members. */
type Rule = (tables: Tables, before: Row, members: Row, time: string) => Row

const RULES: Readonly<Record<V2Kind, Rule>> = {
  persons: (_, before, members) => {
    const after = merge(before, members)
    const [first, ...others] = String(after.name).split(' ')
    return {
      ...after,
      first_name: first,
      last_name: others.join(' ') || null,
      emails: withPrimary(after.emails as Row[]),
      phones: withPrimary(after.phones as Row[]),
    }
  },
  deals: (tables, before, members, time) => {
    const after = inStage(tables, before, merge(before, members), members)
    requireThere(tables.persons, 'person_id', members.person_id)
    if (after.stage_id !== before.stage_id) after.stage_change_time = time
    if (members.lost_reason && after.status !== 'lost') return invalid('lost_reason: the status is not lost')
    if (members.won_time && after.status !== 'won') return invalid('won_time: the status is not won')
    if (members.lost_time && after.status !== 'lost') return invalid('lost_time: the status is not lost')
    return after.status === before.status ? after : { ...after, ...closing(String(after.status), after, time) }
  },
  organizations: (_, before, members) => merge(before, members),
  activities: (tables, before, members, time) => {
    const after = merge(before, members)
    requireThere(tables.deals, 'deal_id', members.deal_id)
    requireThere(tables.organizations, 'org_id', members.org_id)
    const people = after.participants as Row[]
    for (const { person_id: id } of people) requireThere(tables.persons, 'participants', id)
    const main = people.find(({ primary }) => primary === true) ?? people[0]
    const doneAt = after.done === true ? (before.marked_as_done_time ?? time) : null
    return { ...after, person_id: main?.person_id ?? null, marked_as_done_time: doneAt }
  },
  pipelines: (_, before, members) => merge(before, members),
  stages: (tables, before, members) => {
    const after = merge(before, members)
    requireThere(tables.pipelines, 'pipeline_id', members.pipeline_id)
    return after
  },
}

function merge(before: Row, members: Row): Row {
  const after = { ...before, ...members }
  if (members.custom_fields) after.custom_fields = { ...(before.custom_fields as Row), ...members.custom_fields }
  if (members.owner_id !== undefined && !USERS.includes(members.owner_id)) return invalid('owner_id: no such user')
  return after
}

/** A pipeline without a stage means its first stage, a stage without a pipeline that of the stage. */
function inStage(tables: Tables, before: Row, after: Row, members: Row): Row {
  const staysIn = members.pipeline_id === undefined || members.pipeline_id === before.pipeline_id
  if (before.stage_id !== null && members.stage_id === undefined && staysIn) return after
  if (members.stage_id !== undefined) {
    const stage = requireThere(tables.stages, 'stage_id', members.stage_id)
    if (members.pipeline_id !== undefined && stage?.pipeline_id !== members.pipeline_id) {
      return invalid('stage_id: not a stage of the pipeline')
    }
    return { ...after, pipeline_id: stage?.pipeline_id }
  }
  requireThere(tables.pipelines, 'pipeline_id', after.pipeline_id)
  return { ...after, stage_id: tables.stages.present.find((stage) => stage.pipeline_id === after.pipeline_id)?.id }
}

function closing(status: string, after: Row, time: string): Row {
  const won = after.won_time ?? time
  const lost = after.lost_time ?? time
  if (status === 'won') return { won_time: won, close_time: won, lost_time: null, lost_reason: null }
  if (status === 'lost') return { lost_time: lost, close_time: lost, won_time: null }
  return { won_time: null, lost_time: null, close_time: null, lost_reason: null }
}

function requireThere(table: Table, member: string, id: unknown): Row | undefined {
  if (id === null || id === undefined) return undefined
  const row = table.rows.get(String(id))
  return row && row.is_deleted !== true ? row : invalid(`${member}: ${id} does not exist`)
}

/** One of several is primary: the first marked one, else the first. */
function withPrimary(entries: readonly Row[]): Row[] {
  const primary = Math.max(
    0,
    entries.findIndex((entry) => entry.primary === true),
  )
  return entries.map((entry, index) => ({
    value: entry.value,
    primary: index === primary,
    label: entry.label ?? 'work',
  }))
}

/** Ten records share a second, as after an import. */
export function seed(tables: Tables, records: number): void {
  const start = Date.UTC(2026, 0, 1)
  for (const name of ['Sales', 'Renewals']) {
    const pipeline = create(tables, 'pipelines', { name })
    for (const stage of ['New', 'Qualified', 'Offer']) {
      create(tables, 'stages', { name: stage, pipeline_id: pipeline.id })
    }
  }
  for (let n = 1; n <= records; n += 1) {
    const time = timeText(start + Math.floor(n / 10) * 1000)
    const emails = [{ value: `person${n}@example.com`, primary: true, label: 'work' }]
    const person = create(tables, 'persons', { name: `Person ${n}`, emails }, time)
    create(tables, 'deals', { title: `Deal ${n}`, value: n * 10, person_id: person.id }, time)
  }
}
