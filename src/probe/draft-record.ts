import { ConnectorMistake, compilePath, readFirst } from '../connector/paths.ts'
import { CrmError } from '../core/errors.ts'
import { idText, isJsonObject, type JsonObject, type JsonValue, objectOf } from '../core/json.ts'
import { RESOURCES, type Resource } from '../core/resources/registry.ts'
import { FIRST_NAMES, fieldNames, LAST_NAMES, memberNamed } from './names.ts'
import { Decisions } from './openapi/decisions.ts'
import { type DraftResource, draftResource } from './openapi/draft-resource.ts'
import { writtenPaths } from './openapi/draft-writes.ts'
import { recordLeaves } from './openapi/nested-fields.ts'
import { ApiDescription } from './openapi/read-description.ts'
import { escaped } from './openapi/record-places.ts'
import type { ResourceContext } from './openapi/resource-context.ts'
import { schemaOfExample } from './openapi/schemas.ts'

/** A resource as its records show it. */
export interface DraftedRecord {
  /** Without its list. */
  readonly value: JsonObject
  /** Below the path of the resource; the parent that its records belong to. */
  readonly list: JsonObject
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
export function draftRecord(
  { resource, path, records, single }: ShownRecords,
  decisions: Decisions,
  made: ReadonlySet<Resource> = new Set(),
): DraftedRecord {
  const sample = mergedRecord(records.slice(0, SAMPLE))
  const answers = answersFor(resource, sample, decisions)
  const collection = { resource, path, slots: new Map(), isDoubtful: false, score: Number.POSITIVE_INFINITY }
  const draft = (paths: JsonObject, given: ReadonlyMap<string, string>) => {
    const own = new Decisions(given)
    const api = new ApiDescription({ openapi: '3.1.0', info: { title: '' }, paths })
    const all = new Map([...made].map((each) => [each, { value: {} }]))
    return {
      own,
      ...draftResource({ api, decisions: own, variables: {}, made: all }, { collection, other: undefined }),
    }
  }
  const shown = pathsOf(path, { list: { items: [sample] }, single })
  const read = draft(shown, answers)
  const items = String(objectOf(objectOf(read.value.verbs).list).items ?? 'items[]')
  const inner = items.startsWith('items[]') ? items.slice('items[]'.length) : ''
  const record = inner === '' ? sample : readFirst(compilePath(inner.slice(1)), sample)
  checkAnswers(read.context, record)
  const how = answers.get(`${RESOURCES[resource].plural}.writes`)
  const isWritten = (how === 'patch' || how === 'put') && isJsonObject(record)
  const written = isWritten && draft(withWrites(shown, how, { record, read }), updatesOf(how, { answers, read }))
  const { own, value } = written || read
  for (const { at, text, question } of own.open) if (!at.includes('.verbs.list')) decisions.decide(at, text, question)
  sayWrites(read.context, path, decisions)
  const { list, ...verbs } = objectOf(value.verbs)
  const idPath = compilePath(`${inner}.${textOfPath(objectOf(value.record).id) ?? 'id'}`.replace(/^\./, ''))
  return { value: { ...value, verbs }, list: objectOf(list), inner, idOf: (each) => idText(readFirst(idPath, each)) }
}

/** The path of one record below that of a list. */
export function singlePath(path: string, id: string): string {
  return path.endsWith('/') ? `${path}${id}/` : `${path}/${id}`
}

/** What was seen, in the words of a document. */
function pathsOf(path: string, { list, single }: { readonly list: JsonValue; readonly single: JsonValue | undefined }) {
  const paths: JsonObject = { [path]: { get: answered(schemaOfExample(list)) } }
  if (single !== undefined) paths[singlePath(path, '{id}')] = { get: answered(schemaOfExample(single)) }
  return paths
}

function answered(schema: JsonValue): JsonObject {
  return { responses: { 200: { content: { 'application/json': { schema } } } } }
}

interface Known {
  /** A record, with what any of them has. */
  readonly record: JsonObject
  readonly read: DraftResource
}

/** The plain form of REST, as a person says that the server has it. */
function withWrites(shown: JsonObject, how: 'patch' | 'put', { record, read }: Known): JsonObject {
  const { id, created_at: created, updated_at: updated } = objectOf(read.value.record)
  const system = [id, created, updated].map(textOfPath)
  const schema = schemaOfExample(
    Object.fromEntries(Object.entries(record).filter(([name]) => !system.includes(escaped(name)))),
  )
  const [path = '', single = singlePath(path, '{id}')] = Object.keys(shown)
  const reads = objectOf(objectOf(shown[single]).get)
  const answer = Object.keys(reads).length > 0 ? reads : answered(schemaOfExample(record))
  const write = { requestBody: { content: { 'application/json': { schema } } }, ...answer }
  const removal = { responses: { 204: {} } }
  return {
    [path]: { ...objectOf(shown[path]), post: write },
    [single]: { ...objectOf(shown[single]), [how]: write, delete: removal },
  }
}

/** Many servers replace an object within the record as a whole: then the record is sent as a whole, too. */
function updatesOf(
  how: 'patch' | 'put',
  { answers, read }: { readonly answers: ReadonlyMap<string, string>; readonly read: DraftResource },
): ReadonlyMap<string, string> {
  const paths = Object.values(objectOf(read.value.fields)).flatMap(writtenPaths)
  const isWhole = how === 'put' || paths.some((each) => /(?<!\\)[.[]/.test(each))
  return isWhole ? new Map([...answers, [`${RESOURCES[read.context.resource].plural}.update`, 'whole']]) : answers
}

function textOfPath(value: JsonValue | undefined): string | undefined {
  const at = isJsonObject(value) ? value.at : value
  return typeof at === 'string' ? at : undefined
}

const HOWS = ['patch', 'put', 'none']

function sayWrites({ resource, at }: ResourceContext, path: string, decisions: Decisions): void {
  const { plural, singular, operations } = RESOURCES[resource]
  const id = `${plural}.writes`
  const how = decisions.answer(id)
  if (operations.length === 0 || how === 'none') return
  const unproven = 'create, update and delete were not sent, and are not proven: crm connectors check --write'
  const one = singlePath(path, '{id}')
  const text = `${plural} are only read: --writes ${plural}=patch if the server takes POST ${path}, PATCH ${one} and DELETE ${one}, put if it takes PUT and replaces the record`
  if (how !== undefined) decisions.remark(`${at}.verbs.create`, unproven)
  else decisions.remark(at, text, { id, ask: `How is a ${singular} changed? (none: only read)`, choices: HOWS })
}

/** The answers for this resource. Where a record has its whole name beside the parts, the whole one is read. */
function answersFor(resource: Resource, sample: JsonObject, decisions: Decisions): ReadonlyMap<string, string> {
  const names = ['id', 'writes', 'parent', ...Object.keys(RESOURCES[resource].fields)].map(
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
