import type { JsonObject, JsonValue } from '../../core/json.ts'
import { fieldOf, type Resource } from '../../core/resources/registry.ts'
import { escaped, joined } from './record-places.ts'
import type { Schemas, SchemaView } from './schemas.ts'
import { memberNamed } from './server-names.ts'

/** The value of a field within a member: in a list, in an object, or the member itself. */
export interface ValuePlace {
  readonly path: string
  readonly view: SchemaView
  /** Members of an element that is made for it. */
  readonly new?: JsonObject
}

const VALUE_NAMES: Readonly<Record<string, readonly string[]>> = {
  email: ['value', 'email', 'emailaddress', 'address'],
  phone: ['value', 'phone', 'phonenumber', 'number'],
  amount: ['amount', 'value', 'currencyvalue', 'number'],
  name: ['fullname', 'full', 'name', 'value', 'displayname'],
  company: ['name', 'value', 'companyname', 'displayname'],
}
const REFERENCE_NAMES = ['id', 'value', 'uuid', '_id', 'key']

/** Flags of the element that counts. */
const MAIN_NAMES = ['primary', 'isprimary', 'main', 'ismain', 'default', 'isdefault']

/** Undefined if the member does not look like one that holds the field. */
export function valuePlace(field: string, name: string, view: SchemaView, schemas: Schemas): ValuePlace | undefined {
  const path = escaped(name)
  if (view.type === 'array') return elementPlace(field, path, view, schemas)
  if (view.type !== 'object' || view.members.size === 0) return { path, view }
  const value = memberNamed(view.members, VALUE_NAMES[field] ?? REFERENCE_NAMES)
  const inner = value === undefined ? undefined : schemas.member(view, value)
  return value === undefined || !inner ? undefined : { path: joined(path, value), view: inner }
}

function elementPlace(field: string, path: string, view: SchemaView, schemas: Schemas): ValuePlace | undefined {
  const items = schemas.view(view.items)
  if (field === 'events') return items.type === 'object' ? undefined : { path, view }
  if (items.type !== 'object' || items.members.size === 0) return { path: `${path}[0]`, view: items }
  const value = memberNamed(items.members, VALUE_NAMES[field] ?? REFERENCE_NAMES)
  const valueView = value === undefined ? undefined : schemas.member(items, value)
  if (value === undefined || !valueView) return undefined
  const main = memberNamed(items.members, MAIN_NAMES)
  if (main !== undefined && schemas.member(items, main)?.type === 'boolean') {
    return { path: joined(`${path}[${escaped(main)}=true]`, value), view: valueView }
  }
  const made = newMembers(items, value, schemas)
  return { path: joined(`${path}[0]`, value), view: valueView, ...(made && { new: made }) }
}

/** An element of a list of addresses has a kind, such as work. */
function newMembers(items: SchemaView, value: string, schemas: Schemas): JsonObject | undefined {
  for (const [name] of items.members) {
    const values: readonly JsonValue[] = name === value ? [] : (schemas.member(items, name)?.values ?? [])
    const work = values.find((each) => each === 'work' || each === 'WORK')
    const kind = work ?? (items.required.has(name) ? values[0] : undefined)
    if (kind !== undefined) return { [name]: kind }
  }
  return undefined
}

/** Values of several kinds in one list, such as `handles` with a `source`. */
const CHANNELS: Readonly<Record<string, readonly string[]>> = { email: ['email'], phone: ['phone', 'mobile', 'sms'] }
const CHANNEL_VALUES = ['value', 'handle', 'address', 'identifier', 'contact', 'data']

export interface ChannelPlace {
  readonly server: string
  readonly path: string
}

/** The list whose elements of this kind hold the field: `handles[source=email].handle`. */
export function channelPlace(field: string, view: SchemaView, schemas: Schemas): ChannelPlace | undefined {
  for (const server of view.members.keys()) {
    const list = schemas.member(view, server)
    const element = list?.type === 'array' ? elementOfKind(field, schemas.view(list.items), schemas) : undefined
    if (element !== undefined) return { server, path: `${escaped(server)}${element}` }
  }
  return undefined
}

function elementOfKind(field: string, items: SchemaView, schemas: Schemas): string | undefined {
  const value = memberNamed(items.members, CHANNEL_VALUES)
  if (value === undefined) return undefined
  for (const name of items.members.keys()) {
    const kinds = schemas.member(items, name)?.values ?? []
    const kind = CHANNELS[field]?.find((each) => kinds.includes(each))
    if (kind !== undefined) return `[${escaped(name)}=${kind}].${escaped(value)}`
  }
  return undefined
}

export interface FieldSite {
  readonly resource: Resource
  /** The name of the member. */
  readonly server: string
  /** Of the value. */
  readonly view: SchemaView
  readonly hasStages: boolean
}

/** Type, form on the wire and reference of a field, where they are not the usual ones. */
export function valueType(field: string, site: FieldSite): JsonObject {
  const { resource, view } = site
  const known = fieldOf(resource, field)?.type
  if (field === 'stage') return stageType(site)
  if (field === 'close_date') return dateType(view)
  if (known === 'reference' || field.endsWith('_id')) {
    return { ...(known === undefined && { type: 'id' }), ...(isNumber(view) && { as: 'integer' }) }
  }
  if (known === 'number' || known === 'integer') return view.type === 'string' ? { as: 'string' } : {}
  return resource === 'note' && field === 'body' && /\bhtml\b/i.test(view.description) ? { type: 'html' } : {}
}

function stageType({ server, view, hasStages }: FieldSite): JsonObject {
  const isId = /id$/i.test(server) || isNumber(view)
  const isStage = hasStages && (isId || (view.type !== 'object' && view.values.length === 0))
  return isStage ? { ref: 'stages', ...(isNumber(view) && { as: 'integer' }) } : {}
}

function dateType(view: SchemaView): JsonObject {
  if (isNumber(view)) return { type: 'date', as: timeForm(view) === 'unix_ms' ? 'unix_ms' : 'unix' }
  return { type: view.format === 'date-time' ? 'time' : 'date' }
}

function isNumber({ type }: SchemaView): boolean {
  return type === 'integer' || type === 'number'
}

/** The form of a time on the wire; undefined: that of RFC 3339. */
export function timeForm(view: SchemaView): 'unix' | 'unix_ms' | 'YYYY-MM-DD hh:mm:ss' | undefined {
  const { example, description } = view
  if (isNumber(view)) {
    const isMs = (typeof example === 'number' && example > 1e11) || /millisecond/i.test(description)
    return isMs ? 'unix_ms' : 'unix'
  }
  const text = `${typeof example === 'string' ? example : ''} ${description}`
  return /\d{4}-\d\d-\d\d \d\d:\d\d:\d\d|YYYY-MM-DD HH:MM:SS/i.test(text) ? 'YYYY-MM-DD hh:mm:ss' : undefined
}
