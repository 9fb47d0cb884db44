import { expect, test } from 'vitest'
import { graphqlForTest } from './ask.ts'

const HEADERS = { 'idempotency-key': 'k-1' }
const CREATE = 'mutation ($name: String) { createContact(input: {name: $name}) { contact { id version json } } }'

test('a mutation sent twice with one key takes effect once and gets the same bytes', async () => {
  const { ask } = await graphqlForTest()
  const first = await ask(CREATE, { name: 'Ada' }, HEADERS)
  const again = await ask(CREATE, { name: 'Ada' }, HEADERS)
  expect(again.text).toBe(first.text)
  expect(first.headers.has('idempotent-replayed')).toBe(false)
  expect(again.headers.get('idempotent-replayed')).toBe('true')
  expect((await ask('{ contacts { nodes { id } } }')).data.contacts.nodes).toHaveLength(1)
})

test('the bytes are those of the first answer, also after changes', async () => {
  const { ask } = await graphqlForTest()
  const { data } = await ask('mutation { createDeal(input: {name: "a", stage: "Lead"}) { deal { id } } }')
  const { id } = data.createDeal.deal
  const note =
    'mutation ($id: ID!) { createNote(input: {dealId: $id, body: "x"}) { note { deal { name notes { nodes { id } } } } } }'
  const first = await ask(note, { id }, HEADERS)
  await ask('mutation ($id: ID!) { updateDeal(input: {id: $id, name: "b"}) { deal { id } } }', { id })
  await ask(note, { id })
  expect((await ask(note, { id }, HEADERS)).text).toBe(first.text)
})

test('a key used for other variables, another query or a REST request is rejected, and vice versa', async () => {
  const { ask, send } = await graphqlForTest()
  await ask(CREATE, { name: 'Ada' }, HEADERS)
  const refused = { status: 422, code: 'idempotency_key_reused' }
  expect((await ask(CREATE, { name: 'Bob' }, HEADERS)).json).toMatchObject(refused)
  expect((await ask(`${CREATE} `, { name: 'Ada' }, HEADERS)).json).toMatchObject(refused)
  expect((await send('POST', '/v1/contacts', { name: 'Ada' }, HEADERS)).json).toMatchObject(refused)
  await send('POST', '/v1/contacts', { name: 'Ada' }, { 'idempotency-key': 'k-2' })
  expect((await ask(CREATE, { name: 'Ada' }, { 'idempotency-key': 'k-2' })).json).toMatchObject(refused)
})

test('fifty at once make one record and get equal answers', async () => {
  const { ask } = await graphqlForTest()
  const answers = await Promise.all(Array.from({ length: 50 }, () => ask(CREATE, { name: 'Ada' }, HEADERS)))
  expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
  expect((await ask('{ contacts { nodes { id } } }')).data.contacts.nodes).toHaveLength(1)
})

test('after a crash, finished writes are replayed and the others are done', async () => {
  const { ask, send, store } = await graphqlForTest()
  const query =
    'mutation { a: createContact(input: {name: "a"}) { contact { id } } b: createContact(input: {name: "b"}) { contact { id } } }'
  const first = await ask(query, undefined, HEADERS)
  // A service killed after the first of two writes has stored only the answer to that one.
  const other = await graphqlForTest()
  let writes = 0
  const dying = {
    ...other.store,
    write: (write: Parameters<typeof store.write>[0]) =>
      writes++ === 1 ? Promise.reject(new Error('crash')) : other.store.write(write),
  }
  const crashed = await graphqlForTest({ store: dying })
  expect((await crashed.ask(query, undefined, HEADERS)).status).toBe(500)
  const again = await other.ask(query, undefined, HEADERS)
  expect(Object.keys(again.data)).toEqual(Object.keys(first.data))
  const { nodes } = (await other.ask('{ contacts { nodes { id name } } }')).data.contacts
  expect(nodes.map(({ name }: { name: string }) => name)).toEqual(['b', 'a'])
  expect(again.data.a.contact.id).toBe(nodes[1].id)
  expect((await send('GET', '/v1/contacts')).json.data).toHaveLength(2)
})

test('a rejection is not stored: a later request with the same key can succeed', async () => {
  const { ask } = await graphqlForTest()
  const update = 'mutation ($id: ID!) { updateContact(input: {id: $id, ifVersion: 2, name: "c"}) { contact { name } } }'
  const { data } = await ask(CREATE, { name: 'Ada' })
  const { id } = data.createContact.contact
  expect((await ask(update, { id }, HEADERS)).errors?.[0]?.extensions.code).toBe('precondition_failed')
  await ask('mutation ($id: ID!) { updateContact(input: {id: $id, name: "b"}) { contact { id } } }', { id })
  expect((await ask(update, { id }, HEADERS)).data.updateContact.contact.name).toBe('c')
})

test('a query ignores the key', async () => {
  const { ask } = await graphqlForTest()
  const query = '{ contacts { nodes { name } } }'
  await ask(query, undefined, HEADERS)
  await ask(CREATE, { name: 'Ada' })
  expect((await ask(query, undefined, HEADERS)).data.contacts.nodes).toEqual([{ name: 'Ada' }])
})

test('a key can be reused after 24 hours', async () => {
  let nowMs = Date.UTC(2026, 10, 20)
  const { ask } = await graphqlForTest({ now: () => nowMs })
  const first = await ask(CREATE, { name: 'Ada' }, HEADERS)
  nowMs += 24 * 60 * 60 * 1000
  expect((await ask(CREATE, { name: 'Ada' }, HEADERS)).text).toBe(first.text)
  nowMs += 1
  const anew = await ask(CREATE, { name: 'Ada' }, HEADERS)
  expect(anew.headers.has('idempotent-replayed')).toBe(false)
  expect(anew.data.createContact.contact.id).not.toBe(first.data.createContact.contact.id)
})
