import { ConnectorMistake, compilePath, readFirst } from '../connector/paths.ts'
import { CrmError } from '../core/errors.ts'
import { defined, idText, isJsonObject, type JsonObject, type JsonValue, objectOf } from '../core/json.ts'
import { RESOURCES, type Resource } from '../core/resources/registry.ts'
import { FIRST_NAMES, fieldNames, LAST_NAMES, memberNamed } from './names.ts'
import type { Drafting } from './openapi/collections.ts'
import { Decisions } from './openapi/decisions.ts'
import { type DraftResource, draftResource } from './openapi/draft-resource.ts'
import { innerFields } from './openapi/draft-writes.ts'
import { recordLeaves } from './openapi/nested-fields.ts'
import { ApiDescription } from './openapi/read-description.ts'
import { escaped, itemsIn } from './openapi/record-places.ts'
import type { ResourceContext } from './openapi/resource-context.ts'
import { Schemas, schemaOfExample } from './openapi/schemas.ts'

/** An object as its records show it. */
export interface DraftedRecord {
  /** The verb list has neither items nor paging. */
  readonly value: JsonObject
  readonly idOf: (record: JsonObject) => string | undefined
}

export interface ShownRecords {
  readonly resource: Resource
  readonly path: string
  readonly records: readonly JsonObject[]
  /** The member in which each of them stands alone. */
  readonly wrapper: string | undefined
  /** The answer to a request for the first of them; undefined where the server has none. */
  readonly single: JsonValue | undefined
}

const SAMPLE = 100

/** Where the record is in each element of a list, under any name: the member `wrapper` alone, or the object at `inner`. */
export function recordWithin(
  resource: Resource,
  elements: readonly JsonObject[],
): { readonly wrapper: string | undefined; readonly inner: string } {
  const wrapper = onlyObject(elements)
  const merged = mergedRecord(elements.slice(0, SAMPLE))
  const sample = objectOf(wrapper === undefined ? merged : merged[wrapper])
  const { path = '' } = itemsIn(resource, new Schemas({}).view(schemaOfExample([sample]))) ?? {}
  return { wrapper, inner: (wrapper === undefined ? '' : `.${escaped(wrapper)}`) + path.slice('[]'.length) }
}

/** The only member of each element, an object. */
function onlyObject(elements: readonly JsonObject[]): string | undefined {
  const [name, ...others] = new Set(elements.flatMap((element) => Object.keys(element)))
  const isWrapper = name !== undefined && others.length === 0
  return isWrapper && elements.every((element) => isJsonObject(element[name])) ? name : undefined
}

/** Drafts the object as if a document described what was seen. Open points are added to `decisions`. */
export function draftRecord(
  { resource, path, records, wrapper, single }: ShownRecords,
  decisions: Decisions,
  made: Drafting['made'] = new Map(),
): DraftedRecord {
  const isWrapped = wrapper !== undefined && isJsonObject(single) && onlyObject([single]) === wrapper
  const one = isWrapped ? single[wrapper] : single
  const sample = mergedRecord(records.slice(0, SAMPLE))
  const answers = answersFor(resource, { sample, wrapper }, decisions)
  const collection = { resource, path, slots: [], isDoubtful: false, score: Number.POSITIVE_INFINITY }
  const draft = (paths: JsonObject, given: ReadonlyMap<string, string>) => {
    const own = new Decisions(given, 'what was read')
    const api = new ApiDescription({ openapi: '3.1.0', info: { title: '' }, paths })
    return draftResource({ api, decisions: own, variables: {}, made }, { collection, other: undefined })
  }
  const shown = described(path, sample, one)
  const read = draft(shown, answers)
  checkAnswers(read.context, sample)
  const how = answers.get(`${RESOURCES[resource].plural}.writes`)
  const isWritten = how === 'patch' || how === 'put'
  const { value, context } = isWritten
    ? draft(withWrites(shown, how, { record: sample, read }), updatesOf(how, { answers, read }))
    : read
  for (const { at, text, question } of context.decisions.open)
    if (!at.includes('.verbs.list')) decisions.decide(at, text, question)
  sayWrites(context, path, decisions)
  const id = textOfPath(objectOf(value.record).id) ?? 'id'
  const idOf = (record: JsonValue | undefined) => idText(readFirst(compilePath(id), record))
  const { list, get, create, update, ...others } = objectOf(value.verbs)
  const { path: listPath, keep } = objectOf(list)
  const { record: at } = objectOf(get)
  const first = records[0] && idOf(records[0])
  const isShown = first !== undefined && idOf(typeof at === 'string' ? readFirst(compilePath(at), one) : one) === first
  // Wrapped records are sent and answered in their wrapper, too: `check --write` proves it.
  const around = (verb: JsonValue | undefined, sent: JsonObject) =>
    verb && { ...objectOf(verb), ...(isWrapped && sent) }
  const sent = { body: { [wrapper ?? '']: '{record}' }, gives: escaped(wrapper ?? '') }
  const verbs = defined({
    list: defined({ path: listPath, keep }),
    get: isShown ? around(get, { record: escaped(wrapper ?? '') }) : undefined,
    create: around(create, sent),
    update: around(update, sent),
    ...others,
  })
  return { value: { ...value, verbs }, idOf }
}

/** The path of one record below that of a list. */
export function singlePath(path: string, id: string): string {
  return path.endsWith('/') ? `${path}${id}/` : `${path}/${id}`
}

/** What was seen, in the words of a document. */
function described(path: string, sample: JsonObject, single: JsonValue | undefined): JsonObject {
  return {
    [path]: { get: answered({ items: [sample] }) },
    ...(single !== undefined && { [singlePath(path, '{id}')]: { get: answered(single) } }),
  }
}

function answered(example: JsonValue): JsonObject {
  return { responses: { 200: bodyOf(example) } }
}

function bodyOf(example: JsonValue): JsonObject {
  return { content: { 'application/json': { example } } }
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
  const sent = Object.entries(record).filter(([name]) => !system.includes(escaped(name)))
  const [path = '', one = singlePath(path, '{id}')] = Object.keys(shown)
  const { get = answered(record) } = objectOf(shown[one])
  const write = { requestBody: bodyOf(Object.fromEntries(sent)), ...objectOf(get) }
  const removal = { responses: { 204: {} } }
  return {
    [path]: { ...objectOf(shown[path]), post: write },
    [one]: { ...objectOf(shown[one]), [how]: write, delete: removal },
  }
}

/** Many servers replace an object within the record as a whole: then the record is sent as a whole, too. */
function updatesOf(
  how: 'patch' | 'put',
  { answers, read }: { readonly answers: ReadonlyMap<string, string>; readonly read: DraftResource },
): ReadonlyMap<string, string> {
  const isWhole = how === 'put' || innerFields(objectOf(read.value.fields)).length > 0
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

interface Sample {
  readonly sample: JsonObject
  readonly wrapper: string | undefined
}

/** The answers for this resource, without the wrapper. Where a record has its whole name beside the parts, the whole one is read. */
function answersFor(
  resource: Resource,
  { sample, wrapper }: Sample,
  decisions: Decisions,
): ReadonlyMap<string, string> {
  const { plural, fields } = RESOURCES[resource]
  const outer = wrapper === undefined || Object.hasOwn(sample, wrapper) ? undefined : `${escaped(wrapper)}.`
  const bare = (path: string) => (outer !== undefined && path.startsWith(outer) ? path.slice(outer.length) : path)
  const given = ['id', 'writes', 'parent', ...Object.keys(fields)].flatMap((name) => {
    const answer = decisions.answer(`${plural}.${name}`)
    return answer === undefined ? [] : [[`${plural}.${name}`, answer.split(' and ').map(bare).join(' and ')] as const]
  })
  const members = new Map(Object.entries(sample))
  const whole = memberNamed(members, fieldNames('contact').name ?? [])
  const hasParts = [FIRST_NAMES, LAST_NAMES].every((each) => memberNamed(members, each) !== undefined)
  const isWhole = resource === 'contact' && hasParts && whole !== undefined && typeof sample[whole] === 'string'
  return new Map([...(isWhole ? [['contacts.name', whole] as const] : []), ...given])
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
    const wrong = paths.find((path) => !hasValue(path, from))
    if (wrong === undefined) continue
    const known = recordLeaves(fieldsView)
      .slice(0, 20)
      .map(({ path }) => path)
    throw new CrmError('usage', `--field ${id}=${wrong}: no record has a value there`, {
      hint: `the records have ${known.join(', ') || 'no members'}`,
    })
  }
}

function hasValue(path: string, json: JsonValue | undefined): boolean {
  try {
    return readFirst(compilePath(path), json) !== undefined
  } catch (error) {
    if (error instanceof ConnectorMistake) return false
    throw error
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
