import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../../src/core/json.ts'
import {
  answer,
  body,
  DEAL,
  documentWith,
  draftOf,
  GONE,
  get,
  INTEGER,
  listOf,
  loaded,
  object,
  PERSON,
  plainPaths,
  post,
  query,
  TEXT,
} from './small-api.ts'

const ADDRESS = object({ value: TEXT, primary: { type: 'boolean' } })

const FIELDS = {
  name: { ...TEXT, maxLength: 80 },
  emails: listOf(ADDRESS),
  phones: listOf(object({ value: TEXT, label: { enum: ['work', 'home'] } })),
  assignee_id: INTEGER,
}

const PERSON_READ = object({
  id: INTEGER,
  ...FIELDS,
  created_at: { ...TEXT, format: 'date-time' },
  modified_at: { ...INTEGER, description: 'Unix time in milliseconds' },
  score: INTEGER,
})

const PERSON_WRITE = object(FIELDS, { required: ['name'] })

const DEAL_FIELDS = { title: TEXT, value: { type: 'number' }, stage_id: INTEGER, pipeline_id: INTEGER }

const PAGE = [query('page', INTEGER), query('per_page', { ...INTEGER, maximum: 200 })]

function paged(records: JsonObject): JsonObject {
  return object({ data: listOf(records), meta: object({ total_pages: INTEGER, total: INTEGER }) })
}

function wrapped(record: JsonObject): JsonObject {
  return object({ data: record })
}

test('the member with the name of the parameter in the path of a record is the id', () => {
  const record = object({ uid: { ...TEXT, readOnly: true }, id: INTEGER, name: TEXT, email: TEXT })
  const paths = { ...plainPaths('/people', record), '/people/{id}': {} }
  const item = { get: get(record), patch: post(object({ name: TEXT, email: TEXT }), record), delete: GONE }
  const { written, points } = draftOf(documentWith({ ...paths, '/people/{uid}': item }))
  expect(written.objects.contacts).toMatchObject({ record: { id: 'uid' }, verbs: { get: {} } })
  expect(written.objects.contacts?.read_only ?? []).not.toContain('uid')
  expect(points.join('\n')).not.toContain('id is assumed')
})

const WHOLE = documentWith({
  '/persons': { get: get(paged(PERSON_READ), ...PAGE), post: post(wrapped(PERSON_WRITE), wrapped(PERSON_READ)) },
  '/persons/{id}': {
    get: get(wrapped(PERSON_READ)),
    patch: { ...body(wrapped(object(FIELDS))), ...answer(wrapped(PERSON_READ)) },
    delete: GONE,
  },
  '/persons/search': {
    get: get(object({ hits: listOf(object({ item: object({ id: INTEGER, name: TEXT }) })) }), query('term')),
  },
  '/deals': {
    get: get(paged(object({ id: INTEGER, ...DEAL_FIELDS })), ...PAGE),
    post: post(object(DEAL_FIELDS), wrapped(object({ id: INTEGER, ...DEAL_FIELDS }))),
  },
  '/deals/{id}': { get: get(wrapped(object({ id: INTEGER, ...DEAL_FIELDS }))), delete: GONE },
  '/pipelines': {
    get: get(
      wrapped(listOf(object({ id: INTEGER, name: TEXT, stages: listOf(object({ id: INTEGER, label: TEXT })) }))),
    ),
  },
  '/notes': {
    get: get(paged(object({ id: INTEGER, deal_id: INTEGER, text: TEXT })), ...PAGE, query('deal_id', INTEGER)),
    post: post(object({ deal_id: INTEGER, text: TEXT }), wrapped(object({ id: INTEGER, text: TEXT }))),
  },
})

describe('a document that shows everything', () => {
  const draft = draftOf(WHOLE)

  test('gives a draft without open points, which the strict loader takes', () => {
    expect(draft.points).toEqual([])
    expect(loaded(draft).resources.contact?.list?.items).toBe('data[]')
  })

  test('gives address, credentials and the paging of most lists to the connector', () => {
    const { origin, base, auth, paging, name } = draft.written
    expect({ origin, base, auth, name }).toEqual({
      origin: 'https://api.meadow.example',
      base: '/v1',
      auth: { in: 'bearer' },
      name: 'meadow',
    })
    expect(paging).toEqual({
      by: 'page',
      param: 'page',
      total: 'meta.total',
      pages: 'meta.total_pages',
      size: { param: 'per_page', max: 200 },
    })
  })

  test('finds operations, wrappers, times and fields of contacts', () => {
    expect(draft.written.objects.contacts).toEqual({
      path: '/persons',
      record: {
        id: { at: 'id', type: 'integer' },
        created_at: 'created_at',
        updated_at: { at: 'modified_at', as: 'unix_ms' },
      },
      read_only: ['score'],
      verbs: {
        list: { items: 'data[]' },
        get: { record: 'data' },
        create: { body: { data: '{record}' }, gives: 'data' },
        update: { body: { data: '{record}' }, gives: 'data' },
        delete: {},
        find: {
          email: {
            path: '{object}/search',
            query: { term: '{value}' },
            items: 'hits[].item',
            paging: 'none',
            gives: 'id',
          },
        },
      },
      fields: {
        name: { at: 'name', required: true, max: 80 },
        email: { at: 'emails[primary=true].value', fold: 'case' },
        phone: { at: 'phones[0].value', new: { label: 'work' } },
        owner_id: { at: 'assignee_id', as: 'integer' },
      },
    })
  })

  test('ties deals to the stages within pipelines, and notes to deals', () => {
    const { deals, stages, notes } = draft.written.objects
    expect(deals?.fields).toEqual({
      name: 'title',
      amount: 'value',
      stage: { at: 'stage_id', ref: 'stages', as: 'integer', within: { pipeline_id: 'pipeline_id' } },
      pipeline_id: { at: 'pipeline_id', as: 'integer' },
    })
    expect(stages).toMatchObject({
      path: '/pipelines',
      verbs: { list: { items: 'data[].stages[]', up: { pipeline_id: 'id' } } },
    })
    expect(notes).toMatchObject({
      parent: 'deals',
      verbs: { list: { query: { deal_id: '{parent}' } }, create: { set: { deal_id: '{parent}' } } },
      fields: { body: 'text' },
    })
  })
})

test('records whose fields are in an object keep it as inside, with its path in the body', () => {
  const attributes = object({ first_name: TEXT, last_name: TEXT, email: TEXT })
  const record = object({ id: TEXT, type: { enum: ['contacts'] }, attributes })
  const sent = object({ data: object({ type: { enum: ['contacts'] }, attributes }, { required: ['type'] }) })
  const draft = draftOf(
    documentWith({
      '/contacts': { get: get(wrapped(listOf(record))), post: post(sent, wrapped(record)) },
      '/contacts/{id}': { get: get(wrapped(record)) },
    }),
    { deals: 'none' },
  )
  expect(draft.written.objects.contacts).toMatchObject({
    record: { id: 'id', inside: 'attributes' },
    verbs: { create: { body: { data: { type: 'contacts', attributes: '{record}' } } } },
    fields: { name: { join: ['first_name', 'last_name'], clear: '' }, email: { at: 'email', fold: 'case' } },
  })
  expect(loaded(draft).name).toBe('meadow')
})

test('a path that takes the kind of the records gets it from the example, and from the command line', () => {
  const kind = { name: 'object', in: 'path', schema: { ...TEXT, example: 'people' } }
  const list = post(object({ limit: INTEGER, offset: INTEGER }), wrapped(listOf(PERSON)))
  const paths = {
    '/objects/{object}/records/query': { parameters: [kind], post: list },
    '/objects/{object}/records': { parameters: [kind], post: post(PERSON, PERSON) },
    '/objects/{object}/records/{record_id}': { parameters: [kind], get: get(PERSON), delete: GONE },
  }
  const none = { 'deals.amount': 'none', 'deals.stage': 'none' }
  const guessed = draftOf(documentWith(paths), none)
  expect(guessed.written.objects.contacts).toMatchObject({
    path: '/objects/people/records',
    verbs: { list: { method: 'POST', path: '{object}/query' }, get: {} },
  })
  expect(guessed.written.paging).toEqual({ by: 'offset', in: 'body', param: 'offset' })
  expect(guessed.points).toEqual([
    'the document does not list the values of {object}: are deals at /objects/deals/records?',
  ])
  const named = draftOf(documentWith(paths), { ...none, deals: '/objects/opportunity/records' })
  expect(named.points).toEqual([])
  expect(named.written.objects.deals?.path).toBe('/objects/opportunity/records')
})

test('notes and stages below their parents are lists of that parent', () => {
  const note = object({ id: INTEGER, body: TEXT })
  const draft = draftOf(
    documentWith({
      ...plainPaths('/contacts', PERSON),
      ...plainPaths('/deals', DEAL),
      '/deals/{dealId}/notes': { get: get(listOf(note)), post: post(note, note) },
      '/notes/{noteId}': { delete: GONE },
    }),
  )
  expect(draft.written.objects.notes).toMatchObject({ path: '/deals/{parent}/notes', parent: 'deals' })
  expect(loaded(draft).resources.note?.create?.path).toBe('/deals/{parent}/notes')
})

test('an account in the address or the path, and a header that each request needs, are asked for at login', () => {
  const version = { name: 'X-Version', in: 'header', required: true, schema: { enum: ['7'] } }
  const tenant = { name: 'X-Tenant', in: 'header', required: true, schema: TEXT, description: 'Tenant. See settings.' }
  const paths = plainPaths('/accounts/{accountId}/contacts', PERSON)
  for (const item of Object.values(paths)) (item as JsonObject).parameters = [version, tenant]
  const variables = { region: { default: 'eu', enum: ['eu', 'us'], description: 'Region of the account' } }
  const servers = [{ url: 'https://{region}.meadow.example', variables }]
  const draft = draftOf(documentWith(paths, { servers }), { deals: 'none' })
  expect(draft.written).toMatchObject({
    origin: 'https://{region}.meadow.example',
    variables: {
      region: { ask: 'Region of the account (eu, us)' },
      account_id: { ask: 'accountId' },
      x_tenant: { ask: 'Tenant' },
    },
    headers: { 'X-Version': '7', 'X-Tenant': '{x_tenant}' },
    objects: { contacts: { path: '/accounts/{account_id}/contacts' } },
  })
  expect(loaded(draft).variables).toHaveProperty('account_id')
})

test('a list that is asked for with POST sends a body, and what the document does not say of it is a decision', () => {
  const { get: _get, ...rest } = plainPaths('/people', PERSON)['/people'] as JsonObject
  const paths = { ...plainPaths('/people', PERSON), '/people': rest }
  const search = (schema: JsonObject) => ({
    ...paths,
    '/people/search': { post: post(schema, object({ data: listOf(PERSON) })) },
  })
  const open = draftOf(documentWith(search(object({}))))
  expect(open.written.objects.contacts?.verbs.list).toMatchObject({ method: 'POST', path: '{object}/search', body: {} })
  expect(open.points.join('\n')).toContain('the document names no member of the body of /people/search')
  const needing = object({ kind: { const: 'person' }, account: TEXT }, { required: ['kind', 'account'] })
  const named = draftOf(documentWith(search(needing)))
  expect(named.written.objects.contacts?.verbs.list).toMatchObject({ body: { kind: 'person' } })
  expect(named.points.join('\n')).toContain('the body of /people/search needs account')
})

test('a member that can be written is the field, rather than one that the document calls read-only', () => {
  const deal = object({
    id: INTEGER,
    title: TEXT,
    expected_revenue: { type: 'number', readOnly: true },
    monetary_amount: { type: 'number' },
  })
  const { written } = draftOf(documentWith({ ...plainPaths('/people', PERSON), ...plainPaths('/deals', deal) }))
  expect(written.objects.deals?.fields).toMatchObject({ amount: 'monetary_amount' })
})

test('a list of something else below another name leaves no doubt about the path', () => {
  const paths = {
    ...plainPaths('/contacts', PERSON),
    ...plainPaths('/customfields/contacts', object({ id: INTEGER, name: TEXT })),
  }
  const { written, points } = draftOf(documentWith(paths))
  expect(written.objects.contacts).toMatchObject({ path: '/contacts' })
  expect(points.join('\n')).not.toContain('/customfields')
})
