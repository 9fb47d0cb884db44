import { type Row, Table } from '../emulator.ts'
import { Associations, type Ref, type WrittenLink } from './associations.ts'
import { defineObject, type ObjectType, STANDARD } from './objects.ts'
import { type Account, type Properties, propertyOf, readProperties } from './properties.ts'
import { invalid, invalidProperties, notFound, refuse, timeText } from './rules.ts'
import { requireSchema, type WrittenSchema } from './schemas.ts'

const STAGES = ['appointmentscheduled', 'qualifiedtobuy', 'contractsent', 'closedwon', 'closedlost']
const OWNERS = ['susan@crm.example', 'ada@crm.example']
/** Whose user was deactivated. */
const LEAVER = 'leaver@crm.example'
const PORTAL_ID = 1
const START = Date.UTC(2026, 0, 1)
const FIRST_CUSTOM_ID = 3_453_932

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
  readonly types: ObjectType[] = []
  readonly associations = new Associations((key) => {
    const [typeId = '', id = ''] = key.split('/')
    return this.find(this.type(typeId), id)?.archived === false
  })
  readonly tables: Record<string, Table> = {
    pipelines: new Table(),
    ticket_pipelines: new Table(),
    owners: new Table((row) => row.archived === true),
    associations: this.associations.table,
  }
  /** The records that are not archived, by kind, property and value. */
  readonly #idByKey = new Map<string, string>()

  /** Asked for each input of a batch that is written. */
  readonly refuses: (properties: Row) => boolean

  constructor(records: number, refuses: Portal['refuses'] = () => false) {
    this.refuses = refuses
    for (const type of STANDARD) this.#addType({ ...type, properties: { ...type.properties } })
    this.#addPipeline('pipelines', 'default', 'Sales Pipeline', STAGES)
    this.#addPipeline('pipelines', '75e28846', 'Renewals', ['75e28847', '75e28848'])
    this.#addPipeline('ticket_pipelines', '0', 'Support Pipeline', ['1', '2', '3', '4'])
    for (const email of [...OWNERS, LEAVER]) this.#addOwner(email)
    const [contacts, deals] = [this.type('contacts'), this.type('deals')]
    for (let n = 1; n <= records; n += 1) {
      const time = timeText(START + n)
      const person = { firstname: 'Person', lastname: String(n), email: `person${n}@example.com` }
      const deal = { dealname: `Deal ${n}`, amount: String(n * 10), dealstage: 'appointmentscheduled' }
      this.prepareCreate(contacts, person, { time })()
      this.prepareCreate(deals, deal, { time })()
    }
  }

  /** Custom objects by their type id or qualified name, in full or without the number of the account. */
  type(nameOrId: string): ObjectType {
    const asked = nameOrId.toLowerCase()
    const found = this.types.find(({ id, name, singular, schema }) =>
      (schema ? [id, schema.fullyQualifiedName, `p_${name}`] : [id, name, singular]).includes(asked),
    )
    return found ?? invalid(`Unable to infer object type from: ${nameOrId}`)
  }

  table({ name }: ObjectType): Table {
    return this.tables[name] as Table
  }

  addSchema(written: WrittenSchema): ObjectType {
    requireSchema(written, this.types)
    const { name, labels, requiredProperties = [], searchableProperties = [], primaryDisplayProperty } = written
    const own = Object.fromEntries(written.properties.map((one) => [one.name, propertyOf(one)]))
    const type = defineObject({
      name,
      singular: name,
      id: `2-${FIRST_CUSTOM_ID + this.types.length}`,
      required: requiredProperties,
      schema: {
        fullyQualifiedName: `p${PORTAL_ID}_${name}`,
        labels,
        searchableProperties,
        ...(primaryDisplayProperty !== undefined && { primaryDisplayProperty }),
        createdAt: timeText(),
      },
      properties: own,
    })
    const associated = [...(written.associatedObjects ?? []), 'TASK', 'NOTE'].map((other) => this.type(other))
    this.#addType(type)
    for (const other of new Set(associated)) this.associations.defineOwn(type, other, null)
    return type
  }

  #addType(type: ObjectType): void {
    this.types.push(type)
    this.tables[type.name] = new Table((row) => row.archived === true)
  }

  /** Also one whose user was deactivated: their records can still be written. */
  hasOwner(id: string): boolean {
    return this.tables.owners?.rows.has(id) === true
  }

  stages({ pipelines }: ObjectType, pipeline: string): readonly string[] | undefined {
    const row = this.tables[pipelines?.table ?? '']?.rows.get(pipeline)
    return (row?.stages as readonly Row[] | undefined)?.map(({ id }) => String(id))
  }

  find(type: ObjectType, value: string, idProperty?: string): Stored | undefined {
    const id = idProperty === undefined ? value : this.#idByKey.get(keyOf(type, idProperty, value))
    return id === undefined ? undefined : (this.table(type).rows.get(id) as Stored | undefined)
  }

  requireRecord({ type, id }: Ref): void {
    if (this.find(type, id)?.archived === false) return
    refuse(400, 'VALIDATION_ERROR', 'One or more associations are not valid', {
      subCategory: 'crm.associations.INVALID_OBJECT_IDS',
      context: { [type.singular.toUpperCase()]: [id] },
    })
  }

  prepareCreate(
    type: ObjectType,
    written: Row,
    { time, links = [] }: { readonly time?: string; readonly links?: readonly WrittenLink[] } = {},
  ): () => Stored {
    const properties = readProperties(type, written, this, {})
    const lacks = (name: string) => !properties[name]
    const missing = type.required.filter(lacks)
    const anyOf = type.anyOf?.every(lacks) ? type.anyOf : []
    if (missing.length + anyOf.length > 0) {
      const thing = type.schema ? type.id : type.singular.toUpperCase()
      return invalid(`Error creating ${thing}. Some required properties were not set.`, {
        context: { properties: [...missing, ...anyOf] },
      })
    }
    this.#requireUnique(type, properties, undefined)
    const linked = links.map(({ to, types }) => this.#findLink(type, String(to.id), types))
    return () => {
      const row = this.#create(type, properties, time ?? timeText())
      for (const { ref, definitions } of linked) this.associations.link({ type, id: row.id }, ref, definitions)
      return row
    }
  }

  /** A create names only the id of the other record; its object follows from the type. */
  #findLink(type: ObjectType, id: string, types: WrittenLink['types']) {
    const definitions = types.map((one) => this.associations.findFrom(type, one))
    const ref = { type: this.type(definitions[0]?.to ?? ''), id }
    this.requireRecord(ref)
    return { ref, definitions }
  }

  prepareUpdate(type: ObjectType, { id, properties }: Stored, written: Row): () => Stored {
    const read = readProperties(type, written, this, properties)
    this.#requireUnique(type, read, id)
    return () => {
      const before = this.table(type).rows.get(id) as Stored
      const updatedAt = timeText()
      const after = { ...before.properties, ...read, [type.modified]: updatedAt }
      return this.#write('updated', type, { ...before, properties: withoutEmpty(after), updatedAt })
    }
  }

  archive(type: ObjectType, id: string): void {
    const row = this.find(type, id)
    if (!row || row.archived) return
    this.#forget(type, row)
    this.table(type).write('deleted', id, { ...row, archived: true, archivedAt: timeText() })
  }

  #create(type: ObjectType, properties: Properties, createdAt: string): Stored {
    const id = String(this.table(type).nextId())
    const { pipelines } = type
    const given = pipelines ? { [pipelines.property]: pipelines.first, ...properties } : properties
    return this.#write('created', type, {
      id,
      properties: { ...withoutEmpty(given), [type.created]: createdAt, [type.modified]: createdAt, hs_object_id: id },
      createdAt,
      updatedAt: createdAt,
      archived: false,
    })
  }

  #write(effect: 'created' | 'updated', type: ObjectType, row: Stored): Stored {
    const before = this.find(type, row.id)
    if (before) this.#forget(type, before)
    for (const { key } of uniqueValues(type, row.properties)) this.#idByKey.set(key, row.id)
    return this.table(type).write(effect, row.id, row) as Stored
  }

  #forget(type: ObjectType, { properties }: Stored): void {
    for (const { key } of uniqueValues(type, properties)) this.#idByKey.delete(key)
  }

  #requireUnique(type: ObjectType, properties: Properties, id: string | undefined): void {
    for (const { name, value, key } of uniqueValues(type, properties)) {
      const existing = this.#idByKey.get(key)
      if (existing !== undefined && existing !== id) refuseDouble(type, name, value, existing)
    }
  }

  #addPipeline(table: string, id: string, label: string, stages: readonly string[]): void {
    const time = timeText(START)
    const common = { createdAt: time, updatedAt: time, archived: false }
    const pipelines = this.tables[table] as Table
    pipelines.write('created', id, {
      ...common,
      id,
      label,
      displayOrder: pipelines.rows.size,
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

  #addOwner(email: string): void {
    const time = timeText(START)
    const owners = this.tables.owners as Table
    const id = String(owners.nextId() + 700)
    const [firstName] = email.split('@')
    const archived = email === LEAVER
    const user = { userId: archived ? null : Number(id) + 1, userIdIncludingInactive: Number(id) + 1 }
    const names = { firstName, lastName: 'Example', type: 'PERSON', ...user }
    owners.write('created', id, { id, email, ...names, createdAt: time, updatedAt: time, archived })
  }
}

/** Of the email of a contact with 409, of an account's own properties with 400. */
export function refuseDouble(type: ObjectType, name: string, value: string, existing?: string): never {
  if (type.properties[name]?.type === 'email') {
    const message =
      existing === undefined ? 'Contact already exists' : `Contact already exists. Existing ID: ${existing}`
    return refuse(409, 'CONFLICT', message, existing === undefined ? {} : { context: { existingId: [existing] } })
  }
  const coordinates = `portalId=${PORTAL_ID}, objectTypeId=${type.id}, propertyName=${name}, value=${value}`
  const message = `Cannot set PropertyValueCoordinates{${coordinates}}. ${existing ?? 'Another input'} already has that value.`
  return invalidProperties([{ name, error: 'CONFLICTING_UNIQUE_VALUE', message }])
}

export function foldedValue(type: ObjectType, property: string, value: string): string {
  return type.properties[property]?.type === 'email' ? value.toLowerCase() : value
}

function keyOf(type: ObjectType, property: string, value: string): string {
  return `${type.id} ${property} ${foldedValue(type, property, value)}`
}

function uniqueValues(type: ObjectType, properties: Properties) {
  return Object.entries(properties).flatMap(([name, value]) =>
    type.properties[name]?.isUnique && value !== '' ? [{ name, value, key: keyOf(type, name, value) }] : [],
  )
}

/** An empty value is the same as none. */
function withoutEmpty(properties: Properties): Properties {
  return Object.fromEntries(Object.entries(properties).filter(([, value]) => value !== ''))
}

/** The default properties without names; otherwise those and what is always shown, null where there is no value. */
export function shown(type: ObjectType, row: Stored, names: readonly string[]): Row {
  const { defaults, created, modified, properties, id } = type
  const always = [created, modified, 'hs_object_id']
  const asked = [...new Set([...(names.length > 0 ? names : defaults), ...always])].sort()
  const known = asked.filter((name) => properties[name] !== undefined)
  return {
    ...row,
    properties: Object.fromEntries(known.map((name) => [name, row.properties[name] ?? null])),
    url: `https://app.hubspot.com/contacts/${PORTAL_ID}/record/${id}/${row.id}`,
  }
}

export function ownerOf({ tables }: Portal, id: string, isArchived: boolean): Row {
  const row = tables.owners?.rows.get(id)
  return row?.archived === isArchived ? row : notFound()
}
