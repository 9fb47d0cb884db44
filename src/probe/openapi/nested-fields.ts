import type { JsonObject, JsonValue } from '../../core/json.ts'
import { RESOURCES, type Resource } from '../../core/resources/registry.ts'
import { shellWord } from '../../core/shell-words.ts'
import { FIRST_NAMES, fieldNames, foldedName, LAST_NAMES } from '../names.ts'
import { fieldOfPath } from './draft-fields.ts'
import { type Leaf, leavesOf } from './record-places.ts'
import type { ResourceContext } from './resource-context.ts'
import type { SchemaView } from './schemas.ts'

/** Without these, commands that name them find nothing; a record need not have the optional ones. */
const LOOKED_FOR: Readonly<Partial<Record<Resource, readonly string[]>>> = {
  contact: ['name', 'email', 'phone', 'company'],
  deal: ['name', 'amount', 'stage'],
}
const OPTIONAL = ['phone', 'company']

const MOST_CHOICES = 20

/** The values of a record, from it on. */
export function recordLeaves(record: SchemaView): readonly Leaf[] {
  return leavesOf(record, 3, true)
}

/** Fields whose own names do not show them: given by a person, or below the record. What is not sure is a decision. */
export function addNestedFields(fields: JsonObject, context: ResourceContext): void {
  const { resource, inside, fieldsView, decisions, decide } = context
  const answered = new Set(Object.keys(RESOURCES[resource].fields).filter((field) => addAnswer(fields, field, context)))
  const looked = LOOKED_FOR[resource] ?? []
  if (Object.keys(fields).length === 0 && fieldsView.members.size <= (inside === '.' ? 1 : 0)) {
    const where = inside === '.' ? 'a record' : inside
    const text = `${decisions.source} does not name the members of ${where}: map crm's fields, such as name and email, to the server's names`
    if (looked.length > 0) decide('.fields', text)
    return
  }
  const leaves = recordLeaves(fieldsView)
  for (const field of looked.filter((each) => fields[each] === undefined && !answered.has(each))) {
    const made = proposed(field, leaves, context)
    if (made !== undefined) fields[field] = made
  }
}

/** Returns whether the person named the field. */
function addAnswer(fields: JsonObject, field: string, { resource, decisions }: ResourceContext): boolean {
  const answer = field === 'id' ? undefined : decisions.answer(`${RESOURCES[resource].plural}.${field}`)
  if (answer === 'none') delete fields[field]
  else if (answer?.includes(' and ')) fields[field] ??= fieldOfPath(field, answer)
  else if (answer !== undefined) fields[field] = fieldOfPath(field, answer)
  return answer !== undefined
}

function proposed(
  field: string,
  leaves: readonly Leaf[],
  { resource, decide }: ResourceContext,
): JsonValue | undefined {
  const { plural, singular } = RESOURCES[resource]
  const id = `${plural}.${field}`
  const found = proposeField(fieldNames(resource)[field] ?? [], field, leaves)
  const made = found && fieldOfPath(field, found.path)
  if (found?.isSure || (!found && OPTIONAL.includes(field))) return made
  const what = found
    ? `is ${found.path} the ${field} of a ${singular}?`
    : `no member of a ${singular} was found for ${field}:`
  const choices = leaves.filter(({ view }) => view.type !== 'boolean').map(({ path }) => path)
  decide('.fields', `${what} --field ${shellWord(`${id}=${found?.path ?? 'PATH'}`)}, or ${id}=none`, {
    id,
    ask: `Which member is the ${field}? (none: it has none)`,
    choices: [...choices.slice(0, MOST_CHOICES), 'none'],
  })
  return made
}

/** Objects that hold the members of the record itself. */
const OWN =
  /^(?:profile|person|personal|personaldata|contact|contactinfo|contactdetails|info|details|general|basic|basics|data|main|core|identity|attributes|fields|properties|values|deal|name|names|communication|channels)$/

interface Proposed {
  readonly path: string
  /** Its place says that it belongs to the record; else a person decides. */
  readonly isSure: boolean
}

const EMAIL = /^[^\s@]+@[^\s@]+\.[^\s@]+$/
const VALUES = ['value', 'address', 'email', 'emailaddress', 'number', 'phonenumber', 'name', 'full']

/** A place below the record for a field with these names that its own members do not have. */
function proposeField(names: readonly string[], field: string, leaves: readonly Leaf[]): Proposed | undefined {
  // `emails[0].address`
  const isValueOf = ({ above, name }: Leaf) => names.includes(above.at(-1) ?? '') && VALUES.includes(foldedName(name))
  const nested = leaves.filter(
    (leaf) => leaf.above.length > 0 && (names.includes(foldedName(leaf.name)) || isValueOf(leaf)),
  )
  const own = nested.filter(({ above }) => above.every((each) => OWN.test(each) || names.includes(each)))
  const parts = field === 'name' && own.length === 0 ? nestedParts(leaves) : undefined
  const isEmail = ({ view }: Leaf) => field === 'email' && EMAIL.test(String(view.example))
  const best = own[0] ?? nested[0] ?? leaves.find(isEmail)
  if (parts || !best) return parts
  return { path: best.path, isSure: own.length === 1 }
}

/** First and last name in one object. */
function nestedParts(leaves: readonly Leaf[]): Proposed | undefined {
  const named = (names: readonly string[]) =>
    leaves.find(({ name, above }) => above.length > 0 && names.includes(foldedName(name)))
  const [first, last] = [named(FIRST_NAMES), named(LAST_NAMES)]
  if (!first || first.above.join() !== last?.above.join()) return undefined
  const isSure = first.above.every((each) => OWN.test(each))
  return { path: `${first.path} and ${last.path}`, isSure }
}
