import { buildSchema, GraphQLScalarType, parse } from 'graphql'
import { expect, test } from 'vitest'
import { openExecutor } from '../../../src/service/graphql/plain-queries.ts'
import { graphqlForTest } from './ask.ts'

/** Each is a plain query; within a fragment it is not, and graphql-js executes it. */
const QUERIES = [
  '{ __typename contacts { __typename nodes { __typename id name email ownerId createdAt updatedAt version } } }',
  '{ contacts(first: 2) { nodes { who: name id id2: id json } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } }',
  '{ contacts(first: 2) { edges { cursor node { id version json } } } again: contacts(first: 1) { nodes { id } } }',
  '{ deals(filter: { amountGte: 0.5 }) { nodes { id name stage amount ownerId pipelineId } } }',
  '{ deals { nodes { id notes { nodes { id body } } pipeline { name } } } }',
  '{ pipelines { nodes { id name stages { id position probability } } } webhooks { nodes { url events status } } }',
  '{ history { nodes { id at resource recordId action version previousAt fields old new keyName isErased } } }',
  '{ contact(id: "con_0") { id } pipeline(id: "none") { name } node(id: "con_0") { id } }',
  'query ($n: Int = 2, $f: ContactFilter) { contacts(first: $n, filter: $f) { nodes { id } } }',
] as const

/** Each fails in the executor. */
const FAILURES = [
  '{ contacts(first: 0) { nodes { id } } }',
  '{ contacts(after: "x") { nodes { id } } deals { nodes { id } } }',
  'query ($n: Int!) { contacts(first: $n) { nodes { id } } }',
] as const

async function filledService(): ReturnType<typeof graphqlForTest> {
  const service = await graphqlForTest()
  const contacts = [
    '{"name":"Ada","email":null,"size":1.50}',
    '{"name":"Grace \\"é\\"","owner_id":"u_1"}',
    '{"name":"x"}',
  ]
  for (const contact of contacts) await service.send('POST', '/v1/contacts', contact)
  const deal = await service.send('POST', '/v1/deals', '{"name":"a","stage":"Lead","amount":12500.50}')
  await service.send('POST', `/v1/deals/${deal.json.id}/notes`, { body: 'Called.' })
  await service.send('POST', '/v1/deals', '{"name":"b","stage":"Lead"}')
  return service
}

test('a plain query is answered byte for byte as graphql-js answers it', async () => {
  const service = await filledService()
  for (const query of QUERIES) {
    const plain = await service.ask(query)
    const executed = await service.ask(query.replace('{ ', '{ ... on Query { ').replace(/$/, ' }'))
    expect(executed.errors, query).toBeUndefined()
    expect(plain.text).toBe(executed.text)
  }
})

test('a plain query that fails names the field and the reason as graphql-js does', async () => {
  const service = await filledService()
  for (const query of FAILURES) {
    const [plain] = (await service.ask(query)).errors ?? []
    const [executed] =
      (await service.ask(query.replace(/\{ (?=contacts)/, '{ ... on Query { ').concat(' }'))).errors ?? []
    expect(plain, query).toBeDefined()
    expect(plain?.message).toBe(executed?.message)
    expect(plain?.path).toEqual(executed?.path)
    expect(plain?.extensions.code).toBe(executed?.extensions.code)
  }
})

test('an alias __proto__ is a member of the answer', async () => {
  const service = await filledService()
  const { text } = await service.ask('{ contacts(first: 1) { nodes { __proto__: name } } }')
  expect(text).toBe('{"data":{"contacts":{"nodes":[{"__proto__":"x"}]}}}')
})

test('selections of one name are merged', async () => {
  const service = await filledService()
  const { data } = await service.ask('{ contacts(first: 1) { nodes { name } nodes { version } } }')
  expect(data.contacts.nodes).toEqual([{ name: 'x', version: 1 }])
})

test('a leaf whose resolver returns a promise has the value of the promise', async () => {
  const schema = buildSchema('scalar JSON type Record { json: JSON } type Query { record: Record }')
  const json = schema.getType('JSON')
  if (json instanceof GraphQLScalarType) json.coerceOutputValue = (value) => ({ ...(value as object) })
  const record = schema.getType('Record')
  if (record && 'getFields' in record) Object.assign(record.getFields().json ?? {}, { resolve: async () => ({ a: 1 }) })
  const query = schema.getQueryType()?.getFields().record
  if (query) query.resolve = () => ({})
  const result = await openExecutor(schema)({ schema, document: parse('{ record { json } }') })
  expect(result).toEqual({ data: { record: { json: { a: 1 } } } })
})
