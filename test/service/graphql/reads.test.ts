import { expect, test } from 'vitest'
import type { TestService } from '../serve-for-test.ts'
import { graphqlForTest } from './ask.ts'

async function make({ send }: TestService, path: string, bodies: readonly unknown[]): Promise<string[]> {
  const ids: string[] = []
  for (const body of bodies) {
    const { status, text, json } = await send('POST', path, body)
    if (status !== 201) throw new Error(text)
    ids.push(`${json.id}`)
  }
  return ids
}

test('a record equals that of REST, with all digits and in the order sent', async () => {
  const service = await graphqlForTest()
  await make(service, '/v1/contacts', [
    '{"z":1.00,"age":12345678901234567890,"2":"b","name":"Ada","__proto__":{"x":-0}}',
  ])
  const rest = await service.send('GET', '/v1/contacts')
  const { text } = await service.ask('{ contacts { nodes { json } pageInfo { endCursor hasNextPage } } }')
  const [, record] = /^\{"data":\[(.*)\],"next_cursor":null,"has_more":false\}$/.exec(rest.text) ?? []
  expect(text).toContain(`{"data":{"contacts":{"nodes":[{"json":${record}}],"pageInfo":{"endCursor":"`)
})

test('the fields of a contact are its members; missing ones are null', async () => {
  const service = await graphqlForTest()
  const [id] = await make(service, '/v1/contacts', [
    { name: 'Ada', owner_id: 'u_1', email: null, nickname: 'Countess' },
  ])
  const query =
    'query ($id: ID!) { contact(id: $id) { __typename id name email phone company ownerId createdAt updatedAt version } }'
  const { data } = await service.ask(query, { id })
  const time = expect.stringMatching(/^\d{4}-.*Z$/)
  expect(data.contact).toEqual({
    __typename: 'Contact',
    id,
    name: 'Ada',
    email: null,
    phone: null,
    company: null,
    ownerId: 'u_1',
    createdAt: time,
    updatedAt: time,
    version: 1,
  })
})

test('amounts keep their written digits, wherever else the name occurs', async () => {
  const service = await graphqlForTest()
  const amounts = ['12500.50', '1e3', '0.10', '5']
  const decoy = '"list":[{"amount":7.50}],'
  await make(
    service,
    '/v1/deals',
    amounts.flatMap((amount) => ['', decoy].map((more) => `{${more}"name":"a","stage":"Lead","amount":${amount}}`)),
  )
  const { text } = await service.ask('{ deals { nodes { amount } } }')
  const expected = amounts.flatMap((amount) => [amount, amount]).reverse()
  expect(text).toBe(`{"data":{"deals":{"nodes":[${expected.map((amount) => `{"amount":${amount}}`).join(',')}]}}}`)
})

test('numbers in variables are converted to their types, however written', async () => {
  const service = await graphqlForTest()
  await make(service, '/v1/deals', ['{"name":"a","stage":"Lead","amount":5}'])
  const query = 'query ($n: Int, $f: DealFilter) { deals(first: $n, filter: $f) { nodes { amount } } }'
  const ask = (first: string) =>
    service.send(
      'POST',
      '/v1/graphql',
      `{"query":${JSON.stringify(query)},"variables":{"n":${first},"f":{"amountGte":4.50,"amountLte":5.0}}}`,
    )
  for (const first of ['1', '1.0', '1e0']) {
    expect((await ask(first)).text).toBe('{"data":{"deals":{"nodes":[{"amount":5}]}}}')
  }
  expect((await ask('1.50')).text).toContain('Int cannot represent non-integer value: 1.5')
})

test('amounts beyond the precision of a double keep their digits', async () => {
  const service = await graphqlForTest()
  await make(service, '/v1/deals', ['{"name":"a","stage":"Lead","amount":9007199254740993.25}'])
  const { text } = await service.ask('{ deals { nodes { amount } } }')
  expect(text).toBe('{"data":{"deals":{"nodes":[{"amount":9007199254740993.25}]}}}')
})

test('cursors are interchangeable with REST, with and without filters', async () => {
  const service = await graphqlForTest()
  const ids = await make(
    service,
    '/v1/deals',
    ['Lead', 'Won', 'Lead', 'Won', 'Lead'].map((stage, amount) => ({ name: 'a', stage, amount })),
  )
  const query = `query ($after: String, $filter: DealFilter) {
    deals(first: 1, after: $after, filter: $filter) {
      edges { cursor node { id } } nodes { id } pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
    }
  }`
  const filters: readonly (readonly [string, object | undefined])[] = [
    ['limit=1', undefined],
    ['limit=1&stage=Lead,Qualified&amount[gte]=1', { stage: ['Lead', 'Qualified'], amountGte: 1 }],
  ]
  for (const [parameters, filter] of filters) {
    const rest = await service.send('GET', `/v1/deals?${parameters}`)
    const { data } = await service.ask(query, { filter })
    expect(data.deals.pageInfo).toEqual({
      hasNextPage: true,
      hasPreviousPage: false,
      startCursor: rest.json.next_cursor,
      endCursor: rest.json.next_cursor,
    })
    expect(data.deals.edges).toEqual([{ cursor: rest.json.next_cursor, node: { id: ids[4] } }])
    expect(data.deals.nodes).toEqual([{ id: ids[4] }])
    const after = (await service.ask(query, { filter, after: rest.json.next_cursor })).data.deals
    const restAfter = await service.send('GET', `/v1/deals?${parameters}&cursor=${after.pageInfo.endCursor}`)
    expect(restAfter.status).toBe(200)
    expect(after.nodes).toEqual([{ id: filter ? ids[2] : ids[3] }])
  }
})

test('GraphQL has every filter of REST, and a name may contain a comma', async () => {
  const service = await graphqlForTest()
  await make(service, '/v1/deals', [
    { name: 'a', stage: 'Lead', amount: 5, owner_id: 'u_1' },
    { name: 'b, c', stage: 'Won', amount: 1e15 },
  ])
  const names = async (filter: object) =>
    (
      await service.ask('query ($f: DealFilter) { deals(filter: $f) { nodes { name } } }', { f: filter })
    ).data.deals.nodes
      .map(({ name }: { name: string }) => name)
      .join(';')
  expect(await names({ name: ['b, c', 'd'] })).toBe('b, c')
  expect(await names({ ownerId: ['u_1'] })).toBe('a')
  expect(await names({ pipelineId: ['sales'], amountLte: 5 })).toBe('a')
  expect(await names({ stage: [], amountGte: null })).toBe('b, c;a')
  expect(await names({ createdSince: '2020-01-01T00:00:00Z', createdUntil: '2020-01-02T00:00:00Z' })).toBe('')
})

test.each([
  ['{ contacts(first: 0) { nodes { id } } }', 'first', 'invalid_limit'],
  ['{ contacts(first: 501) { nodes { id } } }', 'first', 'invalid_limit'],
  ['{ contacts(after: "x") { nodes { id } } }', 'after', 'invalid_cursor'],
  ['{ pipelines(after: "x") { nodes { id } } }', 'after', 'invalid_cursor'],
])('%s is rejected: %s, %s', async (query, parameter, code) => {
  const { ask } = await graphqlForTest()
  const { errors, status, headers } = await ask(query)
  expect(status).toBe(200)
  expect(errors?.[0]?.extensions).toMatchObject({
    code: 'invalid_parameter',
    status: 400,
    errors: [{ parameter, code }],
  })
  expect(errors?.[0]?.extensions.request_id).toBe(headers.get('x-request-id'))
})

test('a cursor of another list is rejected', async () => {
  const service = await graphqlForTest()
  await make(service, '/v1/contacts', [{ name: 'a' }, { name: 'b' }])
  const { json } = await service.send('GET', '/v1/contacts?limit=1')
  const { errors } = await service.ask('query ($after: String) { deals(after: $after) { nodes { id } } }', {
    after: json.next_cursor,
  })
  expect(errors?.[0]?.message).toMatch(/^after: .* belongs to another list or to other filters/)
})

test('node finds any record by id, and returns null for a missing one', async () => {
  const service = await graphqlForTest()
  const [contact] = await make(service, '/v1/contacts', [{ name: 'Ada' }])
  const [deal] = await make(service, '/v1/deals', [{ name: 'a', stage: 'Lead' }])
  const [note] = await make(service, `/v1/deals/${deal}/notes`, [{ body: 'call' }])
  const [webhook] = await make(service, '/v1/webhooks', [{ url: 'http://127.0.0.1:9/', events: ['*'] }])
  const typeOf = async (id: string | undefined) =>
    (await service.ask('query ($id: ID!) { node(id: $id) { __typename id } }', { id })).data.node?.__typename
  const ids = [contact, deal, note, webhook, 'sales', 'con_00000000000', 'nonsense', '']
  expect(await Promise.all(ids.map(typeOf))).toEqual(['Contact', 'Deal', 'Note', 'Webhook', 'Pipeline', ...Array(3)])
  const { data } = await service.ask(
    '{ contact(id: "x") { id } deal(id: "con_1") { id } note(id: "x") { id } webhook(id: "x") { id } pipeline(id: "x") { id } }',
  )
  expect(data).toEqual({ contact: null, deal: null, note: null, webhook: null, pipeline: null })
})

test('a deal has its notes in pages, newest first, and its pipeline with stages by position', async () => {
  const service = await graphqlForTest()
  const [deal, other] = await make(service, '/v1/deals', [
    { name: 'a', stage: 'Lead' },
    { name: 'b', stage: 'Lead' },
  ])
  const notes = await make(service, `/v1/deals/${deal}/notes`, [{ body: '1' }, { body: '2', author_id: 'u_1' }])
  await make(service, `/v1/deals/${other}/notes`, [{ body: '3' }])
  const query = `query ($id: ID!, $after: String) { deal(id: $id) {
    pipeline { id stages { name position probability } }
    notes(first: 1, after: $after) {
      nodes { id body authorId dealId deal { name } } pageInfo { hasNextPage endCursor } }
  } }`
  const { data } = await service.ask(query, { id: deal })
  const [note] = data.deal.notes.nodes
  expect(note).toEqual({ id: notes[1], body: '2', authorId: 'u_1', dealId: deal, deal: { name: 'a' } })
  expect(data.deal.notes.pageInfo.hasNextPage).toBe(true)
  expect(data.deal.pipeline.id).toBe('sales')
  expect(data.deal.pipeline.stages[0]).toEqual({ name: 'Lead', position: 1, probability: 0.1 })
  const rest = await service.ask(query, { id: deal, after: data.deal.notes.pageInfo.endCursor })
  expect(rest.data.deal.notes).toMatchObject({ nodes: [{ id: notes[0] }], pageInfo: { hasNextPage: false } })
})

test('pipelines are paged, the default one first', async () => {
  const service = await graphqlForTest()
  const stages = [{ id: 's', name: 'S', position: 1, probability: undefined }]
  await service.store.putPipelines(['a', 'b', 'c'].map((id) => ({ id, name: id, stages })))
  const query =
    'query ($after: String) { pipelines(first: 2, after: $after) { nodes { id } pageInfo { hasNextPage endCursor } } }'
  const { data } = await service.ask(query)
  expect(data.pipelines).toMatchObject({ nodes: [{ id: 'a' }, { id: 'b' }], pageInfo: { hasNextPage: true } })
  const rest = await service.ask(query, { after: data.pipelines.pageInfo.endCursor })
  expect(rest.data.pipelines).toMatchObject({ nodes: [{ id: 'c' }], pageInfo: { hasNextPage: false } })
})

test('webhooks are listed without their secrets, with their deliveries', async () => {
  const service = await graphqlForTest()
  const [webhook] = await make(service, '/v1/webhooks', [{ url: 'http://127.0.0.1:9/', events: ['contact.*'] }])
  const [contact] = await make(service, '/v1/contacts', [{ name: 'Ada' }])
  const { text, data } = await service.ask(`{ webhooks { nodes { id url events status json
    deliveries { nodes { eventId webhookId kind recordId state attempts nextTryAt lastStatus } pageInfo { hasNextPage } } } } }`)
  expect(text).not.toContain('whsec_')
  expect(data.webhooks.nodes[0]).toMatchObject({
    id: webhook,
    events: ['contact.*'],
    status: 'enabled',
    deliveries: {
      nodes: [
        {
          webhookId: webhook,
          kind: 'contact.created',
          recordId: contact,
          state: 'PENDING',
          attempts: 0,
          lastStatus: null,
        },
      ],
    },
  })
})

test('a query in the URL is run, with variables', async () => {
  const { send } = await graphqlForTest()
  const parameters = new URLSearchParams({
    query: 'query one($n: Int) { contacts(first: $n) { nodes { id } } } query two { __typename }',
    operationName: 'one',
    variables: '{"n":5}',
  })
  expect((await send('GET', `/v1/graphql?${parameters}`)).json).toEqual({ data: { contacts: { nodes: [] } } })
})
