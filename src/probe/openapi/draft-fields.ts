import { defined, isJsonObject, type JsonObject, type JsonValue, objectOf } from '../../core/json.ts'
import { fieldOf, type Resource } from '../../core/resources/registry.ts'
import { FIRST_NAMES, fieldNames, foldedName, LAST_NAMES, memberNamed } from '../names.ts'
import { escaped, joined } from './record-places.ts'
import type { ResourceContext } from './resource-context.ts'
import { isNumber, type SchemaView } from './schemas.ts'

/** What is known of the members of a record. */
export interface RecordMembers {
  readonly resource: Resource
  /** Of answers. */
  readonly read: SchemaView
  /** Of the bodies of create and update; undefined if the document does not describe them. */
  readonly write: SchemaView | undefined
  /** The stages of the draft. */
  readonly stages: JsonObject | undefined
}

export interface DraftFields {
  readonly fields: JsonObject
  /** Names of the server that a field stands for. */
  readonly mapped: ReadonlySet<string>
}

/** The fields of crm that the record has, in the grammar of connectors; `parts` are the members of a name. */
export function draftFields(members: RecordMembers, parts?: readonly string[]): DraftFields {
  const { resource, stages } = members
  const fields: JsonObject = parts ? { name: joinedName(parts, members) } : {}
  const mapped = new Set(parts)
  for (const [field, names] of Object.entries(fieldNames(resource))) {
    if (fields[field] !== undefined) continue
    const server = bestMember(field, names, { members, mapped })
    const made = server === undefined ? undefined : fieldAt(field, server, members)
    if (server === undefined || made === undefined) continue
    fields[field] = made
    mapped.add(server)
  }
  const { stage, pipeline_id: pipeline } = fields
  const hasPipelines = objectOf(stages?.fields).pipeline_id !== undefined && pipeline !== undefined
  if (isJsonObject(stage) && stage.ref !== undefined && hasPipelines) {
    fields.stage = { ...stage, within: { pipeline_id: 'pipeline_id' } }
  }
  return { fields, mapped }
}

function joinedName(parts: readonly string[], { read, write }: RecordMembers): JsonObject {
  const limits = parts.flatMap((each) => (write?.member(each) ?? read.member(each))?.maxLength ?? [])
  // A name of one word clears the other half, for which the document may not take null.
  const isText = (each: string) => write?.member(each)?.type === 'string' && !write.member(each)?.isNullable
  return {
    join: parts.map(escaped),
    ...(parts.every(isText) && { clear: '' }),
    ...(limits.length === parts.length && { max: limits }),
  }
}

/** A member that can be written is better than one of answers alone, or one that the document calls read-only. */
function bestMember(
  field: string,
  names: readonly string[],
  { members: { read, write }, mapped }: { readonly members: RecordMembers; readonly mapped: ReadonlySet<string> },
): string | undefined {
  const viewOf = (name: string) => write?.member(name) ?? read.member(name)
  const found = [write, read].flatMap((view) =>
    names.flatMap((name) =>
      [...(view?.members.keys() ?? [])].filter(
        (each) => foldedName(each) === name && !mapped.has(each) && isOfField(field, viewOf(each)),
      ),
    ),
  )
  const isReadOnly = (name: string) => [write, read].some((view) => view?.member(name)?.isReadOnly)
  return found.find((name) => !isReadOnly(name)) ?? found[0]
}

/** A company's name is no number, and a time is no amount. */
function isOfField(field: string, view: SchemaView | undefined): boolean {
  if (!view || view.type === 'boolean') return false
  if (['name', 'company', 'email', 'url', 'body'].includes(field)) return !isNumber(view)
  return field !== 'amount' || (view.format !== 'date-time' && view.format !== 'date')
}

function fieldAt(field: string, server: string, members: RecordMembers): JsonValue | undefined {
  const { read, write } = members
  const [readView, writeView] = [read.member(server), write?.member(server)]
  const isWritable = (writeView !== undefined || !write || write.members.size === 0) && !readView?.isReadOnly
  const readPlace = readView && valuePlace(field, server, readView)
  const writePlace = writeView ? valuePlace(field, server, writeView) : readPlace
  const place = readPlace ?? writePlace
  if (!place || !writePlace) return undefined
  const { path: to, made, view } = writePlace
  const paths = place.path === to ? { at: to } : { read: place.path, write: to }
  const { at, ...more } = defined({
    ...(isWritable ? paths : { read: place.path }),
    ...(isWritable && { new: made, required: write?.required.has(server) || undefined, max: view.maxLength }),
    ...valueType(field, server, { view: place.view, members }),
    fold: field === 'email' ? 'case' : undefined,
  })
  // A field with nothing but its path is that path.
  return at !== undefined && Object.keys(more).length === 0 ? at : defined({ at, ...more })
}

/** The field at this path, or of two paths with `and` between them. */
export function fieldOfPath(field: string, path: string): JsonValue {
  if (path.includes(' and ')) return { join: path.split(' and ') }
  return field === 'email' ? { at: path, fold: 'case' } : path
}

/** The value of a field within a member: in a list, in an object, or the member itself. */
interface ValuePlace {
  readonly path: string
  readonly view: SchemaView
  /** Members of an element that is made for it. */
  readonly made?: JsonObject | undefined
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
function valuePlace(field: string, name: string, view: SchemaView): ValuePlace | undefined {
  const isList = view.type === 'array'
  const object = isList ? view.element : view
  const path = escaped(name) + (isList && field !== 'events' ? '[0]' : '')
  if (object.type !== 'object' || object.members.size === 0) return { path, view: field === 'events' ? view : object }
  const value = memberNamed(object.members, VALUE_NAMES[field] ?? REFERENCE_NAMES)
  const inner = object.member(value ?? '')
  if (value === undefined || !inner || field === 'events') return undefined
  if (!isList) return { path: joined(path, value), view: inner }
  const main = memberNamed(object.members, MAIN_NAMES)
  if (main === undefined || object.member(main)?.type !== 'boolean') {
    return { path: joined(path, value), view: inner, made: newMembers(object, value) }
  }
  return { path: joined(`${escaped(name)}[${escaped(main)}=true]`, value), view: inner }
}

/** An element of a list of addresses has a kind, such as work. */
function newMembers(element: SchemaView, value: string): JsonObject | undefined {
  for (const name of element.members.keys()) {
    const values = name === value ? [] : (element.member(name)?.values ?? [])
    const kind =
      values.find((each) => /^work$/i.test(String(each))) ?? (element.required.has(name) ? values[0] : undefined)
    if (kind !== undefined) return { [name]: kind }
  }
  return undefined
}

interface FieldSite {
  /** Of the value. */
  readonly view: SchemaView
  readonly members: RecordMembers
}

/** Type, form on the wire and reference of a field, where they are not the usual ones. */
function valueType(field: string, server: string, { view, members: { resource, stages } }: FieldSite): JsonObject {
  const known = fieldOf(resource, field)?.type
  const as = isNumber(view) && { as: 'integer' }
  if (field === 'stage') return isStageId(server, view, stages) ? { ref: 'stages', ...as } : {}
  if (field === 'close_date') return dateType(view)
  if (known === 'reference' || field.endsWith('_id')) return { ...(known === undefined && { type: 'id' }), ...as }
  if (known === 'number' || known === 'integer') return view.type === 'string' ? { as: 'string' } : {}
  return resource === 'note' && field === 'body' && /\bhtml\b/i.test(view.description) ? { type: 'html' } : {}
}

function isStageId(server: string, view: SchemaView, stages: JsonObject | undefined): boolean {
  if (objectOf(stages?.verbs).list === undefined || stages?.parent !== undefined) return false
  return /id$/i.test(server) || isNumber(view) || (view.type !== 'object' && view.values.length === 0)
}

function dateType(view: SchemaView): JsonObject {
  if (isNumber(view)) return { type: 'date', as: timeForm(view) ?? 'unix' }
  return { type: view.format === 'date-time' ? 'time' : 'date' }
}

/** The form of a time on the wire; undefined: that of RFC 3339. */
export function timeForm(view: SchemaView): 'unix' | 'unix_ms' | 'YYYY-MM-DD hh:mm:ss' | undefined {
  const { example, description } = view
  if (isNumber(view)) return Number(example) > 1e11 || /millisecond/i.test(description) ? 'unix_ms' : 'unix'
  const isDateTime = /\d{4}-\d\d-\d\d \d\d:\d\d:\d\d|YYYY-MM-DD HH:MM:SS/i.test(`${String(example)} ${description}`)
  return isDateTime ? 'YYYY-MM-DD hh:mm:ss' : undefined
}

const ORGANIZATION = /\b(?:organi[sz]ation|company|business)\b/i

interface NameParts {
  readonly parts?: readonly string[]
  /** The whole name, which the server makes of them. */
  readonly whole?: string
}

/**
 * First and last name, where a contact is named by both; nothing: by one member. With all three, the whole name is often made
 * by the server, or that of an organization.
 */
export function nameParts({ read, write }: RecordMembers, { decide, decisions }: ResourceContext): NameParts {
  const view = write && write.members.size > 0 ? write : read
  const isWritten = (name: string) => [write, read].every((each) => !each?.member(name)?.isReadOnly)
  const written = new Map([...view.members].filter(([name]) => isWritten(name)))
  const [first, last] = [FIRST_NAMES, LAST_NAMES].map((names) => memberNamed(written, names))
  if (first === undefined || last === undefined) return {}
  const parts = [first, last]
  const whole = memberNamed(written, fieldNames('contact').name ?? [])
  if (whole === undefined) return { parts }
  if (view.required.has(whole)) return {}
  const isOfOthers = ORGANIZATION.test(view.member(whole)?.description ?? '')
  if (isOfOthers || parts.some((part) => view.required.has(part))) return { parts, whole }
  const both = `${first} and ${last}`
  const answer = decisions.answer('contacts.name') ?? both
  const what = `a contact has ${both} and ${whole}, and ${decisions.source} does not say which of them to write; assumed: ${both}`
  const ask = 'Which of them is the name of a contact?'
  decide('.fields', what, { id: 'contacts.name', ask, choices: [both, whole] })
  return answer === both ? { parts, whole } : {}
}
