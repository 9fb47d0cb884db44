import { ConnectorMistake, compilePath, readFirst } from '../connector/paths.ts'
import { CrmError } from '../core/errors.ts'
import { idText, isJsonObject, type JsonObject, type JsonValue, objectOf } from '../core/json.ts'
import { RESOURCES, type Resource } from '../core/resources/registry.ts'
import { FIRST_NAMES, fieldNames, LAST_NAMES, memberNamed } from './names.ts'
import { Decisions } from './openapi/decisions.ts'
import { draftResource } from './openapi/draft-resource.ts'
import { recordLeaves } from './openapi/nested-fields.ts'
import { ApiDescription } from './openapi/read-description.ts'
import type { ResourceContext } from './openapi/resource-context.ts'
import { schemaOfExample } from './openapi/schemas.ts'

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

/** Drafts the resource as if a document described what was seen. Open points are added to `decisions`. */
export function draftRecord({ resource, path, records, single }: ShownRecords, decisions: Decisions): DraftedRecord {
  const sample = mergedRecord(records.slice(0, SAMPLE))
  const own = new Decisions(answersFor(resource, sample, decisions))
  const collection = { resource, path, slots: new Map(), isDoubtful: false, score: Number.POSITIVE_INFINITY }
  const drafting = { api: describe(path, sample, single), decisions: own, variables: {}, made: new Map() }
  const { value, context } = draftResource(drafting, { collection, other: undefined })
  const { list, ...drafted } = value
  const items = String(objectOf(list).items ?? 'items[]')
  const inner = items.startsWith('items[]') ? items.slice('items[]'.length) : ''
  checkAnswers(context, inner === '' ? sample : readFirst(compilePath(inner.slice(1)), sample))
  for (const { at, text, question } of own.open) if (at[2] !== 'list') decisions.decide(at, text, question)
  const idPath = compilePath(
    `${inner}.${String((isJsonObject(drafted.id) ? drafted.id.at : drafted.id) ?? 'id')}`.replace(/^\./, ''),
  )
  return { value: drafted, listPath: objectOf(list).path, inner, idOf: (record) => idText(readFirst(idPath, record)) }
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

/** The answers for this resource. Where a record has its whole name beside the parts, the whole one is read. */
function answersFor(resource: Resource, sample: JsonObject, decisions: Decisions): ReadonlyMap<string, string> {
  const names = ['id', ...Object.keys(RESOURCES[resource].fields)].map(
    (name) => `${RESOURCES[resource].plural}.${name}`,
  )
  const given = new Map(names.flatMap((id) => [[id, decisions.answer(id)] as const]).filter(isGiven))
  const members = new Map(Object.entries(sample))
  const whole = memberNamed(members, fieldNames('contact').name ?? [])
  const hasParts = [FIRST_NAMES, LAST_NAMES].every((each) => memberNamed(members, each) !== undefined)
  if (resource !== 'contact' || !hasParts || whole === undefined || typeof sample[whole] !== 'string') return given
  return new Map([['contacts.name', whole], ...given])
}

function isGiven(entry: readonly [string, string | undefined]): entry is readonly [string, string] {
  return entry[1] !== undefined
}

/** CrmError `usage` for a path at which no record has a value. */
function checkAnswers(context: ResourceContext, record: JsonValue | undefined): void {
  const { resource, inside, fieldsView, decisions } = context
  const { plural, fields } = RESOURCES[resource]
  for (const field of ['id', ...Object.keys(fields)]) {
    const id = `${plural}.${field}`
    const answer = decisions.answer(id)
    const from = field === 'id' || inside === '.' ? record : readFirst(compilePath(inside), record)
    const paths = answer === undefined || answer === 'none' ? [] : answer.split(' and ')
    const wrong = paths.find((path) => readAt(path, from ?? null, id) === undefined)
    if (wrong === undefined) continue
    const known = recordLeaves(fieldsView)
      .slice(0, 20)
      .map(({ path }) => path)
    throw new CrmError('usage', `--field ${id}=${wrong}: no record has a value there`, {
      hint: `the records have ${known.join(', ') || 'no members'}`,
    })
  }
}

function readAt(path: string, json: JsonValue, id: string): JsonValue | undefined {
  try {
    return readFirst(compilePath(path), json)
  } catch (error) {
    if (!(error instanceof ConnectorMistake)) throw error
    throw new CrmError('usage', `--field ${id}=${path}: ${error.message}`, {
      hint: `such as ${id}=profile.email`,
      cause: error,
    })
  }
}

/** One record that has what any of them has: the first value of each member that is not null. */
function mergedRecord(records: readonly JsonObject[]): JsonObject {
  const merged: JsonObject = {}
  for (const record of records) {
    for (const [name, value] of Object.entries(record)) {
      const before = Object.hasOwn(merged, name) ? merged[name] : undefined
      if (before === undefined || before === null || (Array.isArray(before) && before.length === 0)) {
        Object.defineProperty(merged, name, { value, enumerable: true, writable: true, configurable: true })
      } else if (isJsonObject(before) && isJsonObject(value)) merged[name] = mergedRecord([before, value])
    }
  }
  return merged
}
