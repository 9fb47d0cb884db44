import { expect, test } from 'vitest'
import { serveForTest } from '../serve-for-test.ts'

test('a contact is returned as stored: id first, members as sent, times and version last', async () => {
  const { send } = await serveForTest({ now: () => Date.UTC(2026, 0, 31, 9, 30) })
  const made = await send('POST', '/v1/contacts', '{"name":"Ada", "tags":["a", "b"],"big":12345678901234567890}')
  expect(made.status).toBe(201)
  const time = '2026-01-31T09:30:00.000Z'
  expect(made.text).toBe(
    `{"id":"${made.json.id}","name":"Ada","tags":["a","b"],"big":12345678901234567890,"created_at":"${time}","updated_at":"${time}","version":1}`,
  )
  expect(made.headers.get('location')).toBe(`/v1/contacts/${made.json.id}`)
  expect(made.headers.get('etag')).toBe('"1"')
  expect((await send('GET', '/v1/contacts')).text).toBe(`{"data":[${made.text}],"next_cursor":null,"has_more":false}`)
})

test.each([
  ['{}', '#', 'empty'],
  ['[]', '#', 'wrong_type'],
  ['"x"', '#', 'wrong_type'],
  ['{"name":1}', '#/name', 'wrong_type'],
  ['{"email":["a"]}', '#/email', 'wrong_type'],
  ['{"phone":{}}', '#/phone', 'wrong_type'],
  ['{"company":true}', '#/company', 'wrong_type'],
  ['{"owner_id":7}', '#/owner_id', 'wrong_type'],
  ['{"id":"con_1"}', '#/id', 'read_only'],
  ['{"created_at":null}', '#/created_at', 'read_only'],
  ['{"updated_at":"x"}', '#/updated_at', 'read_only'],
  ['{"version":1}', '#/version', 'read_only'],
  ['{"x":1e400}', '#', 'out_of_range'],
])('creating %s is rejected at %s: %s', async (body, pointer, code) => {
  const { send } = await serveForTest()
  const answer = await send('POST', '/v1/contacts', body)
  expect(answer.status).toBe(422)
  expect(answer.json.errors).toEqual([{ pointer, code, detail: expect.any(String) }])
  expect((await send('GET', '/v1/contacts')).json.data).toEqual([])
})

test('all invalid members are named at once', async () => {
  const { send } = await serveForTest()
  const answer = await send('POST', '/v1/contacts', { name: 1, email: 2, id: 'x' })
  expect((answer.json.errors as { pointer: string }[]).map((fault) => fault.pointer)).toEqual([
    '#/id',
    '#/name',
    '#/email',
  ])
})

test('null is valid for typed members', async () => {
  const { send } = await serveForTest()
  expect((await send('POST', '/v1/contacts', { name: null })).status).toBe(201)
})

test('a record of more than 64 KiB is rejected, created or patched', async () => {
  const { send } = await serveForTest()
  const refused = await send('POST', '/v1/contacts', { name: 'x'.repeat(65_536) })
  expect(refused.status).toBe(422)
  expect(refused.json.errors).toMatchObject([{ code: 'too_large' }])
  const made = await send('POST', '/v1/contacts', { name: 'x'.repeat(40_000) })
  expect(made.status).toBe(201)
  const grown = await send('PATCH', `/v1/contacts/${made.json.id}`, { note: 'y'.repeat(40_000) })
  expect(grown.json.errors).toMatchObject([{ code: 'too_large' }])
})

test('a merge patch of either type changes, adds and removes, and increments the version', async () => {
  const { send } = await serveForTest()
  const { json } = await send('POST', '/v1/contacts', {
    name: 'Ada',
    email: 'a@example.com',
    address: { city: 'London' },
  })
  const patched = await send('PATCH', `/v1/contacts/${json.id}`, { email: null, address: { zip: 'W1' }, tag: 'x' })
  expect(patched.status).toBe(200)
  expect(patched.headers.get('etag')).toBe('"2"')
  expect(patched.json).toEqual({
    id: json.id,
    name: 'Ada',
    address: { city: 'London', zip: 'W1' },
    tag: 'x',
    created_at: json.created_at,
    updated_at: expect.any(String),
    version: 2,
  })
  const again = await send(
    'PATCH',
    `/v1/contacts/${json.id}`,
    { tag: 'y' },
    { 'content-type': 'application/merge-patch+json' },
  )
  expect(again.json).toMatchObject({ tag: 'y', version: 3 })
})

test('a patch without changes returns the unchanged record', async () => {
  const { send } = await serveForTest()
  const made = await send('POST', '/v1/contacts', { name: 'Ada', address: { city: 'London' } })
  for (const patch of [{}, { name: 'Ada' }, { address: {} }, { nothing: null }, made.json]) {
    const answer = await send('PATCH', `/v1/contacts/${made.json.id}`, patch)
    expect(answer.status).toBe(200)
    expect(answer.text).toBe(made.text)
    expect(answer.headers.get('etag')).toBe('"1"')
  }
})

test('a patch may not change read-only members, nor remove all others', async () => {
  const { send } = await serveForTest()
  const { json } = await send('POST', '/v1/contacts', { name: 'Ada' })
  const path = `/v1/contacts/${json.id}`
  expect((await send('PATCH', path, { version: 7, id: null })).json).toMatchObject({
    status: 422,
    errors: [
      { pointer: '#/id', code: 'read_only' },
      { pointer: '#/version', code: 'read_only' },
    ],
  })
  expect((await send('PATCH', path, { name: null })).json).toMatchObject({ status: 422, errors: [{ code: 'empty' }] })
  expect((await send('PATCH', path, { name: 5 })).json).toMatchObject({ status: 422, errors: [{ code: 'wrong_type' }] })
})

test('a patch must be an object of a known type', async () => {
  const { send } = await serveForTest()
  const { json } = await send('POST', '/v1/contacts', { name: 'Ada' })
  const path = `/v1/contacts/${json.id}`
  expect((await send('PATCH', path, '[]')).status).toBe(422)
  expect((await send('PATCH', path)).status).toBe(400)
  for (const type of ['application/json-patch+json', 'nonsense']) {
    const refused = await send('PATCH', path, '{}', { 'content-type': type })
    expect(refused.status).toBe(415)
    expect(refused.headers.get('accept-patch')).toBe('application/merge-patch+json, application/json')
  }
})

test.each([
  ['"1"', 200],
  ['1', 200],
  ['"7", "1"', 200],
  ['*', 200],
  ['"2"', 412],
  ['W/"1"', 412],
  ['""', 412],
  ['one', 400],
  ['"1', 400],
  ['"1" "2"', 400],
])('If-Match: %s on version 1 answers %i', async (tag, status) => {
  const { send } = await serveForTest()
  const { json } = await send('POST', '/v1/contacts', { name: 'Ada' })
  const answer = await send('PATCH', `/v1/contacts/${json.id}`, { name: 'Bob' }, { 'if-match': tag })
  expect(answer.status).toBe(status)
  if (status === 412) expect(answer.headers.get('etag')).toBe('"1"')
})

test('an outdated version is answered with the current one', async () => {
  const { send } = await serveForTest()
  const { json } = await send('POST', '/v1/contacts', { name: 'Ada' })
  const answer = await send('PATCH', `/v1/contacts/${json.id}`, { name: 'Bob' }, { 'if-match': '"7", W/"1"' })
  expect(answer.json.detail).toBe('the record is at version 1, expected 7 or W/1')
})

test('a contact is deleted once, and only in the expected version', async () => {
  const { send } = await serveForTest()
  const { json } = await send('POST', '/v1/contacts', { name: 'Ada' })
  const path = `/v1/contacts/${json.id}`
  expect((await send('DELETE', path, undefined, { 'if-match': '"2"' })).status).toBe(412)
  const deleted = await send('DELETE', path, undefined, { 'if-match': '"1"' })
  expect(deleted.status).toBe(204)
  expect(deleted.text).toBe('')
  expect(deleted.headers.has('content-type')).toBe(false)
  expect((await send('DELETE', path)).json).toMatchObject({ status: 404, code: 'not_found' })
  expect((await send('PATCH', path, { name: 'x' })).status).toBe(404)
})

test.each(['x', 'deal_0s9nekas400', 'con_', '%00', '%F0%9F%92%A9', '..%2F..', "'%20OR%201=1", '', 'a'.repeat(300)])(
  'there is no contact %j',
  async (id) => {
    const { send } = await serveForTest()
    expect((await send('PATCH', `/v1/contacts/${id}`, { name: 'x' })).json).toMatchObject({
      status: 404,
      code: 'not_found',
    })
  },
)

async function withContacts() {
  const service = await serveForTest()
  for (const contact of [
    { name: 'Ada', email: 'Ada@X.test', company: 'Engines, Ltd', owner_id: 'u_1' },
    { name: 'Bea', email: 'bea@x.test', phone: '+1 (2)', company: 'Engines', owner_id: 'u_2' },
    { name: 'Lovelace, Ada', email: 'ada@x.test ', owner_id: 'U_1' },
    { nickname: 'ada@x.test' },
  ])
    await service.send('POST', '/v1/contacts', contact)
  const names = async (query: string) => {
    const { json } = await service.send('GET', `/v1/contacts?${query}`)
    return (json.data as { name?: string }[]).map(({ name }) => name)
  }
  return { ...service, names }
}

test.each([
  ['email=ada@x.test', ['Lovelace, Ada', 'Ada']],
  ['email=ADA@x.test', ['Lovelace, Ada', 'Ada']],
  ['email=ada@x', []],
  ['email=%25', []],
  ['email=bea@x.test,ada@x.test', ['Lovelace, Ada', 'Bea', 'Ada']],
  ['name=ada', ['Ada']],
  ['name=Lovelace,%20Ada', ['Lovelace, Ada', 'Ada']],
  ['phone=%2B1%20(2)', ['Bea']],
  ['company=engines', ['Bea']],
  ['company=engines,%20ltd', ['Bea', 'Ada']],
  ['owner_id=u_1', ['Ada']],
  ['owner_id=U_1', ['Lovelace, Ada']],
  ['owner_id=u_1,u_2&company=Engines', ['Bea']],
  ['name=Ada&created_until=2020-01-01T00:00:00Z', []],
  ['created_since=2020-01-01T00:00:00Z&owner_id=u_2', ['Bea']],
  ['created_since=2099-01-01T00:00:00Z', []],
])('contacts with %s are %j', async (query, expected) => {
  const { names } = await withContacts()
  expect(await names(query)).toEqual(expected)
})

test('a changed member is found by its new value alone, and a deleted contact by none', async () => {
  const { send, names } = await withContacts()
  const { json } = await send('GET', '/v1/contacts?email=bea@x.test')
  const [{ id }] = json.data as [{ id: string }]
  await send('PATCH', `/v1/contacts/${id}`, { tier: 1 })
  expect(await names('email=bea@x.test')).toEqual(['Bea'])
  await send('PATCH', `/v1/contacts/${id}`, { email: 'b@x.test', phone: null })
  expect([await names('email=bea@x.test'), await names('email=b@x.test')]).toEqual([[], ['Bea']])
  expect(await names('phone=%2B1%20(2)')).toEqual([])
  await send('DELETE', `/v1/contacts/${id}`)
  expect(await names('email=b@x.test')).toEqual([])
})

test('a filtered list has pages, whose cursors are bound to the filter and shared with GraphQL', async () => {
  const { send } = await withContacts()
  const first = await send('GET', '/v1/contacts?email=ada@x.test&limit=1')
  expect(first.json).toMatchObject({ data: [{ name: 'Lovelace, Ada' }], has_more: true })
  const next = /^<(.*)>; rel="next"$/.exec(first.headers.get('link') ?? '')?.[1]
  expect((await send('GET', `${next}`)).json).toMatchObject({ data: [{ name: 'Ada' }], has_more: false })
  const other = await send('GET', `/v1/contacts?email=x@x.test&cursor=${first.json.next_cursor}`)
  expect(other.json).toMatchObject({ status: 400, errors: [{ parameter: 'cursor', code: 'invalid_cursor' }] })
  const query = `query ($after: String, $filter: ContactFilter) {
    contacts(after: $after, filter: $filter) { nodes { name } }
  }`
  const ask = async (variables: object) => (await send('POST', '/v1/graphql', { query, variables })).json.data
  const filter = { email: ['ada@x.test'] }
  expect(await ask({ filter, after: first.json.next_cursor })).toEqual({ contacts: { nodes: [{ name: 'Ada' }] } })
  expect(
    await ask({ filter: { name: ['LOVELACE, ADA'], ownerId: ['U_1'], createdSince: '2020-01-01T00:00:00Z' } }),
  ).toEqual({ contacts: { nodes: [{ name: 'Lovelace, Ada' }] } })
  expect(await ask({ filter: { email: [], createdUntil: '2020-01-01T00:00:00Z' } })).toEqual({
    contacts: { nodes: [] },
  })
})

test.each([
  ['email=', 'email', 'empty'],
  ['email=a,,b', 'email', 'empty'],
  [`name=${Array.from({ length: 101 }, (_, index) => index).join(',')}`, 'name', 'too_many'],
  ['created_since=yesterday', 'created_since', 'invalid_time'],
  ['nickname=a', 'nickname', 'unknown_parameter'],
  ['email=a&email=b', 'email', 'repeated_parameter'],
])('listing contacts with %s is rejected: %s %s', async (query, parameter, code) => {
  const { send } = await serveForTest()
  const { json } = await send('GET', `/v1/contacts?${query}`)
  expect(json).toMatchObject({ status: 400, code: 'invalid_parameter', errors: [{ parameter, code }] })
})
