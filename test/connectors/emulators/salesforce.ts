// Facts from Salesforce's public REST API Developer Guide and SOQL Reference, version 62.0, read 2026-11; salesforce.test.ts
// names the page of each claim. From answers that users published: the texts of errors, 404 with ENTITY_IS_DELETED, the zone
// of times without a colon. Assumed, as the pages are silent: that a column or a value which cannot be read refuses a
// collection whole, while other mistakes are of their row; that pages behind a locator show the records as they were when
// the query began; the order of a query without ORDER BY; small letters in stored email addresses; the code of an upsert
// without its value. Node itself refuses an address of more than 16,384 characters, with 431 for 414. Left out: relationships
// in SOQL, aggregates, record types, sharing, deletions that take other records along, Bulk API and OAuth.

import {
  type Answer,
  type Call,
  type Emulator,
  type EmulatorOptions,
  type Params,
  type Route,
  type Row,
  startEmulator,
  type Window,
} from './emulator.ts'
import { describedField, OBJECTS, type ObjectType } from './salesforce/objects.ts'
import { Organization, type Rules, type Saved } from './salesforce/organization.ts'
import { bodyOf, failure, idIn, notFound, type RowError, refuse, refuseRow, rowError } from './salesforce/rules.ts'
import { fieldNamed, runQuery } from './salesforce/soql.ts'

const BASE = '/services/data/v62.0'
const ROWS_MAX = 200
const CHUNKS_MAX = 10
const PAGE_MAX = 2000

export interface SalesforceOptions extends EmulatorOptions, Rules {}

/** Records are asked for by the API name of their object. */
export async function startSalesforce(options: SalesforceOptions = {}): Promise<Emulator<string>> {
  const { key = '00D5g000004abcd!AQEAQExample.Token_Of.Nobody', records = 0, pageMax = PAGE_MAX } = options
  const organization = new Organization(records, options)
  return startEmulator<string>(
    {
      tables: organization.tables,
      routes: [...objectRoutes(organization), ...queryRoutes(organization, pageMax), ...collectionRoutes(organization)],
      authenticate: ({ headers }) => {
        if (headers.authorization !== `Bearer ${key}`) refuse(401, 'INVALID_SESSION_ID', 'Session expired or invalid')
      },
      refuse: {
        unknownPath: () => failure(404, 'NOT_FOUND', 'The requested resource does not exist'),
        wrongMethod: ({ method }) => failure(405, 'METHOD_NOT_ALLOWED', `HTTP Method '${method}' not allowed.`),
        internal: () => failure(500, 'UNKNOWN_EXCEPTION', 'An unexpected error occurred.'),
      },
      limited: () => failure(403, 'REQUEST_LIMIT_EXCEEDED', 'TotalRequests Limit exceeded.'),
      limitHeaders,
    },
    { ...options, key },
  )
}

/** Of the whole day; nothing says when it ends. */
function limitHeaders({ limit, remaining }: Window): Record<string, string> {
  return { 'sforce-limit-info': `api-usage=${limit - Math.max(0, remaining)}/${limit}` }
}

function objectRoutes(organization: Organization): Route[] {
  const path = `${BASE}/sobjects/:object`
  const typeOf = ({ object = '' }: Params) => organization.object(object)
  const row = (params: Params) => rowOf(organization, typeOf(params), params)
  return [
    {
      method: 'GET',
      path: `${BASE}/sobjects`,
      answer: () => ok({ encoding: 'UTF-8', sobjects: OBJECTS.map(summary) }),
    },
    {
      method: 'GET',
      path: `${BASE}/chatter/users/me`,
      answer: () => ok({ username: 'admin@acme.example', companyName: 'Acme', isActive: true }),
    },
    {
      method: 'GET',
      path: `${path}/describe`,
      answer: (_, params) => {
        const object = typeOf(params)
        const fields = Object.entries(object.fields).map(([name, one]) => describedField(name, one))
        return ok({ ...summary(object), fields })
      },
    },
    {
      method: 'POST',
      path,
      answer: (call, params) => created(organization.create(writable(typeOf(params)), bodyOf(call))),
    },
    {
      method: 'GET',
      path: `${path}/:id`,
      answer: ({ query }, params) => {
        const names = query.get('fields')?.split(',')
        const object = typeOf(params)
        return ok(
          shown(object, row(params), names?.map((name) => fieldNamed(object, name)) ?? Object.keys(object.fields)),
        )
      },
    },
    {
      method: 'PATCH',
      path: `${path}/:id`,
      answer: (call, params) => {
        const { Id } = row(params)
        const saved = organization.update(writable(typeOf(params)), Id, bodyOf(call))
        return 'statusCode' in saved ? refuseRow(saved) : { status: 204 }
      },
    },
    {
      method: 'DELETE',
      path: `${path}/:id`,
      answer: (_, params) => {
        const saved = organization.remove(writable(typeOf(params)), String(row(params).Id))
        return 'statusCode' in saved ? refuseRow(saved) : { status: 204 }
      },
    },
    ...externalRoutes(organization),
  ]
}

/** `…/sobjects/Contact/Key__c/7`. */
function externalRoutes(organization: Organization): Route[] {
  const path = `${BASE}/sobjects/:object/:field/:value`
  const found = (params: Params) => {
    const object = organization.object(params.object ?? '')
    const name = organization.lookupField(object, params.field ?? '')
    return { object, name, ids: organization.idsWith(object, name, params.value) }
  }
  const several = (object: ObjectType, ids: readonly string[]) => ({
    status: 300,
    body: ids.map((id) => `${BASE}/sobjects/${object.name}/${id}`),
  })
  return [
    {
      method: 'GET',
      path,
      answer: (_, params) => {
        const { object, ids } = found(params)
        if (ids.length > 1) return several(object, ids)
        return ok(shown(object, organization.find(object, ids[0] ?? '') ?? notFound(), Object.keys(object.fields)))
      },
    },
    {
      method: 'PATCH',
      path,
      answer: (call, params) => {
        const { object, name, ids } = found(params)
        const body = bodyOf(call)
        if ('Id' in body || name in body)
          refuse(400, 'INVALID_FIELD', `The ${name} field should not be specified in the sobject data.`, {
            fields: [name],
          })
        if (ids.length > 1) return several(object, ids)
        const saved = organization.upsert(writable(object), name, { ...body, [name]: params.value })
        if ('statusCode' in saved) return refuseRow(saved)
        return { status: saved.created ? 201 : 200, body: { ...saveResult(saved), created: saved.created } }
      },
    },
  ]
}

/** Deleted rows are named as such; an id of another object is no record. */
function rowOf(organization: Organization, object: ObjectType, { id = '' }: Params): Row {
  const row = organization.find(object, id) ?? notFound()
  return row.IsDeleted ? refuse(404, 'ENTITY_IS_DELETED', 'entity is deleted', { fields: [] }) : row
}

function writable(object: ObjectType): ObjectType {
  if (object.isWritable) return object
  return refuse(405, 'METHOD_NOT_ALLOWED', "HTTP Method 'POST' not allowed. Allowed are GET,HEAD")
}

function summary({ name, label, labelPlural, keyPrefix, isWritable }: ObjectType): Row {
  const urls = { sobject: `${BASE}/sobjects/${name}`, describe: `${BASE}/sobjects/${name}/describe` }
  const able = { createable: isWritable, updateable: isWritable, deletable: isWritable, queryable: true }
  return { name, label, labelPlural, keyPrefix, custom: false, ...able, urls }
}

function shown({ name }: ObjectType, row: Row, fields: readonly string[]): Row {
  const values = fields.map((each) => [each, row[each] ?? null] as const)
  return { attributes: { type: name, url: `${BASE}/sobjects/${name}/${row.Id}` }, ...Object.fromEntries(values) }
}

function ok(body: object): Answer {
  return { status: 200, body }
}

function created(saved: Saved | RowError): Answer {
  return 'statusCode' in saved ? refuseRow(saved) : { status: 201, body: saveResult(saved) }
}

function saveResult(saved: Saved | RowError): Row {
  return 'statusCode' in saved ? { success: false, errors: [saved] } : { id: saved.id, success: true, errors: [] }
}

/** A page has the address of the next one; the last one has none, and is `done`. */
function queryRoutes(organization: Organization, pageMax: number): Route[] {
  const queries: Row[][] = []
  const page = (locator: number, from: number) => {
    const all = queries[locator] ?? refuse(400, 'INVALID_QUERY_LOCATOR', 'invalid query locator')
    const end = from + pageMax
    const isDone = end >= all.length
    const next = isDone ? {} : { nextRecordsUrl: `${BASE}/query/01g5g00000000${locator}-${end}` }
    return ok({ totalSize: all.length, done: isDone, ...next, records: all.slice(from, end) })
  }
  return [
    {
      method: 'GET',
      path: `${BASE}/query`,
      answer: ({ query }) => {
        const text = query.get('q') ?? refuse(400, 'MALFORMED_QUERY', 'The query is missing')
        const { object, fields, rows } = runQuery(text, (name) => {
          const type = OBJECTS.find((each) => each.name.toLowerCase() === name.toLowerCase())
          const found = type ?? refuse(400, 'INVALID_TYPE', `sObject type '${name}' is not supported.`)
          return { object: found, rows: organization.table(found).present }
        })
        queries.push(rows.map((row) => shown(object, row, fields)))
        return page(queries.length - 1, 0)
      },
    },
    {
      method: 'GET',
      path: `${BASE}/query/:locator`,
      answer: (_, { locator = '' }) => {
        const [, number = '-1', from = '0'] = /^01g5g00000000(\d+)-(\d+)$/.exec(locator) ?? []
        return page(Number(number), Number(from))
      },
    },
  ]
}

interface Chunk {
  readonly rows: readonly Row[]
  readonly isAllOrNone: boolean
}

/** Up to 200 rows, whose results stand in the order of the request. */
function collectionRoutes(organization: Organization): Route[] {
  const path = `${BASE}/composite/sobjects`
  const objectOf = ({ attributes }: Row) => {
    const { type } = (attributes ?? {}) as Row
    if (typeof type !== 'string') return refuse(400, 'INVALID_INPUT', 'Object type must be provided in attributes')
    return writable(organization.object(type))
  }
  const read = (row: Row) => organization.read(objectOf(row), row)
  return [
    {
      method: 'POST',
      path,
      answer: (call) =>
        answerAll(organization, takeRows(call), { read, save: (row) => organization.create(objectOf(row), row) }),
    },
    {
      method: 'PATCH',
      path,
      answer: (call) =>
        answerAll(organization, takeRows(call), {
          read,
          save: (row) => {
            const { id, Id = id, ...values } = row
            return organization.update(objectOf(row), Id, values)
          },
        }),
    },
    {
      method: 'PATCH',
      path: `${path}/:object/:field`,
      answer: (call, params) => {
        const object = writable(organization.object(params.object ?? ''))
        const name = organization.lookupField(object, params.field ?? '')
        const taken = takeRows(call)
        const keyIn = (row: Row) => String(row[name] ?? '').toLowerCase()
        const values = taken.rows.map(keyIn)
        return answerAll(organization, taken, {
          isUpsert: true,
          read: (row) => {
            if (objectOf(row) !== object) refuse(400, 'INVALID_INPUT', `Expected ${object.name} in attributes`)
            read(row)
          },
          save: (row) => {
            const isTwice = keyIn(row) !== '' && values.filter((other) => other === keyIn(row)).length > 1
            if (isTwice) return rowError('DUPLICATE_VALUE', `Duplicate external id specified: ${row[name]}`, [name])
            return organization.upsert(object, name, row)
          },
        })
      },
    },
    {
      method: 'DELETE',
      path,
      answer: ({ query }) => {
        const rows = (query.get('ids') ?? '').split(',').map((id) => ({ id }))
        const isAllOrNone = query.get('allOrNone') === 'true'
        return answerAll(organization, checked({ rows, isAllOrNone }), {
          save: ({ id }) => {
            const object = OBJECTS.find(({ keyPrefix }) => String(id).startsWith(keyPrefix))
            if (!object || idIn(id) === undefined) return rowError('MALFORMED_ID', `malformed id ${id}`)
            return organization.remove(writable(object), String(id))
          },
        })
      },
    },
  ]
}

function takeRows(call: Call): Chunk {
  const { records, allOrNone = false } = bodyOf(call)
  if (!Array.isArray(records)) return refuse(400, 'JSON_PARSER_ERROR', 'records must be a list')
  const types = records.map(({ attributes }: Row) => (attributes as Row | undefined)?.type)
  const chunks = types.filter((type, at) => type !== types[at - 1]).length
  if (chunks > CHUNKS_MAX) refuse(400, 'INVALID_INPUT', `The maximum number of chunks allowed is ${CHUNKS_MAX}`)
  return checked({ rows: records as Row[], isAllOrNone: allOrNone === true })
}

function checked(chunk: Chunk): Chunk {
  const { length } = chunk.rows
  if (length > 0 && length <= ROWS_MAX) return chunk
  return refuse(
    400,
    'EXCEEDED_MAX_SIZE_REQUEST',
    `record limit reached. cannot submit more than ${ROWS_MAX} records into this call`,
  )
}

const ROLLED_BACK = rowError(
  'ALL_OR_NONE_OPERATION_ROLLED_BACK',
  'Record rolled back because not all records were valid and the request was using AllOrNone header',
)

interface Saving {
  /** Refuses what cannot be read. */
  readonly read?: (row: Row) => void
  readonly save: (row: Row) => Saved | RowError
  readonly isUpsert?: true
}

/** What cannot be read refuses the whole request, before anything is written. */
function answerAll(organization: Organization, { rows, isAllOrNone }: Chunk, { read, save, isUpsert }: Saving): Answer {
  if (read) rows.forEach(read)
  const restore = isAllOrNone ? organization.keep() : undefined
  const saves = rows.map(save)
  const isUndone = restore !== undefined && saves.some((saved) => 'statusCode' in saved)
  if (isUndone) restore()
  const results = isUndone ? saves.map((saved) => ('statusCode' in saved ? saved : ROLLED_BACK)) : saves
  return ok(
    results.map((saved) => ({ ...saveResult(saved), ...(isUpsert && 'id' in saved && { created: saved.created }) })),
  )
}
