import { expect, test } from 'vitest'
import type { JsonObject } from '../../../src/core/json.ts'
import {
  answer,
  body,
  DEAL,
  documentWith,
  draftOf,
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

test('two paths that fit contacts are a question, and the better one is assumed', () => {
  const paths = { ...plainPaths('/people', PERSON), ...plainPaths('/contacts', PERSON), ...plainPaths('/deals', DEAL) }
  const draft = draftOf(documentWith(paths))
  expect(draft.open).toMatchObject([
    {
      at: 'objects.contacts',
      text: 'the document also has /contacts: is /people the path of contacts?',
      question: { id: 'contacts', choices: ['/people', '/contacts', 'none'] },
    },
  ])
  expect(draft.text).toContain(
    '  # decide: the document also has /contacts: is /people the path of contacts?\n  contacts:',
  )
  const answered = draftOf(documentWith(paths), { contacts: '/contacts' })
  expect(answered.points).toEqual([])
  expect(answered.written.objects.contacts?.path).toBe('/contacts')
})

test('a name that often is something else is a question', () => {
  const { points } = draftOf(documentWith({ ...plainPaths('/customers', PERSON), ...plainPaths('/deals', DEAL) }))
  expect(points).toEqual(['are contacts at /customers? The name does not say so for sure'])
})

test('a resource that is not there is a question, unless none is the answer', () => {
  const paths = plainPaths('/contacts', PERSON)
  expect(draftOf(documentWith(paths)).points).toEqual([
    'no path was found for deals: --resource deals=/PATH, or deals=none',
  ])
  expect(draftOf(documentWith(paths), { deals: 'none' }).points).toEqual([])
})

test('a path that the document lacks is refused with those that fit', () => {
  expect(() => draftOf(documentWith(plainPaths('/people', PERSON)), { contacts: '/persons' })).toThrow(
    expect.objectContaining({
      code: 'usage',
      message: 'the document has no path "/persons" for contacts',
      details: expect.objectContaining({ hint: 'candidates: /people' }),
    }),
  )
})

function withPut(description: string, answers: Record<string, string> = {}) {
  const item = { get: get(PERSON), put: { ...post(PERSON, PERSON), description } }
  const list = get(listOf(PERSON))
  const document = documentWith({ '/contacts': { get: list, post: post(PERSON, PERSON) }, '/contacts/{id}': item })
  return draftOf(document, { deals: 'none', ...answers })
}

test('what a PUT takes is left open: the whole record is assumed, unless its description says that it is partial', () => {
  const whole = withPut('Replaces a person.')
  expect(whole.written.objects.contacts?.verbs.update).toEqual({ method: 'PUT', sends: 'whole' })
  expect(whole.points).toEqual([expect.stringContaining('assumed: sends: whole')])
  expect(whole.text).toMatch(/# decide: .*assumed: sends: whole\n\s+update:/)

  const partial = withPut('Updates a person; fields that are not provided are not changed.')
  expect(partial.points).toEqual([expect.stringMatching(/partial; assumed: sends: changes/)])
  expect(partial.written.objects.contacts?.verbs.update).toEqual({ method: 'PUT', sends: 'changes' })

  for (const sends of ['whole', 'changes']) {
    const answered = withPut('A partial update.', { 'contacts.update': sends })
    expect(answered.points).toEqual([])
    expect(answered.written.objects.contacts?.verbs.update).toEqual({
      method: 'PUT',
      sends,
    })
  }

  const named = withPut('Clears what is left out; pass partial=true to keep it.')
  expect(named.written.objects.contacts?.verbs.update).toMatchObject({ query: { partial: true } })
})

test('the body of a PUT may state that it is partial, and an answer that is not described is not expected', () => {
  const description = 'Members that are not included in the request will remain unchanged.'
  const put = {
    requestBody: { ...(body(PERSON).requestBody as JsonObject), description },
    responses: { 200: { description: 'ok' } },
  }
  const item = { get: get(PERSON), put }
  const list = { get: get(listOf(PERSON)), post: post(PERSON, PERSON) }
  const { written, points } = draftOf(documentWith({ '/contacts': list, '/contacts/{id}': item }), { deals: 'none' })
  expect(points).toEqual([expect.stringContaining('assumed: sends: changes')])
  expect(written.objects.contacts?.verbs.update).toEqual({ method: 'PUT', sends: 'changes', gives: 'nothing' })
})

test('a field is found under its name with the record before it', () => {
  const record = object({ id: INTEGER, opportunity_title: TEXT, dealValue: { type: 'number' } })
  const { written } = draftOf(documentWith(plainPaths('/opportunities', record)), { contacts: 'none' })
  expect(written.objects.deals?.fields).toMatchObject({ name: 'opportunity_title', amount: 'dealValue' })
})

function withScheme(scheme: JsonObject, answers: Record<string, string> = {}) {
  const components = { securitySchemes: { it: scheme } }
  return draftOf(documentWith(plainPaths('/contacts', PERSON), { components }), { deals: 'none', ...answers })
}

test.each<[string, JsonObject, JsonObject]>([
  ['a header', { type: 'apiKey', in: 'header', name: 'X-Key' }, { in: 'header', name: 'X-Key', value: '{key}' }],
  ['a parameter', { type: 'apiKey', in: 'query', name: 'token' }, { in: 'query', name: 'token', value: '{key}' }],
  ['OAuth', { type: 'oauth2', flows: {} }, { in: 'bearer' }],
  [
    'Authorization',
    { type: 'apiKey', in: 'header', name: 'Authorization', description: 'Bearer KEY' },
    { in: 'bearer' },
  ],
])('credentials in %s are found', (_, scheme, auth) => {
  const draft = withScheme(scheme)
  expect(draft.points).toEqual([])
  expect(draft.written.auth).toEqual(auth)
  expect(loaded(draft).auth).toBeDefined()
})

test('basic credentials are a question: the key is the user or the password', () => {
  const draft = withScheme({ type: 'http', scheme: 'basic' })
  expect(draft.written).toMatchObject({
    auth: { in: 'basic', user: '{user}', password: '{key}' },
    variables: { user: {} },
  })
  expect(draft.points).toEqual([expect.stringContaining('basic credentials')])
  const answered = withScheme({ type: 'http', scheme: 'basic' }, { auth: 'the key is the user, without a password' })
  expect(answered.written.auth).toEqual({ in: 'basic', user: '{key}', password: '' })
  expect(loaded(answered).auth).toMatchObject({ user: '{key}' })
})

test('members that a create needs and no field gives are left to a person, except constants', () => {
  const needed = object(
    { name: TEXT, email: TEXT, kind: { enum: ['person'] }, region: TEXT },
    { required: ['name', 'kind', 'region'] },
  )
  const paths = { '/contacts': { get: get(listOf(PERSON)), post: post(needed, PERSON) } }
  const { points, written } = draftOf(documentWith(paths), { deals: 'none' })
  expect(written.objects.contacts?.verbs.create).toEqual({ set: { kind: 'person' } })
  expect(points).toEqual([expect.stringContaining('a new record needs region,')])
})

test('the id of an account that a create needs is asked for at login', () => {
  const sent = object({ name: TEXT, email: TEXT, locationId: TEXT }, { required: ['locationId'] })
  const draft = draftOf(documentWith({ '/contacts': { get: get(listOf(PERSON)), post: post(sent, PERSON) } }), {
    deals: 'none',
  })
  expect(draft.written.objects.contacts?.verbs.create).toEqual({ set: { locationId: '{location_id}' } })
  expect(draft.points).toEqual([expect.stringContaining('a new record needs locationId: one value for all')])
  expect(loaded(draft).variables).toHaveProperty('location_id')
})

test('a list whose answer is not described ends with an error where a page may end, and the draft loads', () => {
  const undescribed = { responses: { '200': { description: '' } } }
  const draft = draftOf(
    documentWith({ '/contacts': { get: undescribed, post: { ...body(PERSON), ...undescribed } } }),
    {
      deals: 'none',
    },
  )
  expect(draft.written.objects.contacts?.verbs.create).toEqual({})
  expect(draft.points).toContainEqual(expect.stringContaining('nothing describes the answer: gives is where'))
  expect(loaded(draft).resources.contact?.list?.paging).toMatchObject({ by: 'none', most: 10 })
  expect(draft.text).toContain('crm connectors create --probe URL reads it')
})

test('a list by POST whose paging is not described ends with an error where a page may end', () => {
  const listed = { ...body(object({ filter: TEXT })), ...answer(object({ data: listOf(PERSON) })) }
  const draft = draftOf(
    documentWith({
      '/contacts/search': { post: listed },
      '/contacts/{id}': { get: get(PERSON) },
      '/contacts': { post: post(PERSON, PERSON) },
    }),
    { deals: 'none' },
  )
  expect(draft.written.paging).toEqual({ by: 'none', most: 10 })
  expect(draft.text).toContain('a list of "most" records ends with an error')
  expect(loaded(draft).resources.contact?.list?.paging).toMatchObject({ by: 'none', most: 10 })
})

test('contacts without a list are a point to decide', () => {
  const draft = draftOf(
    documentWith({ '/contacts': { post: post(PERSON, PERSON) }, '/contacts/{id}': { get: get(PERSON) } }),
    {
      deals: 'none',
    },
  )
  expect(draft.points).toEqual([expect.stringContaining('no request that lists contacts')])
  expect(loaded(draft).resources.contact?.list).toBeUndefined()
})

test('records that are taken and shown as the only element of a list are found there', () => {
  const many = object({ data: listOf(PERSON) })
  const sent = object({ data: listOf(object({ name: TEXT, email: TEXT })) })
  const draft = draftOf(
    documentWith({ '/contacts': { get: get(many), post: post(sent, many) }, '/contacts/{id}': { get: get(many) } }),
    {
      deals: 'none',
    },
  )
  expect(draft.written.objects.contacts?.verbs).toMatchObject({
    get: { record: 'data[0]' },
    create: { body: { data: ['{record}'] }, gives: 'data[0]' },
  })
  expect(loaded(draft).resources.contact?.create?.body).toEqual({ data: ['{record}'] })
})

test('JSON under a name of its own is asked for and sent under that name', () => {
  const type = 'application/vnd.api+json'
  const named = (schema: JsonObject): JsonObject => ({ content: { [type]: { schema } } })
  const answered = { responses: { '200': { description: '', ...named(PERSON) } } }
  const draft = draftOf(
    documentWith({
      '/contacts': { get: get(listOf(PERSON)), post: { requestBody: named(PERSON), ...answered } },
      '/contacts/{id}': { get: answered },
    }),
    { deals: 'none' },
  )
  expect(draft.written.headers).toEqual({ Accept: type })
  expect(draft.written.objects.contacts?.verbs.create).toEqual({ headers: { 'Content-Type': type } })
})

test('search of contacts by email needs a field with the email', () => {
  const named = object({ id: TEXT, name: TEXT })
  const paths = plainPaths('/contacts', named, query('email'))
  const draft = draftOf(documentWith(paths), { deals: 'none' })
  expect(draft.written.objects.contacts?.verbs).not.toHaveProperty('find')
  expect(loaded(draft).resources.contact?.find).toEqual({})
})
