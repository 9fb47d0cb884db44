import { type Answer, type Call, Refusal, type Row } from '../emulator.ts'
import { LINKS, type WrittenLink } from './associations.ts'
import type { ObjectType } from './objects.ts'
import { foldedValue, type Portal, refuseDouble, type Stored, shown } from './portal.ts'
import { batchAnswer, type ErrorBody, invalid, takeBody } from './rules.ts'

const INPUTS_MAX = 100

export type Verb = 'create' | 'read' | 'update' | 'upsert' | 'archive'

interface Input {
  readonly id: string
  readonly idProperty?: string
  readonly properties: Row
  /** Of a create. */
  readonly associations?: readonly WrittenLink[]
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
  create: inputs({ objectWriteTraceId: TEXT, properties: PROPERTIES, associations: LINKS }, ['properties']),
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

export function answerBatch(portal: Portal, type: ObjectType, verb: Verb, call: Call): Answer {
  const batch = takeBody<Batch>(call, SCHEMAS[verb])
  if (batch.inputs.length > INPUTS_MAX) {
    const message = `The maximum number of inputs supported in a batch request is ${INPUTS_MAX}`
    return invalid(message, { context: { total: [String(batch.inputs.length)] } })
  }
  if (verb === 'archive') {
    for (const { id } of batch.inputs) portal.archive(type, id)
    return { status: 204 }
  }
  if (verb === 'read') return read(portal, type, batch, call.query.get('archived') === 'true')
  if (verb !== 'create') requireDistinct(type, batch.inputs)
  return write(portal, type, verb, batch.inputs)
}

/** Only `email` and the account's own unique properties identify a record beside its id. */
export function requireUniqueProperty(type: ObjectType, name: string | undefined): void {
  if (name === undefined || type.properties[name]?.isUnique) return
  invalid(`Unable to perform update/upsert by non-unique ${type.id} property ${name}`)
}

function requireDistinct(type: ObjectType, given: readonly Input[]): void {
  const keys = given.map(({ id, idProperty = '' }) => foldedValue(type, idProperty, id))
  const ids = [...new Set(keys.filter((key, index) => keys.indexOf(key) !== index))]
  if (ids.length === 0) return
  invalid(`Duplicate IDs found in batch input: [${ids.join(', ')}]. IDs must be unique`, { context: { ids } })
}

function read(portal: Portal, type: ObjectType, batch: Batch, isArchived: boolean): Answer {
  const { inputs: given, idProperty, properties = [] } = batch
  requireUniqueProperty(type, idProperty)
  const found = given.map(({ id }) => portal.find(type, id, idProperty))
  const rows = found.filter((row) => row?.archived === isArchived) as Stored[]
  const missing = given.filter((_, index) => found[index]?.archived !== isArchived).map(({ id }) => id)
  const errors = missing.length > 0 ? [missingError(type, { ids: missing })] : []
  return answer(
    200,
    [...new Set(rows)].map((row) => shown(type, row, properties)),
    errors,
  )
}

/**
 * Where every input has its own objectWriteTraceId, wrong ones are listed and the others written; otherwise one wrong
 * input refuses them all. A missing record is listed either way.
 */
function write(
  portal: Portal,
  type: ObjectType,
  verb: 'create' | 'update' | 'upsert',
  given: readonly Input[],
): Answer {
  const traces = new Set(given.flatMap(({ objectWriteTraceId }) => objectWriteTraceId ?? []))
  const isTraced = traces.size === given.length
  const errors: Row[] = []
  if (!isTraced) requireDistinctValues(type, given)
  const writes = given.flatMap((input) => {
    if (portal.refuses(input.properties)) {
      errors.push(listed({ category: 'INTERNAL_ERROR', message: 'internal error' }, input))
      return []
    }
    if (verb === 'update' && !findInput(portal, type, input)) {
      errors.push(missingError(type, { ids: [input.id], ...traceOf(input) }))
      return []
    }
    if (!isTraced) return [{ input, run: prepare(portal, type, verb, input) }]
    return [{ input, run: () => prepare(portal, type, verb, input)() }]
  })
  const results = writes.flatMap(({ input, run }) => {
    try {
      const { row, isNew } = run()
      const names = verb === 'create' || isNew ? Object.keys(row.properties) : Object.keys(input.properties)
      const { objectWriteTraceId } = input
      const trace = objectWriteTraceId === undefined ? {} : { objectWriteTraceId }
      return [{ ...shown(type, row, names), ...trace, ...(verb === 'upsert' && { new: isNew }) }]
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      errors.push(listed(error.answer.body as ErrorBody, input))
      return []
    }
  })
  return answer(verb === 'create' ? 201 : 200, results, errors)
}

function prepare(portal: Portal, type: ObjectType, verb: Exclude<Verb, 'read' | 'archive'>, input: Input): Write {
  if (verb === 'create') return plain(portal.prepareCreate(type, input.properties, { links: input.associations ?? [] }))
  const row = findInput(portal, type, input)
  if (row) return plain(portal.prepareUpdate(type, row, input.properties))
  const { id, idProperty } = input
  if (idProperty === undefined) return invalid('idProperty is required where no record has the id')
  const create = portal.prepareCreate(type, { [idProperty]: id, ...input.properties })
  return () => ({ row: create(), isNew: true })
}

function plain(run: () => Stored): Write {
  return () => ({ row: run(), isNew: false })
}

function findInput(portal: Portal, type: ObjectType, { id, idProperty }: Input): Stored | undefined {
  requireUniqueProperty(type, idProperty)
  const row = portal.find(type, id, idProperty)
  return row?.archived ? undefined : row
}

function requireDistinctValues(type: ObjectType, given: readonly Input[]): void {
  const names = Object.keys(type.properties).filter((name) => type.properties[name]?.isUnique)
  for (const name of names) {
    const written = given.flatMap(({ properties: { [name]: value } }) => (value ? [String(value)] : []))
    const values = written.map((value) => foldedValue(type, name, value))
    const [double] = values.filter((value, index) => values.indexOf(value) !== index)
    if (double !== undefined) refuseDouble(type, name, double)
  }
}

function traceOf({ objectWriteTraceId }: Input): Row {
  return objectWriteTraceId === undefined ? {} : { objectWriteTraceId: [objectWriteTraceId] }
}

function listed({ category, message, context, errors = [] }: ErrorBody, input: Input): Row {
  const all = { ...traceOf(input), ...(context as Row | undefined) }
  return { status: 'error', category, message, context: all, errors, links: {} }
}

function missingError(type: ObjectType, context: Row): Row {
  const thing = type.singular.toUpperCase()
  const message = `Could not get some ${thing} objects, they may be deleted or not exist. Check that ids are valid.`
  return { status: 'error', category: 'OBJECT_NOT_FOUND', message, context, errors: [], links: {} }
}

/** The order of the results is not that of the inputs. */
function answer(status: number, results: readonly Row[], errors: readonly Row[]): Answer {
  return batchAnswer(status, { results: [...results].reverse(), errors })
}
