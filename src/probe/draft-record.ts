import { ConnectorMistake, compilePath, type Path, readFirst } from '../connector/paths.ts'
import { CrmError } from '../core/errors.ts'
import { idText, isJsonObject, type JsonObject, type JsonValue } from '../core/json.ts'
import { RESOURCES, type Resource } from '../core/resources/registry.ts'
import { type Leaf, leavesOf, madeOf, mergedRecord, proposeField } from './nested-fields.ts'
import { ApiDescription } from './openapi/api-description.ts'
import { Decisions } from './openapi/decisions.ts'
import { draftResource } from './openapi/draft-resource.ts'
import { schemaOfExample } from './openapi/schemas.ts'
import { FIRST_NAMES, fieldNames, LAST_NAMES, memberNamed } from './openapi/server-names.ts'

/** A resource as its records show it, without its list. */
export interface DraftedRecord {
  readonly value: JsonObject
  /** Of the list, below the path of the resource. */
  readonly listPath: JsonValue | undefined
  /** From an element of the list to the record: empty, or such as `.contact`. */
  readonly inner: string
  readonly idOf: (record: JsonObject) => string | undefined
}

export interface ShownRecords {
  readonly resource: Resource
  readonly path: string
  readonly records: readonly JsonObject[]
  /** The answer to a request for one of them; undefined where the server has none. */
  readonly single: JsonValue | undefined
}

const SAMPLE = 100

/** Without these, commands that name them find nothing. */
const NEEDED: Readonly<Partial<Record<Resource, readonly string[]>>> = {
  contact: ['name', 'email'],
  deal: ['name', 'amount', 'stage'],
}
const PROPOSED: Readonly<Partial<Record<Resource, readonly string[]>>> = { contact: ['phone', 'company'] }

/** Drafts the resource as if a document described what was seen. Open points are added to `decisions`. */
export function draftRecord({ resource, path, records, single }: ShownRecords, decisions: Decisions): DraftedRecord {
  const sample = mergedRecord(records.slice(0, SAMPLE))
  const own = new Decisions(withWholeName(resource, sample, decisions))
  const { value } = draftResource({
    api: describe(path, sample, single),
    decisions: own,
    collection: { resource, path, slots: new Map(), isDoubtful: false, score: Number.POSITIVE_INFINITY },
    other: undefined,
    hasStages: false,
    made: new Set(),
    variables: {},
  })
  const { list, ...others }: JsonObject = value
  const idAnswer = decisions.answer(`${RESOURCES[resource].plural}.id`)
  const rest = idAnswer === undefined ? others : { ...others, id: idAt(idAnswer, sample) }
  const items = isJsonObject(list) && typeof list.items === 'string' ? list.items : 'items[]'
  const inner = items.startsWith('items[]') ? items.slice('items[]'.length) : ''
  for (const { at, text, question } of own.open) {
    if (at[2] === 'id') decideId(resource, sample, decisions)
    else if (at[2] !== 'list' && at[2] !== 'fields') decisions.decide(at, text, question)
  }
  const record = inner === '' ? sample : readFirst(compilePath(inner.slice(1)), sample)
  const drafted: JsonObject = { ...rest, fields: fieldsOf({ resource, value, record }, decisions) }
  return {
    value: drafted,
    listPath: isJsonObject(list) ? list.path : undefined,
    inner,
    idOf: idReader(drafted.id, inner),
  }
}

function decideId(resource: Resource, sample: JsonObject, decisions: Decisions): void {
  const { plural, singular } = RESOURCES[resource]
  const id = `${plural}.id`
  const text = `the member with the id of a ${singular} was not found: --field ${id}=PATH`
  const choices = leavesOf(sample).map(({ path }) => path)
  const question = { id, ask: 'Which member is the id?', choices: choices.slice(0, MOST_CHOICES) }
  decisions.decide(['resources', plural, 'id'], text, question)
}

function idAt(path: string, sample: JsonObject): JsonValue {
  const value = readFirst(pathOf(path, 'id'), sample)
  return typeof value === 'number' ? { at: path, type: 'integer' } : path
}

/** A document of what was seen: a list of such records, and one of them. */
function describe(path: string, sample: JsonObject, single: JsonValue | undefined): ApiDescription {
  const shown = (example: JsonValue) => ({
    get: { responses: { 200: { content: { 'application/json': { schema: schemaOfExample(example) } } } } },
  })
  const paths: JsonObject = { [path]: shown({ items: [sample] }) }
  if (single !== undefined) paths[`${path}/{id}`] = shown(single)
  return new ApiDescription({ openapi: '3.1.0', info: { title: '' }, paths })
}

/** Where a record has its whole name beside the parts, the whole one is read. */
function withWholeName(resource: Resource, sample: JsonObject, decisions: Decisions): ReadonlyMap<string, string> {
  const members = new Map(Object.entries(sample))
  const whole = memberNamed(members, fieldNames('contact').name ?? [])
  const hasParts = [FIRST_NAMES, LAST_NAMES].every((names) => memberNamed(members, names) !== undefined)
  const isNamed = resource === 'contact' && hasParts && whole !== undefined && typeof sample[whole] === 'string'
  return isNamed && decisions.answer('contacts.name') === undefined ? new Map([['contacts.name', whole]]) : new Map()
}

interface Drafted {
  readonly resource: Resource
  readonly value: JsonObject
  readonly record: JsonValue | undefined
}

/** The fields by their names, the ones that were given, and places below the record. */
function fieldsOf({ resource, value, record }: Drafted, decisions: Decisions): JsonObject {
  const { plural, fields: known } = RESOURCES[resource]
  const fields: JsonObject = isJsonObject(value.fields) ? { ...value.fields } : {}
  const { inside } = value
  const place = typeof inside === 'string' && record !== undefined ? readFirst(compilePath(inside), record) : record
  const leaves = isJsonObject(place) ? leavesOf(place) : []
  for (const field of [...(NEEDED[resource] ?? []), ...(PROPOSED[resource] ?? [])]) {
    if (fields[field] !== undefined || decisions.answer(`${plural}.${field}`) !== undefined) continue
    const made = proposed(resource, field, { leaves, decisions })
    if (made !== undefined) fields[field] = made
  }
  const given = Object.keys(known).flatMap((field): readonly (readonly [string, JsonValue | undefined])[] => {
    const answer = decisions.answer(`${plural}.${field}`)
    if (answer === undefined || field === 'id') return []
    return [[field, answer === 'none' ? undefined : madeOf(field, checkedPath(answer, place, { plural, field }))]]
  })
  return withoutAbsent({ ...fields, ...Object.fromEntries(given) })
}

function withoutAbsent(members: Readonly<Record<string, JsonValue | undefined>>): JsonObject {
  return Object.fromEntries(
    Object.entries(members).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )
}

const MOST_CHOICES = 20

/** A field that its name alone does not show; what is not sure is a decision. */
function proposed(
  resource: Resource,
  field: string,
  { leaves, decisions }: { readonly leaves: readonly Leaf[]; readonly decisions: Decisions },
): JsonValue | undefined {
  const { plural, singular } = RESOURCES[resource]
  const found = proposeField(resource, field, leaves)
  const isNeeded = NEEDED[resource]?.includes(field) === true
  if (found?.isSure || (!found && !isNeeded)) return found?.made
  const id = `${plural}.${field}`
  const what = found
    ? `is ${found.path} the ${field} of a ${singular}?`
    : `no member of a ${singular} was found for ${field}:`
  const choices = leaves.filter(({ value }) => typeof value !== 'boolean').map(({ path }) => path)
  decisions.decide(['resources', plural, 'fields'], `${what} --field ${id}=${found?.path ?? 'PATH'}, or ${id}=none`, {
    id,
    ask: `Which member is the ${field}? (none: it has none)`,
    choices: [...choices.slice(0, MOST_CHOICES), 'none'],
  })
  return found?.made
}

/** CrmError `usage` for a path at which no record has a value. */
function checkedPath(
  path: string,
  record: JsonValue | undefined,
  { plural, field }: { readonly plural: string; readonly field: string },
): string {
  const value = record === undefined ? undefined : readFirst(pathOf(path, `${plural}.${field}`), record)
  if (value !== undefined) return path
  const known = isJsonObject(record) ? leavesOf(record).map((leaf) => leaf.path) : []
  throw new CrmError('usage', `--field ${plural}.${field}=${path}: no record has a value there`, {
    hint: `the records have ${known.slice(0, MOST_CHOICES).join(', ') || 'no members'}`,
  })
}

function pathOf(text: string, id: string): Path {
  try {
    return compilePath(text)
  } catch (error) {
    if (!(error instanceof ConnectorMistake)) throw error
    throw new CrmError('usage', `--field ${id}=${text}: ${error.message}`, {
      hint: `such as ${id}=profile.email`,
      cause: error,
    })
  }
}

function idReader(id: JsonValue | undefined, inner: string): (record: JsonObject) => string | undefined {
  const at = isJsonObject(id) ? id.at : id
  const path = compilePath([inner.slice(1), String(at ?? 'id')].filter((each) => each !== '').join('.'))
  return (record) => idText(readFirst(path, record))
}
