import { expect, test } from 'vitest'
import { sendJson } from '../answering-server.ts'
import { failureOf, NO_KEY } from '../client-fixture.ts'
import { asked, connectedTo } from './connected.ts'

const CONTACTS = `objects:
  contacts:
    path: /people
    record: { id: { at: id, type: integer } }
    verbs:
      list: { items: 'data[]', paging: none }
      get: { record: data }
      create: { body: { person: '{record}' }, gives: data }
      update: { method: PUT, sends: changes, body: { person: '{record}' }, gives: data }
      delete: {}
    fields: { name: full_name, email: { at: 'emails[primary=true].value', fold: case } }`

test('a record is sent in its wrapper under the server’s names, and read back in crm’s', async () => {
  const { api, seen } = await connectedTo(CONTACTS, (response) =>
    sendJson(response, 201, { data: { id: 5, full_name: 'Ada', emails: [{ value: 'a@x.test', primary: true }] } }),
  )
  const record = await api.contacts.create({ name: 'Ada', email: 'a@x.test' }, NO_KEY)
  expect(record).toMatchObject({ id: '5', name: 'Ada', email: 'a@x.test' })
  expect(JSON.parse(seen[0]?.body ?? '')).toEqual({
    person: { full_name: 'Ada', emails: [{ value: 'a@x.test', primary: true }] },
  })
})

test('a refusal in a 2xx is a refusal, with its text and its field', async () => {
  const lines = `error: { message: why, fields: { items: 'faults[]', name: on, message: text } }
${CONTACTS}`
  const { api } = await connectedTo(lines, (response) =>
    sendJson(response, 200, { ok: false, why: 'not valid', faults: [{ on: 'full_name', text: 'too short' }] }),
  )
  const error = await failureOf(api.contacts.create({ name: 'A' }, NO_KEY))
  expect(error.code).toBe('rejected')
  expect(error.message).toContain('not valid: too short (200)')
})

test('kinds of an error decide what it means, whatever its status', async () => {
  const lines = `error: { message: why, kinds: [{ when: { at: code, is: slow_down }, means: limit }] }\n${CONTACTS}`
  const { api, seen, waits } = await connectedTo(lines, (response, _, nth) =>
    nth === 1
      ? sendJson(response, 403, { code: 'slow_down', why: 'too fast' })
      : sendJson(response, 200, { data: { id: 5, full_name: 'Ada' } }),
  )
  await expect(api.contacts.get('5')).resolves.toMatchObject({ id: '5' })
  expect(seen).toHaveLength(2)
  expect(waits).toHaveLength(1)
})

test('a record that the server marks as deleted does not exist', async () => {
  const lines = CONTACTS.replace('record: { id', 'record: { deleted: gone, id')
  const { api } = await connectedTo(lines, (response) => sendJson(response, 200, { data: { id: 5, gone: true } }))
  await expect(api.contacts.get('5')).resolves.toBeUndefined()
})

test('an answer that shows another record, or none, is an error', async () => {
  const other = await connectedTo(CONTACTS, (response) => sendJson(response, 200, { data: { id: 6 } }))
  expect((await failureOf(other.api.contacts.get('5'))).message).toContain('the answer shows 6')
  const none = await connectedTo(CONTACTS, (response) => sendJson(response, 200, { person: { id: 5 } }))
  expect((await failureOf(none.api.contacts.get('5'))).message).toContain('shows no record')
})

const WHOLE = CONTACTS.replace('sends: changes', 'sends: whole')

test('a record that is sent whole leaves out what the server does not take back, unless the change names it', async () => {
  const lines = WHOLE.replace('sends: whole', 'sends: whole, drop: [source, score]')
  const { api, seen } = await connectedTo(lines, (response) =>
    sendJson(response, 200, { data: { id: 5, full_name: 'Ada', city: 'Bonn', source: 'web', score: 3 } }),
  )
  await api.contacts.update('5', { name: 'Ada' }, { ...NO_KEY, ifMatch: undefined })
  await api.contacts.update('5', { source: 'web' }, { ...NO_KEY, ifMatch: undefined })
  const sent = seen.filter(({ method }) => method === 'PUT').map(({ body }) => JSON.parse(body).person)
  expect(sent).toEqual([
    { full_name: 'Ada', city: 'Bonn' },
    { full_name: 'Ada', city: 'Bonn', source: 'web' },
  ])
})

test.each([
  // The drafted connector of a record with one nested object: PUT {"profile":{"phone":"555"}} deleted all the rest.
  [
    'read_only: [profile, score, tags]',
    "{ method: PUT, body: { profile: '{record}' }, sends: whole }",
    { id: 5, profile: { full_name: 'Ada' }, score: 5, tags: ['a'] },
    'profile, score, tags',
  ],
  ['read_only: [score]', '{ method: PUT, sends: whole }', { id: 5, full_name: 'Ada', score: 0 }, 'score'],
  // Beside the object that the body has.
  [
    'record: { inside: person }',
    "{ method: PUT, body: { person: '{record}', type: p }, sends: whole, drop: [links] }",
    { id: 5, type: 'p', links: {}, person: { full_name: 'Ada' }, company: { id: 7 } },
    'company',
  ],
])('a whole record that would lose a member is refused before it is sent', async (more, update, shown, lost) => {
  const described = CONTACTS.replace(/update: .*/, `update: ${update}`).replace(/record: \{ id: .*/, more)
  const { api, seen } = await connectedTo(described, (response) => sendJson(response, 200, { data: shown }))
  const error = await failureOf(api.contacts.update('5', { name: 'Bo' }, { ...NO_KEY, ifMatch: undefined }))
  expect([error.exit, error.message]).toEqual([
    2,
    expect.stringContaining(`would leave out ${lost}, which the record shows`),
  ])
  expect(seen.map(({ method }) => method)).toEqual(['GET'])
})

const PROFILE = { email: 'a@x.test', phone: '555', address: { city: 'Bonn', zip: '53111' } }

/** Whose PATCH replaces each member that it names, objects among them. */
async function patched(fields: string, change: Record<string, string | null>, sends = '') {
  const described = CONTACTS.replace(/update: .*/, `update: { body: '{record}', gives: data${sends} }`).replace(
    /fields: .*/,
    `fields: { ${fields} }`,
  )
  let record: Record<string, unknown> = { id: 5, profile: PROFILE }
  const { api, seen } = await connectedTo(described, (response, { method, body }) => {
    if (method === 'PATCH') record = { ...record, ...JSON.parse(body) }
    sendJson(response, 200, { data: record })
  })
  await api.contacts.update('5', change, { ...NO_KEY, ifMatch: undefined })
  return { record, methods: seen.map(({ method }) => method) }
}

test.each<[string, string, Record<string, string | null>, object]>([
  ['a value', 'email: profile.email', { email: 'b@x.test' }, { ...PROFILE, email: 'b@x.test' }],
  ['an inner value', 'company: profile.address.city', { company: 'Ulm' }, { address: { city: 'Ulm', zip: '53111' } }],
  ['a cleared value', 'email: { at: profile.email }', { email: null }, { ...PROFILE, email: null }],
  [
    'what is set beside it',
    "email: { at: profile.email, set: { 'profile.kind': work } }",
    { email: 'b@x.test' },
    { kind: 'work', phone: '555' },
  ],
  [
    'two values',
    'email: profile.email, phone: profile.phone',
    { email: 'b@x.test', phone: '6' },
    { ...PROFILE, email: 'b@x.test', phone: '6' },
  ],
])('an update of %s in an object keeps the other members of the object', async (_, fields, change, profile) => {
  const { record, methods } = await patched(fields, change)
  expect(record.profile).toMatchObject({ address: { zip: '53111' }, ...profile })
  expect(methods).toEqual(['GET', 'PATCH'])
})

test('a server that merges objects is sent the change alone', async () => {
  const { record, methods } = await patched('email: profile.email', { email: 'b@x.test' }, ', sends: merge')
  expect(record.profile).toEqual({ email: 'b@x.test' })
  expect(methods).toEqual(['PATCH'])
})

const SILENT = CONTACTS.replace(
  "body: { person: '{record}' }, gives: data }\n      delete",
  "body: { person: '{record}' }, gives: nothing }\n      delete",
)

test.each([
  [200, { person: { first: 'Ada' } }],
  [200, { ok: true }],
  [200, undefined],
  [204, undefined],
])('a change of which the answer shows nothing is done with %i %j', async (status, json) => {
  const { api } = await connectedTo(SILENT, (response, { method }) => {
    if (method !== 'PUT') sendJson(response, 200, { data: { id: 5, full_name: 'Ada' } })
    else if (json) sendJson(response, status, json)
    else response.writeHead(status).end()
  })
  const changed = await api.contacts.update('5', { name: 'Ada' }, { ...NO_KEY, ifMatch: undefined })
  expect(changed).toMatchObject({ name: 'Ada' })
})

test.each([
  [200, { success: false, error: 'no permission' }, 'rejected'],
  [202, { person: {} }, 'in_doubt'],
])('a change of which the answer shows nothing is not done with %i %j', async (status, json, code) => {
  const { api } = await connectedTo(SILENT, (response) => sendJson(response, status, json))
  const change = api.contacts.update('5', { name: 'Ada' }, { ...NO_KEY, ifMatch: undefined })
  expect((await failureOf(change)).code).toBe(code)
})

test('a create whose answer names the id otherwise than a record does has that id', async () => {
  const lines = BY_ID.replace('id: { at: id, type: integer }', 'id: Id').replace('gives: data.id', 'gives: id')
  const { api } = await connectedTo(lines, (response, { method }) =>
    method === 'POST'
      ? sendJson(response, 201, { id: '7', success: true, errors: [] })
      : sendJson(response, 200, { data: { Id: '7', full_name: 'Ada', made_at: NOW, changed_at: NOW } }),
  )
  expect(await api.contacts.create({ name: 'Ada' }, NO_KEY)).toMatchObject({ id: '7', name: 'Ada' })
})

test('a single record that is answered with 204 is not there', async () => {
  const { api } = await connectedTo(CONTACTS, (response) => response.writeHead(204).end())
  await expect(api.contacts.get('5')).resolves.toBeUndefined()
})

test.each([
  [{ success: false, error: 'no permission' }, 'rejected', 'cannot get contact 5: no permission (200)'],
  [{ data: { id: 6, full_name: 'Bob' } }, 'bad_answer', 'the answer shows 6'],
  [{ person: {} }, 'bad_answer', 'the answer shows no record'],
])('an update that reads the record first sends nothing behind %j', async (json, code, message) => {
  const { api, seen } = await connectedTo(WHOLE, (response) => sendJson(response, 200, json))
  const error = await failureOf(api.contacts.update('5', { name: 'Ada' }, { ...NO_KEY, ifMatch: undefined }))
  expect(error).toMatchObject({ code, exit: 7 })
  expect(error.message).toContain(message)
  expect(seen.map(({ method }) => method)).toEqual(['GET'])
  if (code === 'rejected') expect((await failureOf(api.contacts.get('5'))).message).toBe(error.message)
})

test('a record whose id is a whole number has no other id', async () => {
  const { api, seen } = await connectedTo(CONTACTS, (response) => sendJson(response, 400, { message: 'bad id' }))
  const options = { ...NO_KEY, ifMatch: undefined }
  for (const id of ['nope', '007', '1.5']) {
    expect(await api.contacts.get(id)).toBeUndefined()
    const writes = [api.contacts.update(id, { name: 'Ada' }, options), api.contacts.delete(id, options)]
    for (const write of writes) {
      const error = await failureOf(write)
      expect(error).toMatchObject({ code: 'not_found', exit: 6 })
      expect(error.message).toBe(`there is no contact ${JSON.stringify(id)}`)
    }
  }
  expect(seen).toEqual([])
})

test('a create whose answer has no record is in doubt, and is not sent again', async () => {
  const { api, seen } = await connectedTo(`idempotency: none\n${CONTACTS}`, (response, { method }) =>
    sendJson(response, 200, method === 'GET' ? { data: [] } : { queued: true }),
  )
  expect((await failureOf(api.contacts.create({ name: 'Ada' }, NO_KEY))).code).toBe('in_doubt')
  expect(seen.filter(({ method }) => method === 'POST')).toHaveLength(1)
})

const BY_ID = `idempotency: none\n${CONTACTS.replace('gives: data }\n      update', 'gives: data.id }\n      update').replace('record: {', 'record: { created_at: made_at, updated_at: changed_at,')}`

/** A create is answered with an id; what is shown there is up to the test. */
async function createdAt(id: number, [status, json]: readonly [number, object]) {
  return connectedTo(BY_ID, (response, { method, path }) => {
    if (method === 'POST') sendJson(response, 201, { data: { id } })
    else if (path === `/people/${id}`) sendJson(response, status, json)
    else sendJson(response, 200, { data: [] })
  })
}

test.each([
  [403, { message: 'no permission' }, 'no permission (403)'],
  [404, { message: 'unknown' }, 'the server does not show it yet'],
  [200, { person: { id: 5 } }, 'the answer shows no record'],
])('a record that was created and answers %i %j is created, and shown by its id', async (status, json, reason) => {
  const { api, unread } = await createdAt(5, [status, json])
  expect(await api.contacts.create({ name: 'Ada' }, NO_KEY)).toEqual({ id: '5' })
  expect(unread).toEqual([expect.stringMatching(/^contact 5 was created: /)])
  expect(unread[0]).toContain(reason)
})

test('a record that was changed and cannot be read is changed', async () => {
  const lines = BY_ID.replace('gives: data }\n      delete', 'gives: data.id }\n      delete')
  const { api, unread } = await connectedTo(lines, (response, { method }) =>
    method === 'PUT' ? sendJson(response, 200, { data: { id: 5 } }) : sendJson(response, 403, { message: 'hidden' }),
  )
  expect(await api.contacts.update('5', { name: 'Ada' }, { ...NO_KEY, ifMatch: undefined })).toEqual({ id: '5' })
  expect(unread).toEqual(['contact 5 was changed: cannot get contact 5: hidden (403)'])
})

const NOW = new Date().toISOString()

test.each([
  [{ id: 6, full_name: 'Ada' }, 'but shows the record 6 there'],
  [{ id: 5, full_name: 'Bob' }, 'but that record has none of the values that were sent'],
  [{ id: 5, full_name: 'Ada', made_at: '2024-05-01T10:00:00Z' }, 'but that record was there before'],
  [{ id: 5, full_name: 'Ada', made_at: '2026-01-01T10:00:00Z', changed_at: NOW }, 'but that record was there before'],
])('a create that is answered with the id of another record, %j, is in doubt', async (data, why) => {
  const { api, seen } = await createdAt(5, [200, { data }])
  const error = await failureOf(api.contacts.create({ name: 'Ada' }, NO_KEY))
  expect(error).toMatchObject({ code: 'in_doubt', exit: 3 })
  expect(error.message).toContain(`cannot create the contact: the server answered with the id 5, ${why}`)
  expect(error.details.hint).toContain(`check before sending it again: crm contacts list --where '.name == "Ada"'`)
  expect(seen.filter(({ method }) => method === 'POST')).toHaveLength(1)
})

test('a create that is answered with a record of long ago is in doubt', async () => {
  const { api } = await connectedTo(BY_ID.replace('gives: data.id', 'gives: data'), (response, { method }) => {
    const data = { id: 5, full_name: 'Ada', made_at: '2024-05-01T10:00:00Z' }
    sendJson(response, 200, method === 'GET' ? { data: [data] } : { data })
  })
  const error = await failureOf(api.contacts.create({ name: 'Ada' }, NO_KEY))
  expect(error.code).toBe('in_doubt')
  expect(error.message).toContain('the server answered with the id 5, but that record was there before')
})

test('what the server lacks is said with the connector’s name', async () => {
  const { api, seen } = await connectedTo(CONTACTS, (response) => sendJson(response, 200, {}))
  const error = await failureOf(api.deals.create({ name: 'X' }, NO_KEY))
  expect(error).toMatchObject({ code: 'not_supported', exit: 7 })
  expect(error.message).toContain('made (connector) has no deals')
  expect(seen).toEqual([])
})

test.each([
  ['a header', `auth: { in: header, name: x-token, value: '{key}' }`, { 'x-token': 'k3y_of_the_test' }],
  ['basic', `auth: { in: basic, user: '{key}', password: '' }`, { authorization: `Basic ${btoa('k3y_of_the_test:')}` }],
])('the key is sent as %s', async (_, auth, headers) => {
  const { api, seen } = await connectedTo(
    `${auth}\n${CONTACTS}`,
    (response) => sendJson(response, 200, { data: { id: 5 } }),
    'k3y_of_the_test',
  )
  await api.contacts.get('5')
  expect(seen[0]?.headers).toMatchObject(headers)
})

test('a key in the query is in no message and no debug line', async () => {
  const { api, seen, debugLines } = await connectedTo(
    `auth: { in: query, name: token, value: '{key}' }\n${CONTACTS}`,
    (response) => sendJson(response, 400, { message: 'no' }),
    'k3y_of_the_test_in_query',
  )
  const error = await failureOf(api.contacts.get('5'))
  expect(asked(seen[0] as (typeof seen)[number], 'token')).toBe('k3y_of_the_test_in_query')
  expect(JSON.stringify([error.message, error.details, debugLines])).not.toContain('k3y_of_the')
})

test('a change inside an object keeps its other members, of a server that replaces it whole', async () => {
  const address = { street: 'A', city: 'Bonn', geo: { lat: 1, lon: 2 } }
  const { api, seen } = await connectedTo(CONTACTS, (response) =>
    sendJson(response, 200, { data: { id: 5, full_name: 'Ada', address } }),
  )
  await api.contacts.update('5', { address: { city: 'Köln', geo: { lat: null } } }, { ...NO_KEY, ifMatch: undefined })
  expect(seen.map(({ method }) => method)).toEqual(['GET', 'PUT'])
  expect(JSON.parse(seen[1]?.body ?? '')).toEqual({
    person: { address: { street: 'A', city: 'Köln', geo: { lat: null, lon: 2 } } },
  })
})
