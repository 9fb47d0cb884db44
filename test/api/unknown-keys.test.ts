import type { ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import { createConnector } from '../../src/api/connectors/connector.ts'
import { connectorDocument } from '../../src/api/connectors/open-connector.ts'
import { serverTerms } from '../../src/api/server-terms.ts'
import { shippedConnector } from '../../src/connector/shipped.ts'
import type { JsonObject } from '../../src/core/json.ts'
import { sendJson, startServer } from './answering-server.ts'
import { failureOf, NO_KEY, openClient, SERVER_TERMS } from './client-fixture.ts'

const ADA = { name: 'Ada', email: 'ada@example.test' }
const UNKNOWN = { terms: { ...serverTerms(await connectorDocument({ name: 'crm' })), pageSize: 2 } }

interface Answers {
  /** To the nth POST; undefined makes a record of it. */
  readonly post: (nth: number, response: ServerResponse) => boolean
  readonly records?: JsonObject[]
  readonly headers?: Readonly<Record<string, string>>
  readonly listStatus?: number
}

const reset = (response: ServerResponse) => {
  response.destroy()
  return true
}

async function startForgetful({ post, records = [], headers = {}, listStatus = 200 }: Answers) {
  let posts = 0
  const paths: string[] = []
  const { url } = await startServer((response, { method, path, body }) => {
    paths.push(path)
    if (method === 'GET')
      return sendJson(response, listStatus, { data: records, next_cursor: null, has_more: false }, headers)
    posts += 1
    if (method === 'PATCH')
      return post(posts, response) || sendJson(response, 200, { id: 'con_1', ...JSON.parse(body) })
    if (post(posts, response)) return
    sendJson(response, 201, { id: 'con_new', ...JSON.parse(body) })
  })
  return { url, paths, posts: () => posts }
}

const madeNow = () => new Date().toISOString()

test('a create in doubt is sent once, and the only record with the same values is its result', async () => {
  const server = await startForgetful({
    post: (_, response) => reset(response),
    records: [
      { id: 'con_old', ...ADA, created_at: '2020-01-01T00:00:00Z' },
      { id: 'con_7', ...ADA, stage: 'x', created_at: madeNow() },
    ],
  })
  const { api } = openClient(server.url, UNKNOWN)
  expect(await api.contacts.create(ADA, NO_KEY)).toMatchObject({ id: 'con_7' })
  expect(server.posts()).toBe(1)
})

test.each([
  ['none is listed', { records: [] }, 'no record with the same values is listed yet'],
  [
    'two are',
    { records: ['con_1', 'con_2'].map((id) => ({ id, ...ADA, created_at: madeNow() })) },
    '2 records have the same values: con_1, con_2',
  ],
  [
    'the server does not state when it was created',
    { records: [{ id: 'con_1', ...ADA }] },
    'does not state when it was created',
  ],
  ['there is no list', { listStatus: 404 }, 'it cannot be looked up'],
])('it is in doubt when %s, and the hint names the command to look', async (_, answers, reason) => {
  const server = await startForgetful({ post: (_nth, response) => reset(response), ...answers })
  const { api } = openClient(server.url, UNKNOWN)
  const error = await failureOf(api.contacts.create(ADA, NO_KEY))
  expect(error).toMatchObject({ code: 'in_doubt', exit: 3, details: { isRetryable: false, isInDoubt: true } })
  expect(error.message).toContain(reason)
  expect(error.details.hint).toContain(`crm contacts list --where '.email == "ada@example.test"'`)
  expect(error.details.idempotencyKey).toBeUndefined()
  expect(server.posts()).toBe(1)
})

test('the headers of one read at its path show whether the create in doubt may be repeated', async () => {
  const server = await startForgetful({
    post: (nth, response) => nth === 1 && reset(response),
    headers: { 'Idempotency-Policy': '"account";w=86400' },
  })
  const { api } = openClient(server.url, UNKNOWN)
  expect(await api.contacts.create(ADA, NO_KEY)).toMatchObject({ id: 'con_new' })
  expect(server.posts()).toBe(2)
  expect(server.paths).toEqual(['/v1/contacts', '/v1/contacts', '/v1/contacts'])
})

test('notes and webhooks are in doubt at once', async () => {
  const server = await startForgetful({ post: (_, response) => reset(response) })
  const { api } = openClient(server.url, UNKNOWN)
  expect(await failureOf(api.notes('deal_1').create({ body: 'x' }, NO_KEY))).toMatchObject({
    code: 'in_doubt',
    details: { hint: expect.stringContaining('crm notes list deal_1, where the server lists notes') },
  })
  expect(await failureOf(api.webhooks.create({ url: 'https://x.test' }, NO_KEY))).toMatchObject({ code: 'in_doubt' })
  expect(server.posts()).toBe(2)
})

test('a refusal without an effect is retried', async () => {
  const server = await startForgetful({
    post: (nth, response) => {
      if (nth > 2) return false
      sendJson(response, nth === 1 ? 429 : 503, {}, { 'retry-after': '1' })
      return true
    },
  })
  const { api } = openClient(server.url, UNKNOWN)
  expect(await api.contacts.create(ADA, NO_KEY)).toMatchObject({ id: 'con_new' })
  expect(server.posts()).toBe(3)
})

test('an update is repeated', async () => {
  const server = await startForgetful({ post: (nth, response) => nth === 1 && reset(response) })
  const { api } = openClient(server.url, UNKNOWN)
  const options = { idempotencyKey: undefined, ifMatch: undefined }
  expect(await api.contacts.update('con_1', { name: 'Ada' }, options)).toMatchObject({ id: 'con_1' })
  expect(server.posts()).toBe(2)
})

const LOOK = 'check before sending it again: crm contacts get con_1'

test.each([
  [{ terms: UNKNOWN.terms }, `${LOOK}$`],
  [
    { terms: { ...UNKNOWN.terms, profile: 'prod' } },
    `${LOOK}; if the server keeps idempotency keys, its connector can say so: idempotency: \\{ header: Idempotency-Key \\}$`,
  ],
  [
    { terms: { ...SERVER_TERMS, idempotency: 'kept' } },
    'crm contacts update con_1 \\.\\.\\. --idempotency-key mine, other arguments',
  ],
] as const)('the hint of an update in doubt calls a repetition safe only if keys are kept', async (given, hint) => {
  const { url } = await startServer((response) => sendJson(response, 502, {}))
  const options = { idempotencyKey: 'mine', ifMatch: undefined }
  const error = await failureOf(openClient(url, given).api.contacts.update('con_1', { name: 'Ada' }, options))
  expect(error.details).toMatchObject({ isInDoubt: true, hint: expect.stringMatching(`^${hint}`) })
})

test('a connector that says that its server keeps no keys is not contradicted in the hint', async () => {
  const { url } = await startServer((response) => sendJson(response, 502, {}))
  const connector = createConnector(await shippedConnector('pipedrive'), { baseUrl: url, variables: {} })
  const { api } = openClient(url, { connector, terms: { ...UNKNOWN.terms, profile: 'prod' } })
  const error = await failureOf(api.contacts.update('1', { name: 'Ada' }, { ...NO_KEY, ifMatch: undefined }))
  expect(error.details).toMatchObject({ isInDoubt: true, hint: 'check before sending it again: crm contacts get 1' })
})

test.each([
  ['idempotency-policy', 2],
  ['Idempotent-Replayed', 2],
  ['idempotency-replayed', 1],
])('a create is repeated once an answer had a header that the connector names: %s', async (name, posts) => {
  const server = await startForgetful({
    post: (nth, response) => nth === 1 && reset(response),
    headers: { [name]: '1' },
  })
  const { api } = openClient(server.url, UNKNOWN)
  for await (const _ of api.contacts.list());
  const made = api.contacts.create(ADA, NO_KEY)
  if (posts === 2) expect(await made).toMatchObject({ id: 'con_new' })
  else expect(await failureOf(made)).toMatchObject({ code: 'in_doubt' })
  expect(server.posts()).toBe(posts)
})

test('no document is asked for around a create in doubt', async () => {
  const server = await startForgetful({ post: (_, response) => reset(response) })
  const { api } = openClient(server.url, UNKNOWN)
  expect(await failureOf(api.contacts.create(ADA, NO_KEY))).toMatchObject({ code: 'in_doubt' })
  expect(new Set(server.paths)).toEqual(new Set(['/v1/contacts', '/v1/contacts?limit=2']))
})
