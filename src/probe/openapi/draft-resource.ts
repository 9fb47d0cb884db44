import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json.ts'
import { RESOURCES, type Resource } from '../../core/resources/registry.ts'
import type { ApiMethod } from './api-description.ts'
import { draftFields, type RecordMembers } from './draft-fields.ts'
import { draftOperations } from './draft-operations.ts'
import { draftParent } from './draft-parent.ts'
import { draftSelect } from './draft-select.ts'
import { decideUnread, keepToCreate } from './draft-update.ts'
import { askOf, variableName } from './path-parts.ts'
import { escaped, joined } from './record-places.ts'
import { contextOf, type ResourceContext, type ResourceRequest } from './resource-context.ts'
import type { SchemaView } from './schemas.ts'
import {
  CREATED_NAMES,
  FIRST_NAMES,
  fieldNames,
  foldedName,
  isIdOf,
  LAST_NAMES,
  memberNamed,
  UPDATED_NAMES,
} from './server-names.ts'
import { timeForm } from './value-places.ts'

const ORGANIZATION = /\b(?:organi[sz]ation|company|business)\b/i

export interface DraftResource {
  readonly value: JsonObject
  /** For the summary. */
  readonly methods: readonly ApiMethod[]
  readonly context: ResourceContext
}

export function draftResource(request: ResourceRequest): DraftResource {
  const context = contextOf(request)
  addVariables(context)
  const { resource, record, fieldsView, writeView, api, at, decisions } = context
  const { operations, path, methods } = draftOperations(context)
  const members = { schemas: api.schemas, read: fieldsView, write: writeView, hasStages: request.hasStages }
  const joined = resource === 'contact' ? nameParts(members, context) : undefined
  const { fields, mapped } = draftFields(resource, members, joined?.parts)
  if (operations.create !== undefined) keepToCreate(fields, context)
  const parent = draftParent(context, operations)
  for (const name of parent.dropped) delete fields[name]
  const { list, ...others } = parent.operations
  decideOpenFields(context, fields)
  decideUnread(fields, operations, context)
  const value: JsonObject = {
    path,
    ...(parent.parent !== undefined && { parent: parent.parent }),
    id: idOf(context),
    ...timesOf(record, context),
    ...(context.inside !== '.' && { inside: context.inside }),
    ...readOnlyOf(context, { mapped, made: joined?.whole }),
    ...draftSelect(context, parent.operations),
    ...(list !== undefined && { list }),
    ...others,
    ...(Object.keys(fields).length > 0 && { fields }),
  }
  if (fields.email === undefined) delete value.find
  const missing = requiredBeside(context, { mapped, value })
  if (missing.length > 0) {
    const names = missing.join(', ')
    decisions.decide(
      [...at, 'create'],
      `a new record needs ${names}, which no field of crm gives: constants (set: { ${missing[0]}: ... }), or values in each record`,
    )
  }
  return { value, methods, context }
}

/** Parameters of the path that are the same for all records. */
function addVariables({ collection, variables }: ResourceContext): void {
  for (const [name, slot] of collection.slots) {
    if (slot.type === 'variable') variables[variableName(name)] = { ask: slot.ask }
    if (slot.type === 'foreign') variables[variableName(name)] = { ask: name }
  }
}

function idOf({ resource, record, idMember: name, api, decisions, at }: ResourceContext): JsonObject | string {
  const view = name === undefined ? undefined : api.schemas.member(record, name)
  if (name === undefined || !view) {
    decisions.decide([...at, 'id'], 'the member with the id of a record was not found; id is assumed')
    return 'id'
  }
  if (view.type === 'object' && view.members.size > 0) {
    const own = [...view.members.keys()].find((each) => isIdOf(resource, each) || foldedName(each) === 'recordid')
    const inner = own ?? [...view.members.keys()].at(-1) ?? 'id'
    return joined(escaped(name), inner)
  }
  return view.type === 'integer' || view.type === 'number' ? { at: escaped(name), type: 'integer' } : escaped(name)
}

function timesOf(record: SchemaView, { api, fieldsView, inside }: ResourceContext): JsonObject {
  const time = (names: readonly string[]) => {
    for (const [view, from] of [
      [record, '.'],
      [fieldsView, inside],
    ] as const) {
      const name = memberNamed(view.members, names)
      const member = name === undefined ? undefined : api.schemas.member(view, name)
      if (name === undefined || !member || member.type === 'object' || member.type === 'boolean') continue
      const at = joined(from, name)
      const form = timeForm(member)
      return form === undefined ? at : { at, as: form }
    }
    return undefined
  }
  const [created, updated] = [time(CREATED_NAMES), time(UPDATED_NAMES)]
  return {
    ...(created !== undefined && { created_at: created }),
    ...(updated !== undefined && { updated_at: updated }),
  }
}

/** Members of answers that no body has. */
function readOnlyOf(
  { fieldsView, writeView, api, inside, record, idMember, resource }: ResourceContext,
  { mapped, made }: { readonly mapped: ReadonlySet<string>; readonly made: string | undefined },
): JsonObject {
  if (!writeView || (RESOURCES[resource].operations as readonly string[]).length === 0) return {}
  const system = new Set([CREATED_NAMES, UPDATED_NAMES].map((names) => memberNamed(record.members, names)))
  const id = inside === '.' ? idMember : undefined
  const names = [...fieldsView.members.keys()].filter((name) => {
    if (mapped.has(name) || name === id || system.has(name)) return false
    if (name === made) return true
    const member = api.schemas.member(fieldsView, name)
    return member?.isReadOnly || (!writeView.members.has(name) && !isFree(fieldsView))
  })
  return names.length > 0 ? { read_only: names } : {}
}

/** Its members have names of the user. */
function isFree({ members, isOpen }: SchemaView): boolean {
  return members.size === 0 || isOpen
}

/** Without these, commands that name them find nothing to write. */
const NEEDED: Readonly<Partial<Record<Resource, readonly string[]>>> = { contact: ['name', 'email'], deal: ['name'] }

function decideOpenFields({ fieldsView, inside, decisions, at, resource }: ResourceContext, fields: JsonObject): void {
  if (Object.keys(fields).length > 0 || fieldsView.members.size > (inside === '.' ? 1 : 0)) {
    for (const name of NEEDED[resource] ?? []) {
      if (fields[name] !== undefined) continue
      const { singular } = RESOURCES[resource]
      decisions.decide(
        [...at, 'fields'],
        `no member of a ${singular} was found for ${name}: fields: { ${name}: ... }, or it has none`,
      )
    }
    return
  }
  const where = inside === '.' ? 'a record' : inside
  decisions.decide(
    [...at, 'fields'],
    `the document does not name the members of ${where}: map crm's fields, such as name and email, to the server's names`,
  )
}

const NO_SCHEMA = { values: [], default: undefined, description: '' }

/** Names the account, not a record that the new one belongs to. */
function isPlace(name: string): boolean {
  return /^(?:location|workspace|tenant|portal|instance|site|store)id$/.test(foldedName(name))
}

/** Members that a create needs and no field gives: constants where the document names one value, else left to a person. */
function requiredBeside(
  { createView, api, variables, decisions, at }: ResourceContext,
  { mapped, value }: { readonly mapped: ReadonlySet<string>; readonly value: JsonObject },
): readonly string[] {
  const { create } = value
  if (!createView || !isJsonObject(create)) return []
  const set = isJsonObject(create.set) ? create.set : {}
  const missing = [...createView.required].filter((name) => !mapped.has(name) && !Object.hasOwn(set, name))
  const constants = missing.flatMap((name): readonly (readonly [string, JsonValue])[] => {
    const variable = variableName(name)
    const { values, default: usual, description } = api.schemas.member(createView, name) ?? NO_SCHEMA
    if (isPlace(name) && !Object.hasOwn(variables, variable)) {
      variables[variable] = { ask: askOf(name, description) }
      decisions.decide(
        [...at, 'create'],
        `a new record needs ${name}: one value for all is assumed, asked for at login`,
      )
    }
    if (Object.hasOwn(variables, variable)) return [[name, `{${variable}}`]]
    const constant = usual ?? (values.length === 1 ? values[0] : undefined)
    return constant === undefined ? [] : [[name, constant]]
  })
  if (constants.length > 0) value.create = { ...create, set: { ...set, ...Object.fromEntries(constants) } }
  return missing.filter((name) => !constants.some(([each]) => each === name))
}

interface NameParts {
  readonly parts: readonly string[]
  /** The whole name, which the server makes of them. */
  readonly whole?: string
}

/**
 * First and last name, where a contact is named by both; undefined: by one member. With all three, the whole name is often made
 * by the server, or that of an organization.
 */
function nameParts(members: RecordMembers, { decisions, at }: ResourceContext): NameParts | undefined {
  const { read, write, schemas } = members
  const view = write && write.members.size > 0 ? write : read
  const isWritten = (name: string) => [write, read].every((each) => !each || !schemas.member(each, name)?.isReadOnly)
  const written = new Map([...view.members].filter(([name]) => isWritten(name)))
  const [first, last] = [FIRST_NAMES, LAST_NAMES].map((names) => memberNamed(written, names))
  if (first === undefined || last === undefined) return undefined
  const parts = [first, last]
  const whole = memberNamed(written, fieldNames('contact').name ?? [])
  if (whole === undefined) return { parts }
  if (view.required.has(whole)) return undefined
  const isOfOthers = ORGANIZATION.test(schemas.member(view, whole)?.description ?? '')
  if (isOfOthers || parts.some((part) => view.required.has(part))) return { parts, whole }
  const id = 'contacts.name'
  const both = `${first} and ${last}`
  decisions.decide(
    [...at, 'fields'],
    `a contact has ${both} and ${whole}, and the document does not say which of them to write; assumed: ${both}`,
    { id, ask: 'Which of them is the name of a contact?', choices: [both, whole] },
  )
  return decisions.answer(id) === whole ? undefined : { parts, whole }
}
