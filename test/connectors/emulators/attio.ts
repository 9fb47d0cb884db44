// Facts from Attio's published description of v2 and its pages on attribute types, filters, pagination, rate limits and
// standard objects, read 2026-11. Assumed, as they are silent: the body of a 401, 400 above a limit, no null in a value, a slug as
// target_object_id of a linked record, all attributes without a limit, and no reference to a record that is gone.

import { findAttribute, type ObjectType } from './attio/attributes.ts'
import { configurationRoutes } from './attio/configuration.ts'
import { otherRoutes } from './attio/others.ts'
import { compileFilter, sortRecords } from './attio/queries.ts'
import { type AttioKind, failure, inData, notFound, ok, refuse, takeBody, takePage } from './attio/rules.ts'
import { type Merge, Workspace } from './attio/workspace.ts'
import {
  type Answer,
  type Call,
  type Emulator,
  type EmulatorOptions,
  type Params,
  Refusal,
  type Route,
  type Row,
  startEmulator,
  type Window,
} from './emulator.ts'

const PAGE_MAX = 500
const RECORDS = '/v2/objects/:object/records'

const QUERY = {
  type: 'object',
  properties: {
    filter: { type: 'object' },
    sorts: {
      type: 'array',
      items: {
        type: 'object',
        properties: { attribute: { type: 'string' }, direction: { enum: ['asc', 'desc'] }, field: { type: 'string' } },
        required: ['attribute', 'direction'],
      },
    },
  },
}

const WRITE = inData({ values: { type: 'object' } }, ['values'])

export async function startAttio(options: EmulatorOptions = {}): Promise<Emulator<AttioKind>> {
  const { key = 'attio-0123456789abcdef0123456789abcdef', records = 0, pageMax = PAGE_MAX } = options
  const workspace = new Workspace(records)
  return startEmulator<AttioKind>(
    {
      tables: workspace.tables,
      routes: [...recordRoutes(workspace, pageMax), ...configurationRoutes(workspace), ...otherRoutes(workspace)],
      authenticate: ({ headers }) => {
        if (headers.authorization === `Bearer ${key}`) return
        throw new Refusal(failure(401, 'auth_error', 'unauthorized', 'The access token is missing or invalid.'))
      },
      refuse: {
        unknownPath,
        wrongMethod: unknownPath,
        internal: () => failure(500, 'api_error', 'internal_error', 'Internal server error.'),
      },
      limited,
      limitHeaders: () => ({}),
    },
    { ...options, key },
  )
}

function unknownPath({ method, path }: Call): Answer {
  return failure(404, 'invalid_request_error', 'not_found', `Could not find endpoint "${method} ${path}".`)
}

/** The second in which the limit ends, as a date. */
function limited({ resetAt }: Window): Answer {
  const answer = failure(429, 'rate_limit_error', 'rate_limit_exceeded', 'Rate limit exceeded, please try again later')
  return { ...answer, headers: { 'retry-after': new Date(Math.ceil(resetAt / 1000) * 1000).toUTCString() } }
}

function recordRoutes(workspace: Workspace, pageMax: number): Route[] {
  const path = `${RECORDS}/:id`
  const objectOf = ({ object = '' }: Params) => workspace.objectNamed(object)
  const one = (params: Params) => {
    const object = objectOf(params)
    const { id = '' } = params
    return { object, record: workspace.table(object.slug).rows.get(id) ?? notFound('Record with ID', id) }
  }
  const update = (merge: Merge) => (call: Call, params: Params) => {
    const { object, record } = one(params)
    return ok(workspace.update(object, record, valuesIn(call), merge))
  }
  return [
    {
      method: 'POST',
      path: `${RECORDS}/query`,
      answer: (call, params) => query(workspace, objectOf(params), takeBody(call, QUERY), pageMax),
    },
    { method: 'POST', path: RECORDS, answer: (call, params) => ok(workspace.create(objectOf(params), valuesIn(call))) },
    { method: 'PUT', path: RECORDS, answer: (call, params) => assertRecord(workspace, objectOf(params), call) },
    { method: 'GET', path, answer: (_, params) => ok(one(params).record) },
    { method: 'PATCH', path, answer: update({ type: 'prepend' }) },
    { method: 'PUT', path, answer: update({ type: 'replace' }) },
    {
      method: 'DELETE',
      path,
      answer: (_, params) => {
        const { object, record } = one(params)
        workspace.delete(object, record)
        return { status: 200, body: {} }
      },
    },
  ]
}

function valuesIn(call: Call): Row {
  return (takeBody(call, WRITE).data as Row).values as Row
}

function query(workspace: Workspace, object: ObjectType, body: Row, pageMax: number): Answer {
  const { limit, offset } = takePage(body, { max: pageMax })
  const fits = compileFilter(object, body.filter ?? {})
  const found = workspace.table(object.slug).present.filter(fits)
  return ok(sortRecords(object, found, (body.sorts ?? []) as Row[]).slice(offset, offset + limit))
}

/** Updates the record with the same value of the matching attribute, or makes one. */
function assertRecord(workspace: Workspace, object: ObjectType, call: Call): Answer {
  const slug = call.query.get('matching_attribute')
  if (slug === null) return refuse(400, 'validation_type', 'Query validation error: matching_attribute is required.')
  const matching = findAttribute(object, slug)
  if (!matching)
    return refuse(400, 'value_not_found', `No attribute was found for matching_attribute slug/ID "${slug}".`)
  if (!matching.isUnique) {
    const message = 'The matching attribute specified is not a unique attribute.'
    return refuse(400, 'matching_attribute_definition_not_unique', message)
  }
  const values = valuesIn(call)
  const value = values[matching.slug] ?? values[matching.id]
  if (value === undefined) {
    return refuse(400, 'missing_value', `A value for the matching attribute "${matching.slug}" was not provided.`)
  }
  const [id, ...others] = workspace.matches(matching, value)
  if (others.length > 0) return refuse(400, 'multiple_match_results', 'More than one record matches.')
  const record = id === undefined ? undefined : workspace.table(object.slug).rows.get(id)
  if (!record) return ok(workspace.create(object, values))
  return ok(workspace.update(object, record, values, { type: 'assert', matching }))
}
