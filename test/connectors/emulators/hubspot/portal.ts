import { type Row, Table } from '../emulator.ts'
import { type Account, OBJECTS, type ObjectKind, type Properties, readProperties } from './properties.ts'
import { type HubSpotKind, invalid, refuse, timeText } from './rules.ts'

const STAGES = ['appointmentscheduled', 'qualifiedtobuy', 'contractsent', 'closedwon', 'closedlost']
const OWNERS = ['susan@crm.example', 'ada@crm.example']
const NAMING = ['email', 'firstname', 'lastname']

/** A record as it is stored: with all its properties, all of them text. */
export interface Stored extends Row {
  readonly id: string
  readonly properties: Properties
  readonly createdAt: string
  readonly updatedAt: string
  readonly archived: boolean
  readonly archivedAt?: string
}

/** The state of one account. What is prepared is checked, and written by calling it. */
export class Portal implements Account {
  readonly tables: Readonly<Record<HubSpotKind, Table>> = {
    contacts: new Table((row) => row.archived === true),
    deals: new Table((row) => row.archived === true),
    pipelines: new Table(),
    owners: new Table(),
  }
  /** The records that are not archived, by kind, property and value. */
  readonly #idByKey = new Map<string, string>()

  constructor(records: number) {
    const start = Date.UTC(2026, 0, 1)
    this.#addPipeline('default', 'Sales Pipeline', STAGES, timeText(start))
    this.#addPipeline('75e28846', 'Renewals', ['75e28847', '75e28848'], timeText(start))
    for (const email of OWNERS) this.#addOwner(email, timeText(start))
    for (let n = 1; n <= records; n += 1) {
      const time = timeText(start + n)
      const person = { firstname: 'Person', lastname: String(n), email: `person${n}@example.com` }
      const deal = { dealname: `Deal ${n}`, amount: String(n * 10), dealstage: 'appointmentscheduled' }
      this.prepareCreate('contacts', person, time)()
      this.prepareCreate('deals', deal, time)()
    }
  }

  hasOwner(id: string): boolean {
    return this.tables.owners.rows.has(id)
  }

  stages(pipeline: string): readonly string[] | undefined {
    const stages = this.tables.pipelines.rows.get(pipeline)?.stages as readonly Row[] | undefined
    return stages?.map(({ id }) => String(id))
  }

  find(kind: ObjectKind, value: string, idProperty?: string): Stored | undefined {
    const id = idProperty === undefined ? value : this.#idByKey.get(keyOf(kind, idProperty, value))
    return id === undefined ? undefined : (this.tables[kind].rows.get(id) as Stored | undefined)
  }

  prepareCreate(kind: ObjectKind, written: Row, time?: string): () => Stored {
    const properties = readProperties(kind, written, this, {})
    const missing = kind === 'deals' ? ['dealname'] : NAMING
    if (missing.every((name) => !properties[name])) {
      const thing = OBJECTS[kind].singular.toUpperCase()
      return invalid(`Error creating ${thing}. Some required properties were not set.`, {
        context: { properties: missing },
      })
    }
    this.#requireUnique(kind, properties, undefined)
    return () => this.#create(kind, properties, time ?? timeText())
  }

  prepareUpdate(kind: ObjectKind, { id, properties }: Stored, written: Row): () => Stored {
    const read = readProperties(kind, written, this, properties)
    this.#requireUnique(kind, read, id)
    return () => {
      const before = this.tables[kind].rows.get(id) as Stored
      const updatedAt = timeText()
      const after = { ...before.properties, ...read, [OBJECTS[kind].modified]: updatedAt }
      return this.#write('updated', kind, { ...before, properties: withoutEmpty(after), updatedAt })
    }
  }

  archive(kind: ObjectKind, id: string): void {
    const row = this.find(kind, id)
    if (!row || row.archived) return
    this.#forget(kind, row)
    this.tables[kind].write('deleted', id, { ...row, archived: true, archivedAt: timeText() })
  }

  #create(kind: ObjectKind, properties: Properties, createdate: string): Stored {
    const id = String(this.tables[kind].nextId())
    const made = { createdate, [OBJECTS[kind].modified]: createdate, hs_object_id: id }
    const given = kind === 'deals' ? { pipeline: 'default', ...properties } : properties
    return this.#write('created', kind, {
      id,
      properties: { ...withoutEmpty(given), ...made },
      createdAt: createdate,
      updatedAt: createdate,
      archived: false,
    })
  }

  #write(type: 'created' | 'updated', kind: ObjectKind, row: Stored): Stored {
    const before = this.find(kind, row.id)
    if (before) this.#forget(kind, before)
    for (const key of uniqueKeys(kind, row.properties)) this.#idByKey.set(key, row.id)
    return this.tables[kind].write(type, row.id, row) as Stored
  }

  #forget(kind: ObjectKind, { properties }: Stored): void {
    for (const key of uniqueKeys(kind, properties)) this.#idByKey.delete(key)
  }

  #requireUnique(kind: ObjectKind, properties: Properties, id: string | undefined): void {
    for (const key of uniqueKeys(kind, properties)) {
      const existing = this.#idByKey.get(key)
      if (existing === undefined || existing === id) continue
      const thing = kind === 'contacts' ? 'Contact' : 'Deal'
      refuse(409, 'CONFLICT', `${thing} already exists. Existing ID: ${existing}`, {
        context: { existingId: [existing] },
      })
    }
  }

  #addPipeline(id: string, label: string, stages: readonly string[], time: string): void {
    const common = { createdAt: time, updatedAt: time, archived: false }
    this.tables.pipelines.write('created', id, {
      ...common,
      id,
      label,
      displayOrder: this.tables.pipelines.rows.size,
      stages: stages.map((stage, displayOrder) => ({
        ...common,
        id: stage,
        label: stage === 'closedwon' ? 'Closed won' : `Stage ${displayOrder + 1}`,
        displayOrder,
        metadata: { isClosed: String(stage.startsWith('closed')), probability: String(displayOrder / 10) },
        writePermissions: 'CRM_PERMISSIONS_ENFORCEMENT',
      })),
    })
  }

  #addOwner(email: string, time: string): void {
    const id = String(this.tables.owners.nextId() + 700)
    const [firstName] = email.split('@')
    const names = { firstName, lastName: 'Example', type: 'PERSON', userId: Number(id) + 1 }
    this.tables.owners.write('created', id, { id, email, ...names, createdAt: time, updatedAt: time, archived: false })
  }
}

function keyOf(kind: ObjectKind, property: string, value: string): string {
  const isEmail = OBJECTS[kind].properties[property]?.type === 'email'
  return `${kind} ${property} ${isEmail ? value.toLowerCase() : value}`
}

function uniqueKeys(kind: ObjectKind, properties: Properties): string[] {
  return Object.entries(properties).flatMap(([name, value]) =>
    OBJECTS[kind].properties[name]?.isUnique && value !== '' ? [keyOf(kind, name, value)] : [],
  )
}

/** An empty value is the same as none. */
function withoutEmpty(properties: Properties): Properties {
  return Object.fromEntries(Object.entries(properties).filter(([, value]) => value !== ''))
}

/** The default properties without names; otherwise those and what is always shown, null where there is no value. */
export function shown(kind: ObjectKind, row: Stored, names: readonly string[]): Row {
  const { defaults, always, properties, id } = OBJECTS[kind]
  const asked = names.length > 0 ? [...new Set([...names, ...always])].sort() : defaults
  const known = asked.filter((name) => properties[name] !== undefined)
  return {
    ...row,
    properties: Object.fromEntries(known.map((name) => [name, row.properties[name] ?? null])),
    url: `https://app.hubspot.com/contacts/1/record/${id}/${row.id}`,
  }
}
