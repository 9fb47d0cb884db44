import { randomUUID } from 'node:crypto'
import { type Row, Table } from '../emulator.ts'
import { type CloseKind, invalid, type Tables, timeText, type WrittenKind } from './rules.ts'

const ORGANIZATION = 'orga_0123456789abcdef0123456789abcdef'
const PREFIXES: Readonly<Record<CloseKind, string>> = {
  contacts: 'cont',
  leads: 'lead',
  opportunities: 'oppo',
  notes: 'acti',
  webhooks: 'whsub',
  pipelines: 'pipe',
  users: 'user',
}
const STATUSES = [
  { label: 'Active', type: 'active' },
  { label: 'Demo', type: 'active' },
  { label: 'Won', type: 'won' },
  { label: 'Lost', type: 'lost' },
]
const LEAD_STATUS = { status_id: 'stat_0000000000000000000000000000lead', status_label: 'Potential' }

/** The state of one organization, and how members become part of a record. */
export class Organization {
  readonly tables: Tables = {
    contacts: new Table(),
    leads: new Table(),
    opportunities: new Table(),
    notes: new Table(),
    webhooks: new Table(),
    pipelines: new Table(),
    users: new Table(),
  }
  readonly user: string

  constructor(records: number) {
    this.user = this.#newId('users')
    const user = { id: this.user, email: 'susan@crm.example', first_name: 'Susan', last_name: 'Example' }
    this.tables.users.write('created', this.user, { ...user, organizations: [ORGANIZATION] })
    for (const name of ['Sales', 'Renewals']) this.#addPipeline(name)
    const start = Date.UTC(2026, 0, 1)
    for (let n = 1; n <= records; n += 1) {
      const time = timeText(start + n)
      const { lead_id } = this.create(
        'contacts',
        { name: `Person ${n}`, emails: [{ email: `person${n}@example.com` }] },
        time,
      )
      this.create('opportunities', { lead_id, note: `Deal ${n}`, value: n * 1000 }, time)
    }
  }

  create(kind: WrittenKind, written: Row, time = timeText()): Row {
    const { contacts = [], lead_id, date_created, created_by, ...others } = written
    if (typeof lead_id === 'string') this.#requireThere('lead_id', 'leads', lead_id)
    const nested = (contacts as Row[]).map((contact) => ({ ...contact, ...ways(contact) }))
    const made = {
      id: this.#newId(kind),
      organization_id: ORGANIZATION,
      created_by: created_by ?? this.user,
      updated_by: this.user,
      date_created: date_created ?? time,
      date_updated: time,
    }
    const row = this.#settled(kind, { ...made, ...NEW[kind] }, others)
    const ofLead =
      kind === 'leads' || kind === 'webhooks' ? {} : { lead_id: lead_id ?? this.#newLead(kind, others, time) }
    const created = this.tables[kind].write('created', String(row.id), { ...row, ...ofLead })
    for (const contact of nested) this.create('contacts', { ...contact, lead_id: row.id }, time)
    return created
  }

  /** That of a contact has its name. */
  #newLead(kind: WrittenKind, { name }: Row, time: string): unknown {
    return this.create('leads', { name: kind === 'contacts' ? name : null }, time).id
  }

  update(kind: WrittenKind, before: Row, written: Row): Row {
    const row = this.#settled(kind, { ...before, date_updated: timeText() }, written)
    return this.tables[kind].write('updated', String(before.id), row)
  }

  /** What belongs to a lead is gone with it. */
  delete(kind: WrittenKind, { id }: Row): void {
    this.tables[kind].remove(String(id))
    if (kind !== 'leads') return
    for (const other of ['contacts', 'opportunities', 'notes'] as const) {
      for (const row of this.tables[other].present) if (row.lead_id === id) this.delete(other, row)
    }
  }

  shown(kind: WrittenKind, row: Row): Row {
    if (kind === 'contacts') return { ...row, display_name: row.name ?? '' }
    if (kind === 'notes' || kind === 'webhooks') return row
    if (kind === 'opportunities') return this.#shownOpportunity(row)
    const ofLead = (other: 'contacts' | 'opportunities') =>
      this.tables[other].present.filter(({ lead_id }) => lead_id === row.id).map((one) => this.shown(other, one))
    const contacts = ofLead('contacts')
    const opportunities = ofLead('opportunities')
    const contact_ids = contacts.map(({ id }) => id)
    return { ...row, display_name: row.name ?? '', contacts, contact_ids, opportunities, tasks: [], addresses: [] }
  }

  #shownOpportunity(row: Row): Row {
    const { pipeline, status } = this.#status(row.status_id) ?? {}
    const value = row.value === null ? null : Number(row.value)
    const annualized_value = value === null ? null : value * (row.value_period === 'monthly' ? 12 : 1)
    const expected = (of: number | null) => (of === null ? null : Math.round((of * Number(row.confidence)) / 100))
    return {
      ...row,
      lead_name: this.tables.leads.rows.get(String(row.lead_id))?.name ?? null,
      pipeline_id: pipeline?.id,
      pipeline_name: pipeline?.name,
      status_label: status?.label,
      status_type: status?.type,
      user_name: 'Susan Example',
      value_currency: 'USD',
      annualized_value,
      expected_value: expected(value),
      annualized_expected_value: expected(annualized_value),
    }
  }

  #settled(kind: WrittenKind, before: Row, written: Row): Row {
    const row: Row = { ...before, ...written }
    if (written.lead_id !== undefined) this.#requireThere('lead_id', 'leads', row.lead_id)
    if (typeof written.contact_id === 'string') this.#requireThere('contact_id', 'contacts', written.contact_id)
    if (kind === 'contacts') return { ...row, ...ways(row) }
    if (kind === 'opportunities') return this.#settledOpportunity(row, written)
    if (kind === 'webhooks') return { ...row, events: eventsOf(row) }
    return kind === 'notes' ? { ...row, ...noteOf(row, written) } : row
  }

  #settledOpportunity({ pipeline_id, ...row }: Row, written: Row): Row {
    const pipelines = this.tables.pipelines.present
    const pipeline = pipelines.find(({ id }) => id === (pipeline_id ?? pipelines[0]?.id))
    if (!pipeline) return invalid({ pipeline_id: 'Object does not exist.' })
    const status_id = row.status_id ?? (pipeline.statuses as Row[])[0]?.id
    const found = this.#status(status_id)
    if (!found) return invalid({ status_id: 'Object does not exist.' })
    if (typeof pipeline_id === 'string' && found.pipeline !== pipeline) {
      return invalid({ status_id: 'The status does not belong to the pipeline.' })
    }
    const date_won = row.date_won ?? (found.status.type === 'won' ? timeText().slice(0, 10) : null)
    const unset = { confidence: row.confidence ?? 50, value_period: row.value_period ?? 'one_time' }
    return { ...row, ...unset, ...noteOf(row, written), status_id, date_won, user_id: row.user_id ?? this.user }
  }

  #status(id: unknown): { readonly pipeline: Row; readonly status: Row } | undefined {
    for (const pipeline of this.tables.pipelines.rows.values()) {
      const status = (pipeline.statuses as Row[]).find((one) => one.id === id)
      if (status) return { pipeline, status }
    }
    return undefined
  }

  #requireThere(name: string, kind: 'leads' | 'contacts', id: unknown): unknown {
    return this.tables[kind].rows.has(String(id)) ? id : invalid({ [name]: 'Object does not exist.' })
  }

  #newId(kind: CloseKind): string {
    return `${PREFIXES[kind]}_${randomUUID().replaceAll('-', '')}`
  }

  #addPipeline(name: string): void {
    const id = this.#newId('pipelines')
    const statuses = STATUSES.map((status) => ({ id: `stat_${randomUUID().replaceAll('-', '')}`, ...status }))
    const by = { organization_id: ORGANIZATION, created_by: this.user, updated_by: this.user }
    this.tables.pipelines.write('created', id, { id, name, ...by, statuses })
  }
}

const NEW: Readonly<Record<WrittenKind, Row>> = {
  contacts: { name: null, title: null, emails: [], phones: [], urls: [], timezone: null },
  leads: { name: null, description: '', url: null, ...LEAD_STATUS },
  opportunities: { contact_id: null, note: '', note_html: '', value: null, date_won: null, date_lost: null },
  notes: {
    _type: 'Note',
    note: '',
    note_html: '',
    title: null,
    contact_id: null,
    attachments: [],
    note_mentions: [],
    pinned: false,
    pinned_at: null,
    source: 'api',
    users: [],
  },
  webhooks: { status: 'active', verify_ssl: true },
}

/** Emails, phones and urls as they are stored: a phone in E.164, a number without a country as one of the USA. */
function ways({ emails, phones, urls }: Row): Row {
  const all = (list: unknown) => (list ?? []) as Row[]
  return {
    emails: all(emails).map(({ email, type = 'office', is_unsubscribed = false }) => ({
      email,
      type,
      is_unsubscribed,
    })),
    phones: all(phones).map(({ phone, type = 'office' }) => {
      const digits = String(phone).replace(/[^\d+]/g, '')
      const number = /^\d{10}$/.test(digits) ? `+1${digits}` : digits
      if (!/^\+\d{7,15}$/.test(number)) return invalid({ phones: 'Invalid phone number.' })
      return { phone: number, phone_formatted: number, type, country: number.startsWith('+1') ? 'US' : null }
    }),
    urls: all(urls).map(({ url, type = 'url' }) => ({ url, type })),
  }
}

function eventsOf({ events }: Row): Row[] {
  return (events as Row[]).map((event) => ({ extra_filter: null, ...event }))
}

/** Either of the two sets the other, and HTML comes first. */
function noteOf({ note, note_html }: Row, written: Row): Row {
  if (written.note_html !== undefined) {
    const html = String(written.note_html ?? '')
    return { note_html: html, note: html.replace(/<[^>]*>/g, '') }
  }
  if (written.note === undefined) return { note, note_html }
  const text = String(written.note ?? '')
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  return { note: text, note_html: escaped.replaceAll('\n', '<br />') }
}
