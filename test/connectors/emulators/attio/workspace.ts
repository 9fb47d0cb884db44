import { randomUUID } from 'node:crypto'
import { type Row, Table } from '../emulator.ts'
import { type Attribute, findAttribute, type ObjectType, type Referable, standardObjects, TYPES } from './attributes.ts'
import { recordId, valuesOf } from './queries.ts'
import { notFound, refuse, timeText } from './rules.ts'

export const WORKSPACE_ID = randomUUID()
const MEMBERS = ['susan@crm.example', 'ada@crm.example'] as const
const STAGES = ['Lead', 'In Progress', 'Won 🎉', 'Lost']

/** Lists of values are added to, replaced, or added to in the matching attribute alone. */
export type Merge = { readonly type: 'prepend' | 'replace' } | { readonly type: 'assert'; readonly matching: Attribute }

interface Write {
  readonly object: ObjectType
  readonly record: Row
  readonly time: string
  readonly merge: Merge
}

/** The state of one workspace, and how values become part of a record. */
export class Workspace implements Referable {
  readonly tables: Record<string, Table> = {
    statuses: new Table(),
    members: new Table(),
    notes: new Table(),
    tasks: new Table(),
    webhooks: new Table(),
  }
  readonly objects: ObjectType[] = []
  readonly actor = { type: 'api-token', id: randomUUID() }
  /** By the id of a unique attribute and its value. */
  readonly #recordOf = new Map<string, string>()

  constructor(records: number) {
    for (const object of standardObjects()) this.addObject(object)
    for (const title of STAGES) this.#addStatus(title)
    for (const email of MEMBERS) this.#addMember(email)
    const [people, deals] = [this.objectNamed('people'), this.objectNamed('deals')]
    const start = Date.UTC(2026, 0, 1)
    for (let n = 1; n <= records; n += 1) {
      const time = timeText(start + n)
      const person = { name: `Person ${n}`, email_addresses: [`person${n}@example.com`] }
      const made = this.create(people, person, time)
      const linked = [{ target_object: 'people', target_record_id: recordId(made) }]
      const deal = { name: `Deal ${n}`, stage: STAGES[0], owner: MEMBERS[0], value: n * 10, associated_people: linked }
      this.create(deals, deal, time)
    }
  }

  addObject(object: ObjectType): void {
    this.objects.push(object)
    this.tables[object.slug] = new Table()
  }

  object(slugOrId: string): ObjectType | undefined {
    return this.objects.find(({ slug, id }) => slug === slugOrId || id === slugOrId)
  }

  objectNamed(slugOrId: string): ObjectType {
    return this.object(slugOrId) ?? notFound('Object with slug/ID', slugOrId)
  }

  table(name: string): Table {
    const table = this.tables[name]
    if (!table) throw new Error(`the emulator has no ${name}`)
    return table
  }

  status(titleOrId: string): Row | undefined {
    const rows = [...this.table('statuses').rows.values()]
    return rows.find(({ id, title }) => title === titleOrId || (id as Row).status_id === titleOrId)
  }

  member({ email, id }: { readonly email?: unknown; readonly id?: unknown }): string | undefined {
    const rows = [...this.table('members').rows]
    return rows.find(([key, row]) => key === id || (email !== undefined && row.email_address === email))?.[0]
  }

  record({ target_object, target_record_id, ...matching }: Row): string | undefined {
    const object = this.object(String(target_object))
    if (!object) return undefined
    const [[slug, values] = ['', undefined]] = Object.entries(matching)
    const attribute = findAttribute(object, slug)
    const [id] = attribute?.isUnique ? this.matches(attribute, values) : [String(target_record_id)]
    return id !== undefined && this.table(object.slug).rows.has(id) ? id : undefined
  }

  /** The records with any of the written values of a unique attribute. */
  matches(attribute: Attribute, input: unknown): string[] {
    const keys = this.#read(attribute, input).map((value) => keyOf(attribute, value))
    return [...new Set(keys.flatMap((key) => this.#recordOf.get(key) ?? []))]
  }

  create(object: ObjectType, values: Row, time = timeText()): Row {
    const record_id = randomUUID()
    const { id: object_id, attributes, slug: path } = object
    const record = {
      id: { workspace_id: WORKSPACE_ID, object_id, record_id },
      created_at: time,
      web_url: `https://app.attio.com/crm/${path}/${record_id}`,
      values: Object.fromEntries(attributes.map(({ slug }) => [slug, []])),
    }
    const given = [
      ['record_id', { value: record_id }],
      ['created_at', { value: time }],
      ['created_by', { referenced_actor_type: this.actor.type, referenced_actor_id: this.actor.id }],
    ] as const
    for (const [slug, members] of given) {
      const attribute = findAttribute(object, slug)
      if (attribute) Object.assign(record.values, { [slug]: [this.#value(attribute, members, time)] })
    }
    const merged = this.#merged({ object, record, time, merge: { type: 'replace' } }, values)
    if (object.slug === 'people' && values.company === undefined) merged.company = this.#companyOf(merged, time)
    return this.#write('created', object, record, merged)
  }

  update(object: ObjectType, record: Row, values: Row, merge: Merge): Row {
    return this.#write('updated', object, record, this.#merged({ object, record, time: timeText(), merge }, values))
  }

  delete(object: ObjectType, record: Row): void {
    for (const key of uniqueKeys(object, record)) this.#recordOf.delete(key)
    this.table(object.slug).remove(recordId(record))
    this.#dropReferences(object, recordId(record))
  }

  /** Nothing refers to a record that is gone. */
  #dropReferences(target: ObjectType, id: string): void {
    for (const { slug, attributes } of this.objects) {
      const references = attributes.filter(
        ({ type, allowed }) => type === 'record-reference' && allowed?.includes(target.id) !== false,
      )
      for (const row of references.length > 0 ? this.table(slug).rows.values() : []) {
        const values = row.values as Record<string, readonly Row[]>
        for (const { slug } of references)
          values[slug] = (values[slug] ?? []).filter(({ target_record_id }) => target_record_id !== id)
      }
    }
  }

  #write(type: 'created' | 'updated', object: ObjectType, before: Row, values: Row): Row {
    const after = { ...before, values }
    for (const key of uniqueKeys(object, before)) this.#recordOf.delete(key)
    for (const key of uniqueKeys(object, after)) this.#recordOf.set(key, recordId(after))
    return this.table(object.slug).write(type, recordId(after), after)
  }

  /** The values of a record after these are written. */
  #merged({ object, record, time, merge }: Write, written: Row): Row {
    const values: Record<string, readonly Row[]> = { ...(record.values as Record<string, readonly Row[]>) }
    for (const [key, input] of Object.entries(written)) {
      const attribute = writable(object, key)
      const before = values[attribute.slug] ?? []
      const read = this.#read(attribute, input).map((members) => {
        const same = before.find((value) => isSame(attribute, value, members))
        return same ?? this.#value(attribute, members, time)
      })
      const adds = merge.type === 'prepend' || (merge.type === 'assert' && merge.matching === attribute)
      const kept = adds && attribute.isMultiselect ? before.filter((value) => !read.includes(value)) : []
      values[attribute.slug] = [...read, ...kept]
    }
    this.#requireUnique(object, record, values)
    for (const { id, slug, isRequired } of object.attributes) {
      if (!isRequired || values[slug]?.length) continue
      return refuse(400, 'missing_value', `Required value for attribute with ID "${id}" was not provided.`)
    }
    return values
  }

  #read(attribute: Attribute, input: unknown): Row[] {
    const { slug, isMultiselect, type } = attribute
    const invalid = () =>
      refuse(400, 'validation_type', `An invalid value was passed to attribute with slug "${slug}".`)
    if (isMultiselect && !Array.isArray(input)) return invalid()
    const inputs = Array.isArray(input) ? input : [input]
    if (!isMultiselect && inputs.length > 1) return invalid()
    return inputs.map((one) => TYPES[type].read(one, this, attribute) ?? invalid())
  }

  #requireUnique(object: ObjectType, record: Row, values: Row): void {
    for (const attribute of object.attributes.filter(({ isUnique }) => isUnique)) {
      for (const key of keysOf(attribute, { values })) {
        const holder = this.#recordOf.get(key)
        if (holder === undefined || holder === recordId(record)) continue
        const said = `The value "${key.slice(attribute.id.length + 1)}" provided for attribute with ID "${attribute.id}"`
        refuse(400, 'uniqueness_conflict', `${said} conflicts with one already in the system.`)
      }
    }
  }

  /** A new person belongs to the company of the domain of the first email address, which is made. */
  #companyOf(values: Row, time: string): Row[] {
    const domain = (values.email_addresses as Row[])[0]?.email_domain
    const [companies, people] = [this.objectNamed('companies'), this.objectNamed('people')]
    const [domains, attribute] = [findAttribute(companies, 'domains'), findAttribute(people, 'company')]
    if (typeof domain !== 'string' || !domains || !attribute) return []
    const [found] = this.matches(domains, [domain])
    const target_record_id = found ?? recordId(this.create(companies, { domains: [domain] }, time))
    return [this.#value(attribute, { target_object: 'companies', target_record_id }, time)]
  }

  #value({ type }: Attribute, members: Row, active_from: string): Row {
    return { active_from, active_until: null, created_by_actor: this.actor, ...members, attribute_type: type }
  }

  #addStatus(title: string): void {
    const status_id = randomUUID()
    const deals = this.objectNamed('deals')
    const attribute_id = findAttribute(deals, 'stage')?.id
    const id = { workspace_id: WORKSPACE_ID, object_id: deals.id, attribute_id, status_id }
    const flags = { is_archived: false, celebration_enabled: title.startsWith('Won'), target_time_in_status: null }
    this.table('statuses').write('created', status_id, { id, title, ...flags })
  }

  #addMember(email_address: string): void {
    const workspace_member_id = randomUUID()
    const [first_name] = email_address.split('@')
    const id = { workspace_id: WORKSPACE_ID, workspace_member_id }
    const others = { last_name: 'Example', avatar_url: null, created_at: timeText(0), access_level: 'admin' }
    this.table('members').write('created', workspace_member_id, { id, first_name, email_address, ...others })
  }
}

function writable(object: ObjectType, slugOrId: string): Attribute {
  const attribute = findAttribute(object, slugOrId)
  if (!attribute) return refuse(400, 'value_not_found', `Cannot find attribute with slug/ID "${slugOrId}".`)
  if (attribute.isWritable) return attribute
  return refuse(400, 'validation_type', `The attribute with slug "${attribute.slug}" is read-only.`)
}

function isSame({ type }: Attribute, value: Row, members: Row): boolean {
  const { property } = TYPES[type]
  return value[property] === members[property] && (type !== 'personal-name' || value.first_name === members.first_name)
}

function uniqueKeys(object: ObjectType, record: Row): string[] {
  return object.attributes.filter(({ isUnique }) => isUnique).flatMap((attribute) => keysOf(attribute, record))
}

function keysOf(attribute: Attribute, record: Row): string[] {
  return valuesOf(record, attribute).map((value) => keyOf(attribute, value))
}

function keyOf({ id, type }: Attribute, value: Row): string {
  return `${id} ${value[TYPES[type].property]}`
}
