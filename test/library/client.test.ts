import { readFileSync } from 'node:fs'
import { expect, onTestFinished, test as plainTest, vi } from 'vitest'
import { CrmError } from '../../src/core/errors.ts'
import type { ClientOptions } from '../../src/library/client-types.ts'
import { createClient } from '../../src/library/create-client.ts'
import { sendJson, startServer } from '../api/answering-server.ts'
import { test } from '../harness/shared-service.ts'

// The build sets it.
vi.stubGlobal('CRM_VERSION', '0.0.0')

const KEY = 'crm_key_0123456789abcdef'

function clientAt(url: string | URL, options: Partial<ClientOptions> = {}) {
  const client = createClient({ baseUrl: String(url), apiKey: KEY, maxWaitMs: 200, ...options })
  onTestFinished(() => client.close())
  return client
}

async function failure(call: Promise<unknown>): Promise<CrmError> {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (error instanceof CrmError) return error
  throw new Error('it did not fail with a CrmError', { cause: error })
}

async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const found: Item[] = []
  for await (const item of items) found.push(item)
  return found
}

test('records are read, changed and deleted by their methods', async ({ service }) => {
  const client = clientAt(service.url, { apiKey: service.key })
  const contact = await client.contacts.create({ name: 'Ada', tags: ['x'] })
  expect(await client.contacts.get(contact.id)).toEqual(contact)
  const deal = await client.deals.create({ name: 'Engine', stage: 'Lead', amount: 12.5 })
  expect(await client.deals.update(deal.id, { stage: 'Won' }, { ifMatch: '1' })).toMatchObject({
    stage: 'Won',
    version: 2,
  })
  const note = await client.notes.create(deal.id, { body: 'Called.' })
  expect(await all(client.notes.list(deal.id))).toEqual([note])
  await client.notes.delete(note.id)
  await client.deals.delete(deal.id)
  expect(await all(client.deals.list({ filters: { name: 'Engine' } }))).toEqual([])
  expect((await failure(client.deals.get(deal.id))).code).toBe('not_found')
})

test('pipelines, their stages and subscriptions have methods', async ({ service }) => {
  const client = clientAt(service.url, { apiKey: service.key })
  const [sales] = await all(client.pipelines.list())
  expect(sales).toMatchObject({ id: 'sales' })
  const [lead] = await all(client.stages.list('sales', { limit: 1 }))
  expect(lead).toMatchObject({ position: 1, name: 'Lead' })
  const webhook = await client.webhooks.create({ url: 'http://127.0.0.1:9/', events: ['*'] })
  expect(webhook.secret).toMatch(/^whsec_/)
  expect(await client.webhooks.update(webhook.id, { status: 'disabled' })).toMatchObject({ status: 'disabled' })
  await client.webhooks.delete(webhook.id)
  expect((await failure(client.webhooks.get(webhook.id))).code).toBe('not_found')
})

test('graphql returns the data, and throws the errors of an answer', async ({ service }) => {
  const client = clientAt(service.url, { apiKey: service.key })
  const { id } = await client.contacts.create({ name: 'Grace' })
  const query = 'query One($id: ID!) { contact(id: $id) { name } }'
  expect(await client.graphql(query, { variables: { id } })).toEqual({ contact: { name: 'Grace' } })
  const error = await failure(
    client.graphql('mutation { createDeal(input: { name: "x", stage: "Nowhere" }) { id: deal { id } } }'),
  )
  expect(error.code).toBe('invalid_values')
  expect(error.details.fields).toEqual([expect.objectContaining({ pointer: '/stage' })])
  expect((await failure(client.graphql('subscription { x }'))).code).toBe('invalid_input')
})

test('a mutation carries one idempotency key, and a query none', async () => {
  const { url, seen } = await startServer((response) => sendJson(response, 200, { data: { __typename: 'x' } }))
  const client = clientAt(url)
  await client.graphql('{ __typename }')
  await client.graphql('mutation { a }', { idempotencyKey: 'mine' })
  const asked = seen.filter(({ body }) => body.includes('mutation { a }') || body.includes('{ __typename }'))
  expect(asked.map(({ headers }) => headers['idempotency-key'])).toEqual(
    asked.map(({ body }) => (body.includes('mutation') ? 'mine' : undefined)),
  )
  expect(asked.some(({ body }) => body.includes('mutation'))).toBe(true)
})

test('request sends any request to the server, and to no other', async ({ service }) => {
  const client = clientAt(service.url, { apiKey: service.key })
  const made = await client.request('POST', '/v1/contacts', { body: { name: 'Emmy' } })
  expect(made).toMatchObject({ status: 201, json: { name: 'Emmy' } })
  const found = await client.request('GET', '/v1/contacts', { query: { name: 'Emmy', limit: 1 } })
  expect(found.json).toMatchObject({ data: [{ name: 'Emmy' }] })
  expect((await failure(client.request('GET', '//evil.example/v1/contacts'))).code).toBe('usage')
  expect((await failure(client.request('GET', '/v1/none'))).details.status).toBe(404)
  const headers = { Authorization: 'Bearer other' }
  expect((await failure(client.request('GET', '/v1/contacts', { headers }))).message).toContain(
    '"Authorization" cannot be set',
  )
})

plainTest('the keys of requests are kept through retries, and may be given', async () => {
  const { url, seen } = await startServer((response, _request, nth) =>
    sendJson(response, nth === 1 ? 503 : 201, { id: '1' }, { 'retry-after': '0' }),
  )
  await clientAt(url, { maxWaitMs: 5_000 }).request('POST', '/v1/contacts', { body: {} })
  const [first, second] = seen.map(({ headers }) => headers['idempotency-key'])
  expect(first).toMatch(/./)
  expect(second).toBe(first)
  await clientAt(url).request('POST', '/v1/contacts', { body: {}, idempotencyKey: 'k' })
  expect(seen.at(-1)?.headers['idempotency-key']).toBe('k')
})

plainTest(
  'a server with the nine endpoints alone is enough: get reads the list, and others name what is lacking',
  async () => {
    const { url } = await startServer((response, { method, path }) => {
      if (method === 'GET' && path.startsWith('/v1/contacts?'))
        return sendJson(response, 200, { data: [{ id: 7, name: 'Ada' }], next_cursor: null })
      sendJson(response, 404, { detail: 'no such path' })
    })
    const client = clientAt(url, { connector: 'contract' })
    expect(await client.contacts.get('7')).toEqual({ id: '7', name: 'Ada' })
    expect((await failure(client.contacts.get('8'))).code).toBe('not_found')
    expect((await failure(client.deals.delete('1'))).code).toBe('not_supported')
    expect((await failure(all(client.pipelines.list()))).code).toBe('not_supported')
  },
)

plainTest('texts of a server in errors are made visible, those of its fields too', async () => {
  const detail = 'red \u001b[31m \u202eend'
  const { url } = await startServer((response) =>
    sendJson(response, 422, { detail, errors: [{ pointer: '/a\u0007', code: 'x', detail }] }),
  )
  const error = await failure(clientAt(url).contacts.create({}))
  expect(error.message).toContain('red \\x1b[31m \\u202eend')
  expect(error.stack).not.toContain('\u001b')
  expect(error.details.fields).toEqual([{ pointer: '/a\\x07', code: 'x', detail: 'red \\x1b[31m \\u202eend' }])
})

plainTest('the key never stands in the fields of an error', async () => {
  const { url } = await startServer((response) =>
    sendJson(response, 422, { errors: [{ pointer: `/${KEY}`, detail: `${KEY} is no name` }] }),
  )
  expect(JSON.stringify((await failure(clientAt(url).contacts.create({}))).details.fields)).not.toContain(KEY)
})

plainTest.for([
  [
    'filters that are no texts',
    (client: ReturnType<typeof clientAt>) => client.deals.list({ filters: { amount: 3 as never } }),
  ],
  [
    'a misspelt option of a list',
    (client: ReturnType<typeof clientAt>) => client.notes.list('d', { limt: 1 } as object),
  ],
] as const)('%s are refused before anything is sent', ([, call]) => {
  expect(() => call(clientAt('http://127.0.0.1:9'))).toThrow(CrmError)
})

plainTest(
  'a connector says how its server speaks, and an unknown one is refused with the names that exist',
  async () => {
    const { url, seen } = await startServer((response) =>
      sendJson(response, 200, { results: [{ id: '5', properties: { firstname: 'Ada' } }] }),
    )
    const client = clientAt(url, { connector: 'hubspot' })
    expect(await all(client.contacts.list({ limit: 1 }))).toMatchObject([{ id: '5' }])
    expect(seen[0]?.path).toContain('/objects/contacts')
    const error = await failure(all(clientAt(url, { connector: 'hubspo' }).contacts.list()))
    expect(`${error.message} ${error.details.hint}`).toContain('hubspot')
    expect(() => createClient({ apiKey: KEY })).toThrow('baseUrl')
  },
)

plainTest('the version of Node that the library needs is the one of package.json', () => {
  const { engines } = JSON.parse(readFileSync('package.json', 'utf8'))
  const text = readFileSync('bin/needs-node.cjs', 'utf8')
  expect(engines.node).toBe('>=22.19')
  expect(text).toContain('major < 22 || (major === 22 && minor < 19)')
  expect(text).toContain('22.19 or later')
})
