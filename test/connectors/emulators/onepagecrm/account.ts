import { type Row, Table } from '../emulator.ts'
import { invalid, type OnePageCrmKind, type Tables, timeText, WRITABLE, type WrittenKind } from './rules.ts'

const STAGES = ['Prospect', 'Proposal', 'Negotiation']
const USERS = ['susan@crm.example', 'ada@crm.example']

/** What a member is where nothing was written, null unless it is named here. */
const DEFAULTS: Readonly<Record<WrittenKind, Row>> = {
  contacts: { starred: false, urls: [], phones: [], emails: [], address_list: [], tags: [] },
  deals: { status: 'pending', amount: 0, months: 1, cost: 0 },
  notes: {},
}

/** What a record was, what it is where nothing is written, and what is. */
interface Write {
  readonly current: Row
  readonly base: Row
  readonly written: Row
}

/** The state of one account, as the first of its users sees it. */
export class OnePageAccount {
  readonly tables: Tables = {
    contacts: new Table((row) => row.deleted_at !== undefined),
    deals: new Table(),
    notes: new Table(),
    pipelines: new Table(),
    webhooks: new Table(),
    users: new Table(),
  }
  readonly user: string
  /** The names of companies by id, and their ids by name in lower case. */
  readonly #companies = new Map<string, string>()
  readonly #companyIds = new Map<string, string>()
  readonly #companyTable = new Table()

  constructor(records: number) {
    const [own = '', other = ''] = USERS.map((email) => this.#addUser(email))
    this.user = own
    this.#addPipeline('Sales', true)
    this.#addPipeline('Renewals', false)
    this.#addWebhook('https://example.com/in')
    const start = Date.UTC(2026, 0, 1)
    for (let n = 1; n <= records; n += 1) {
      const time = timeText(start + n)
      const emails = [{ type: 'work', value: `person${n}@example.com` }]
      // Every tenth belongs to a colleague.
      const person = { first_name: 'Person', last_name: String(n), emails, owner_id: n % 10 === 0 ? other : own }
      const { id } = this.create('contacts', person, time)
      this.create('deals', { contact_id: id, name: `Deal ${n}`, amount: n * 10 }, time)
    }
  }

  create(kind: WrittenKind, written: Row, time = timeText()): Row {
    const id = this.#id(kind)
    const { company_id: _, ...others } = written
    if (kind !== 'contacts') requireThere('contact_id', this.tables.contacts, written.contact_id)
    const blank = { id, ...this.#blank(kind), created_at: time, modified_at: time }
    return this.tables[kind].write('created', id, this.#settled(kind, { current: blank, base: blank, written: others }))
  }

  /** Without `partial`, the members that were not written are as in a new record. */
  update(kind: WrittenKind, current: Row, written: Row, partial: boolean): Row {
    const base = { ...current, ...(partial ? {} : this.#blank(kind)), modified_at: timeText() }
    // A deal or a note stays with its contact.
    const kept = kind === 'contacts' ? {} : { contact_id: current.contact_id }
    const write = { current, base, written: { ...written, ...kept } }
    return this.tables[kind].write('updated', String(current.id), this.#settled(kind, write))
  }

  delete(kind: WrittenKind, row: Row): void {
    const id = String(row.id)
    if (kind === 'contacts') this.tables.contacts.write('deleted', id, { ...row, deleted_at: timeText() })
    else this.tables[kind].remove(id)
  }

  restore(row: Row): void {
    const { deleted_at: _, ...kept } = row
    this.tables.contacts.write('updated', String(row.id), kept)
  }

  /** A record with what other records say of it. */
  shown(kind: WrittenKind, { deleted_at: _, ...row }: Row): Row {
    if (kind === 'contacts') return { ...row, company_name: this.#companies.get(String(row.company_id)) ?? null }
    if (kind === 'notes')
      return { ...row, linked_deal_name: this.tables.deals.rows.get(String(row.linked_deal_id))?.name ?? '' }
    const contact = this.tables.contacts.rows.get(String(row.contact_id))
    const { first_name, last_name, company_id } = contact ?? {}
    const company = this.#companies.get(String(company_id)) ?? ''
    return { ...row, contact_info: { contact_name: [first_name, last_name].filter(Boolean).join(' '), company } }
  }

  #blank(kind: WrittenKind): Row {
    const today = timeText().slice(0, 10)
    const names = Object.keys(WRITABLE[kind]).filter((name) => name !== 'company_name')
    const none = { ...Object.fromEntries(names.map((name) => [name, null])), ...DEFAULTS[kind] }
    if (kind === 'contacts') return { ...none, owner_id: this.user, status: 'lead' }
    if (kind === 'notes') return { ...none, date: today, author: 'Susan E.' }
    const [pipeline] = this.tables.pipelines.present
    return {
      ...none,
      owner_id: this.user,
      pipeline_id: pipeline?.id,
      stage: 10,
      date: today,
      expected_close_date: today,
    }
  }

  #settled(kind: WrittenKind, write: Write): Row {
    const { base, written } = write
    const cleared = Object.entries(written).filter(([, value]) => value === null || value === '')
    const blank = this.#blank(kind)
    const row: Row = {
      ...base,
      ...written,
      ...Object.fromEntries(cleared.map(([name]) => [name, blank[name] ?? null])),
    }
    if (row.owner_id !== undefined) requireThere('owner_id', this.tables.users, row.owner_id)
    if (kind === 'contacts') return this.#settledContact(row, write)
    if (kind === 'deals') return this.#settledDeal(row)
    if (row.linked_deal_id !== null) requireThere('linked_deal_id', this.tables.deals, row.linked_deal_id)
    return row.text === null ? wrong('text') : row
  }

  #settledContact({ company_name: _, ...row }: Row, write: Write): Row {
    const company_id = this.#companyOf(write)
    if (row.last_name === null && company_id === null) {
      const said = 'Either last name or company name are required to create a Contact.'
      return invalid({ last_name: said, company_name: said })
    }
    return {
      ...row,
      company_id,
      letter: String(row.last_name ?? '1')
        .charAt(0)
        .toLowerCase(),
    }
  }

  /**
   * A name that another company has moves the contact there; a new name renames the company of the contact, for all of
   * its contacts, or makes one.
   */
  #companyOf({ current, base, written: { company_name, company_id } }: Write): unknown {
    if (company_name === undefined) {
      if (company_id === undefined) return base.company_id
      if (company_id === null || company_id === '') return null
      return this.#companies.has(String(company_id)) ? company_id : wrong('company_id')
    }
    if (company_name === null || company_name === '') return null
    const name = String(company_name)
    const found = this.#companyIds.get(name.toLowerCase())
    const id = found ?? String(current.company_id ?? this.#hex('c', this.#companyTable))
    if (found === undefined) {
      this.#companyIds.delete(this.#companies.get(id)?.toLowerCase() ?? '')
      this.#companyIds.set(name.toLowerCase(), id)
      this.#companies.set(id, name)
    }
    return id
  }

  #settledDeal(row: Row): Row {
    if (row.name === null) return wrong('name')
    const pipeline = this.tables.pipelines.rows.get(String(row.pipeline_id))
    if (!pipeline) return wrong('pipeline_id')
    if (row.status === 'pending' && !(pipeline.stages as Row[]).some(({ stage }) => stage === row.stage)) {
      return wrong('stage')
    }
    const [amount, months, cost] = [Number(row.amount), Number(row.months), Number(row.cost)]
    const totals = { margin: amount - cost, total_amount: amount * months, total_cost: cost * months }
    return { ...row, ...totals, name: String(row.name).slice(0, 60) }
  }

  #id(kind: OnePageCrmKind): string {
    return this.#hex(String(Object.keys(this.tables).indexOf(kind)), this.tables[kind])
  }

  /** As MongoDB's: 24 hexadecimal digits. */
  #hex(digit: string, table: Table): string {
    return `65f0c0ffee${digit}${table.nextId().toString(16).padStart(13, '0')}`
  }

  #addUser(email: string): string {
    const id = this.#id('users')
    const [first_name] = email.split('@')
    this.tables.users.write('created', id, { id, first_name, last_name: 'Example', email, account_rights: ['admin'] })
    return id
  }

  #addPipeline(name: string, isDefault: boolean): void {
    const id = this.#id('pipelines')
    const stages = STAGES.map((label, index) => ({ stage: (index + 1) * 10, label }))
    const won = { won_column_enabled: true, won_column_name: 'Won' }
    this.tables.pipelines.write('created', id, { id, name, type: 'sales', default: isDefault, ...won, stages })
  }

  #addWebhook(hook_url: string): void {
    const id = this.#id('webhooks')
    this.tables.webhooks.write('created', id, { id, name: 'crm', hook_url, secretkey: '0123456789abcdef' })
  }
}

function requireThere(name: string, table: Table, id: unknown): void {
  const row = table.rows.get(String(id))
  if (!row || row.deleted_at !== undefined) wrong(name)
}

function wrong(name: string): never {
  return invalid({ [name]: `${name} is invalid or missing` })
}
