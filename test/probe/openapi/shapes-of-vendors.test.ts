import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../../src/core/json.ts'
import {
  body,
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

const READ_ONLY = { ...TEXT, readOnly: true }

function contactsOf(paths: JsonObject, answers: Record<string, string> = {}) {
  const draft = draftOf(documentWith(paths), { deals: 'none', ...answers })
  expect(loaded(draft).name).toBe('meadow')
  const { contacts } = draft.written.objects
  return { ...draft, contacts: { ...contacts, ...contacts?.verbs, ...(contacts?.record as JsonObject) } as JsonObject }
}

describe('the name of a contact', () => {
  const nameOf = (members: JsonObject, more: JsonObject = {}, answers: Record<string, string> = {}) => {
    const record = object({ id: TEXT, first_name: TEXT, last_name: TEXT, email: TEXT, ...members }, more)
    const { contacts, points } = contactsOf(plainPaths('/people', record), answers)
    const { name } = contacts.fields as JsonObject
    return { name, points: points.filter((point) => point.includes('first_name and last_name')), contacts }
  }
  const PARTS = { join: ['first_name', 'last_name'], clear: '' }

  test.each([
    ['a whole name that is read-only', { name: READ_ONLY }, {}],
    ['the name of an organization', { name: { ...TEXT, description: 'Name of the organisation' } }, {}],
    ['parts of which one is required', { name: TEXT }, { required: ['last_name'] }],
  ])('is first and last name beside %s', (_, members, more) => {
    expect(nameOf(members, more)).toMatchObject({ name: PARTS, points: [] })
  })

  test('is the whole name where that is required', () => {
    expect(nameOf({ name: TEXT }, { required: ['name'] })).toMatchObject({
      name: { at: 'name', required: true },
      points: [],
    })
  })

  test('is a decision where all three can be written, and the whole name is not written with its parts', () => {
    const open = nameOf({ name: TEXT })
    expect(open).toMatchObject({ name: PARTS, contacts: { read_only: ['name'] } })
    expect(open.points).toHaveLength(1)
    expect(nameOf({ name: TEXT }, {}, { 'contacts.name': 'name' })).toMatchObject({ name: 'name', points: [] })
  })
})

test('a contact without a name or an address is a decision', () => {
  const { points } = contactsOf(plainPaths('/people', object({ id: TEXT, name: TEXT, city: TEXT })))
  expect(points).toEqual([
    'no member of a contact was found for email: --field contacts.email=PATH, or contacts.email=none',
  ])
})

test('keys in parentheses are the paths of single records, and a link to the next page needs no format', () => {
  const record = object({ contactid: READ_ONLY, fullname: READ_ONLY, emailaddress1: TEXT, telephone1: TEXT })
  const list = object({ value: listOf(record), '@odata.nextLink': TEXT })
  const top = query('$top', { ...INTEGER, maximum: 5000 })
  const { contacts, written } = contactsOf({
    '/contacts': { get: get(list, top), post: post(record, record) },
    '/contacts({contactid})': { get: get(record), patch: { ...body(record), ...GONE }, delete: GONE },
  })
  expect(contacts).toMatchObject({
    path: '/contacts',
    id: 'contactid',
    get: { path: '{object}({id})' },
    delete: { path: '{object}({id})' },
    fields: { email: { at: 'emailaddress1', fold: 'case' }, phone: 'telephone1' },
  })
  expect(written.paging).toEqual({ by: 'next_url', next: '@odata\\.nextLink', absent: true })
})

test('the key of an account in parentheses is asked for at login', () => {
  const { written } = contactsOf({
    '/companies({company_id})/contacts': { get: get(listOf(PERSON)), post: post(PERSON, PERSON) },
    "/companies({company_id})/contacts('{contact_id}')": { get: get(PERSON) },
  })
  expect(written.objects.contacts).toMatchObject({
    path: '/companies({company_id})/contacts',
    verbs: { get: { path: "{object}('{id}')" } },
  })
  expect(written.variables).toHaveProperty('company_id')
})

describe('a list that needs the names of its members', () => {
  const paths = (method: 'patch' | 'put'): JsonObject => {
    const fields = query('fields', TEXT, { required: true, description: 'Comma separated names' })
    const one = { get: get(PERSON), [method]: post(PERSON, PERSON), delete: GONE }
    const list = get(object({ data: listOf(PERSON) }), fields)
    return { '/people': { get: list, post: post(PERSON, PERSON) }, '/people/{id}': one }
  }

  test('is asked for those that commands show', () => {
    const { contacts, points, written } = contactsOf(paths('patch'))
    expect(contacts).toMatchObject({ select: { param: 'fields', as: 'comma' } })
    expect({ points, variables: written.variables }).toEqual({ points: [], variables: undefined })
  })

  test('is asked for all where an update sends the whole record, named at login', () => {
    const { contacts, points } = contactsOf(paths('put'))
    expect(contacts).toMatchObject({ list: { query: { fields: '{fields}' } }, update: { sends: 'whole' } })
    expect(contacts).not.toHaveProperty('select')
    expect(points.join('\n')).toContain('each request needs fields, and an update sends the whole record')
  })
})

test('records that were used last are no list', () => {
  const recent = object({ info: object({ label: TEXT }), recentItems: listOf(PERSON) })
  const { contacts, points } = contactsOf({
    '/contacts': { get: get(recent), post: post(PERSON, PERSON) },
    '/contacts/{id}': { get: get(PERSON), patch: post(PERSON, PERSON) },
  })
  expect(contacts).not.toHaveProperty('list')
  expect(points.join('\n')).toContain('no request that lists contacts')
})

test('a list below a view asks for the view at login, and is a decision', () => {
  const view = { name: 'view_id', in: 'path', required: true, schema: INTEGER, description: 'Id of the view' }
  const { contacts, points, written } = contactsOf({
    '/contacts': { post: post(PERSON, PERSON) },
    '/contacts/view/{view_id}': { get: get(object({ contacts: listOf(PERSON) }), view) },
    '/contacts/{id}': { get: get(PERSON), patch: post(PERSON, PERSON) },
  })
  expect(contacts).toMatchObject({ path: '/contacts', list: { path: '{object}/view/{view_id}', items: 'contacts[]' } })
  expect(written.variables).toEqual({ view_id: { ask: 'Id of the view' } })
  expect(points).toEqual(['is /contacts/view/{view_id} the list, with one {view_id} for all, asked for at login?'])
})

test('an answer with an id, a kind and times has no fields of the record to compare', () => {
  const saved = object({ details: object({ id: TEXT, kind: TEXT, Created_Time: TEXT, Modified_Time: TEXT }) })
  const { contacts } = contactsOf({
    '/people': { get: get(listOf(PERSON)), post: post(PERSON, saved) },
    '/people/{id}': { get: get(PERSON), patch: post(PERSON, saved) },
  })
  expect(contacts).toMatchObject({
    create: { gives: 'details.id' },
    update: { gives: 'details.id' },
  })
})

test('the id of a record is not that of an answer with the id alone', () => {
  const record = object({ Id: READ_ONLY, Name: TEXT, Email: TEXT })
  const saved = object({ id: TEXT, success: { type: 'boolean' } })
  const { contacts } = contactsOf({
    '/people': { post: post(record, saved) },
    '/people/{id}': { get: get(record), patch: { ...body(record), ...GONE } },
  })
  expect(contacts).toMatchObject({ id: 'Id', create: { gives: 'id' }, update: { gives: 'nothing' } })
  expect(contacts).not.toHaveProperty('read_only')
})

test('a second key in the query is asked for at login, and is a decision', () => {
  const securitySchemes = {
    key: { type: 'apiKey', in: 'query', name: 'api_key' },
    app: { type: 'apiKey', in: 'query', name: 'app_key' },
  }
  const more = { components: { securitySchemes }, security: [{ key: [], app: [] }] }
  const draft = draftOf(documentWith(plainPaths('/people', PERSON), more), { deals: 'none' })
  expect(draft.written).toMatchObject({
    auth: { in: 'query', name: 'api_key', value: '{key}' },
    query: { app_key: '{app_key}' },
  })
  expect(draft.points.join('\n')).toContain('a request also carries app_key: is it a secret?')
  expect(loaded(draft).variables).toHaveProperty('app_key')
})

test('a draft from an address without a name is named for its title', () => {
  const servers = [{ url: 'http://127.0.0.1:4010/v1' }]
  const { written } = draftOf(documentWith(plainPaths('/people', PERSON), { servers }), { deals: 'none' })
  expect(written.name).toBe('meadow')
})
