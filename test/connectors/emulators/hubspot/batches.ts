import { type Answer, type Call, Refusal, type Row } from '../emulator.ts'
import { type Portal, type Stored, shown } from './portal.ts'
import { OBJECTS, type ObjectKind } from './properties.ts'
import { type ErrorBody, invalid, refuse, takeBody, timeText } from './rules.ts'

const INPUTS_MAX = 100

export type Verb = 'create' | 'read' | 'update' | 'upsert' | 'archive'

interface Input {
  readonly id: string
  readonly idProperty?: string
  readonly properties: Row
  readonly objectWriteTraceId?: string
}

interface Batch {
  readonly inputs: readonly Input[]
  /** Of a read. */
  readonly idProperty?: string
  readonly properties?: readonly string[]
}

const TEXT = { type: 'string' }
const PROPERTIES = { type: 'object', additionalProperties: { type: ['string', 'number', 'boolean'] } }
const BY_ID = { id: TEXT, idProperty: TEXT, objectWriteTraceId: TEXT, properties: PROPERTIES }
const ID_ALONE = inputs({ id: TEXT }, ['id'])

const SCHEMAS: Readonly<Record<Verb, object>> = {
  create: inputs({ objectWriteTraceId: TEXT, properties: PROPERTIES, associations: { type: 'array' } }, ['properties']),
  update: inputs(BY_ID, ['id', 'properties']),
  upsert: inputs(BY_ID, ['id', 'properties']),
  archive: ID_ALONE,
  read: {
    ...ID_ALONE,
    properties: { ...ID_ALONE.properties, idProperty: TEXT, properties: { type: 'array', items: TEXT } },
  },
}

function inputs(properties: object, required: readonly string[]) {
  const items = { type: 'object', properties, required }
  return { type: 'object', properties: { inputs: { type: 'array', minItems: 1, items } }, required: ['inputs'] }
}

/** What one input does, once it was found valid. */
type Write = () => { readonly row: Stored; readonly isNew?: boolean }

export function answerBatch(portal: Portal, kind: ObjectKind, verb: Verb, call: Call): Answer {
  const batch = takeBody<Batch>(call, SCHEMAS[verb])
  if (batch.inputs.length > INPUTS_MAX) {
    const message = `The maximum number of inputs supported in a batch request is ${INPUTS_MAX}`
    return invalid(message, { context: { total: [String(batch.inputs.length)] } })
  }
  if (verb === 'archive') {
    for (const { id } of batch.inputs) portal.archive(kind, id)
    return { status: 204 }
  }
  if (verb === 'read') return read(portal, kind, batch)
  if (verb !== 'create') requireDistinct(batch.inputs)
  return write(portal, kind, verb, batch.inputs)
}

/** Only `email` and the account's own unique properties identify a record beside its id. */
export function requireUniqueProperty(kind: ObjectKind, name: string | undefined): void {
  if (name === undefined || OBJECTS[kind].properties[name]?.isUnique) return
  invalid(`Unable to perform update/upsert by non-unique ${OBJECTS[kind].id} property ${name}`)
}

function requireDistinct(given: readonly Input[]): void {
  const keys = given.map(({ id, idProperty }) => (idProperty === 'email' ? id.toLowerCase() : id))
  const ids = [...new Set(keys.filter((key, index) => keys.indexOf(key) !== index))]
  if (ids.length === 0) return
  invalid(`Duplicate IDs found in batch input: [${ids.join(', ')}]. IDs must be unique`, { context: { ids } })
}

function read(portal: Portal, kind: ObjectKind, { inputs: given, idProperty, properties }: Batch): Answer {
  requireUniqueProperty(kind, idProperty)
  const found = given.map(({ id }) => portal.find(kind, id, idProperty))
  const rows = new Set(found.filter((row) => row !== undefined && !row.archived)) as Set<Stored>
  const missing = given.filter((_, index) => !found[index] || found[index].archived).map(({ id }) => id)
  const errors = missing.length > 0 ? [missingError(kind, { ids: missing })] : []
  return answer(
    200,
    [...rows].map((row) => shown(kind, row, properties ?? [])),
    errors,
  )
}

/**
 * Where every input has its own objectWriteTraceId, wrong ones are listed and the others written; otherwise one wrong
 * input refuses them all. A missing record is listed either way.
 */
function write(
  portal: Portal,
  kind: ObjectKind,
  verb: 'create' | 'update' | 'upsert',
  given: readonly Input[],
): Answer {
  const traces = new Set(given.flatMap(({ objectWriteTraceId }) => objectWriteTraceId ?? []))
  const isTraced = traces.size === given.length
  const errors: Row[] = []
  if (!isTraced) requireDistinctEmails(given)
  const writes = given.flatMap((input) => {
    if (verb === 'update' && !findInput(portal, kind, input)) {
      errors.push(missingError(kind, { ids: [input.id], ...traceOf(input) }))
      return []
    }
    if (!isTraced) return [{ input, run: prepare(portal, kind, verb, input) }]
    return [{ input, run: () => prepare(portal, kind, verb, input)() }]
  })
  const results = writes.flatMap(({ input, run }) => {
    try {
      const { row, isNew } = run()
      const names = verb === 'create' || isNew ? Object.keys(row.properties) : Object.keys(input.properties)
      const { objectWriteTraceId } = input
      const trace = objectWriteTraceId === undefined ? {} : { objectWriteTraceId }
      return [{ ...shown(kind, row, names), ...trace, ...(verb === 'upsert' && { new: isNew }) }]
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      errors.push(listed(error.answer.body as ErrorBody, input))
      return []
    }
  })
  return answer(verb === 'create' ? 201 : 200, results, errors)
}

function prepare(portal: Portal, kind: ObjectKind, verb: Exclude<Verb, 'read' | 'archive'>, input: Input): Write {
  if (verb === 'create') return plain(portal.prepareCreate(kind, input.properties))
  const row = findInput(portal, kind, input)
  if (row) return plain(portal.prepareUpdate(kind, row, input.properties))
  const { id, idProperty } = input
  if (idProperty === undefined) return invalid('idProperty is required where no record has the id')
  const create = portal.prepareCreate(kind, { [idProperty]: id, ...input.properties })
  return () => ({ row: create(), isNew: true })
}

function plain(run: () => Stored): Write {
  return () => ({ row: run(), isNew: false })
}

function findInput(portal: Portal, kind: ObjectKind, { id, idProperty }: Input): Stored | undefined {
  requireUniqueProperty(kind, idProperty)
  const row = portal.find(kind, id, idProperty)
  return row?.archived ? undefined : row
}

function requireDistinctEmails(given: readonly Input[]): void {
  const emails = given.flatMap(({ properties: { email } }) => (email ? [String(email).toLowerCase()] : []))
  if (new Set(emails).size < emails.length) refuse(409, 'CONFLICT', 'Contact already exists')
}

function traceOf({ objectWriteTraceId }: Input): Row {
  return objectWriteTraceId === undefined ? {} : { objectWriteTraceId: [objectWriteTraceId] }
}

function listed({ category, message, context, errors = [] }: ErrorBody, input: Input): Row {
  const all = { ...traceOf(input), ...(context as Row | undefined) }
  return { status: 'error', category, message, context: all, errors, links: {} }
}

function missingError(kind: ObjectKind, context: Row): Row {
  const thing = OBJECTS[kind].singular.toUpperCase()
  const message = `Could not get some ${thing} objects, they may be deleted or not exist. Check that ids are valid.`
  return { status: 'error', category: 'OBJECT_NOT_FOUND', message, context, errors: [], links: {} }
}

/** The order of the results is not that of the inputs. */
function answer(status: number, results: readonly Row[], errors: readonly Row[]): Answer {
  const time = timeText()
  const body = { status: 'COMPLETE', results: [...results].reverse(), startedAt: time, completedAt: time }
  if (errors.length === 0) return { status, body }
  return { status: 207, body: { ...body, numErrors: errors.length, errors } }
}
