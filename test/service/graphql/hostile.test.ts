import { getIntrospectionQuery } from 'graphql'
import { expect, test } from 'vitest'
import { graphqlForTest } from './ask.ts'

function times(count: number, text: (place: number) => string): string {
  return Array.from({ length: count }, (_, place) => text(place)).join(' ')
}

const HOSTILE: readonly (readonly [what: string, query: string, code: string])[] = [
  [
    'levels',
    `{ deals { nodes { ${'notes { nodes { deal { '.repeat(50)}id${' } } }'.repeat(50)} } } }`,
    'query_too_deep',
  ],
  ['pages in pages', '{ deals(first: 500) { nodes { notes(first: 500) { nodes { id } } } } }', 'query_too_costly'],
  [
    'pages in pages whose size is the default of a variable',
    'query ($first: Int = 500) { deals(first: $first) { nodes { notes(first: $first) { nodes { id } } } } }',
    'query_too_costly',
  ],
  [
    'pages beside each other',
    `{ ${times(100, (n) => `a${n}: contacts(first: 500) { nodes { id } }`)} }`,
    'query_too_costly',
  ],
  ['fragments in a circle', '{ ...a } fragment a on Query { ...b } fragment b on Query { ...a }', 'invalid_query'],
  [
    'fragments that double',
    `{ ...f0 } ${times(60, (n) => `fragment f${n} on Query { ...f${n + 1} ...f${n + 1} }`)} fragment f60 on Query { ${times(9, (n) => `a${n}: contacts(first: 500) { nodes { id } }`)} }`,
    'query_too_costly',
  ],
  ['the same field again and again', `{ ${'__typename '.repeat(20_000)} }`, 'malformed_query'],
  ['aliases', `{ ${times(20_000, (n) => `a${n}: __typename`)} }`, 'malformed_query'],
  ['directives', `{ __typename ${'@skip(if: true) '.repeat(5000)} }`, 'malformed_query'],
  [
    'introspection in itself',
    `{ __schema { types { ${'fields { type { '.repeat(8)} name ${'} }'.repeat(8)} } } }`,
    'invalid_query',
  ],
  ['one field many times', `{ ${'__typename '.repeat(1990)} }`, 'query_too_costly'],
  ['introspection many times', `{ ${times(100, (n) => `a${n}: __schema { types { name } }`)} }`, 'query_too_costly'],
  [
    'mutations',
    `mutation { ${times(50, (n) => `a${n}: deleteContact(input: {id: "x"}) { deletedId }`)} }`,
    'query_too_costly',
  ],
]

const DEEP = 50_000

test.each([
  ['selections', `${'{a'.repeat(DEEP)}${'}'.repeat(DEEP)}`],
  ['lists', `{ deals(first: ${'['.repeat(DEEP)}${']'.repeat(DEEP)}) { id } }`],
  ['objects', `{ deals(filter: ${'{a:'.repeat(DEEP)}1${'}'.repeat(DEEP)}) { id } }`],
  ['types of a variable', `query ($a: ${'['.repeat(DEEP)}Int${']'.repeat(DEEP)}) { a }`],
  ['brackets that are never closed', '{'.repeat(DEEP)],
])('%s 50,000 deep are a 400 before parsing', async (_, query) => {
  const { ask } = await graphqlForTest()
  const { status, json } = await ask(query)
  expect(status).toBe(400)
  expect(json).toMatchObject({ code: 'query_too_deep', errors: [{ pointer: '#/query' }] })
})

test('brackets in strings and comments do not count', async () => {
  const { ask } = await graphqlForTest()
  const brackets = '{[('.repeat(1000)
  const text = `"${brackets} \\" ${brackets}"`
  const { data, errors } = await ask(
    `# ${brackets}\n{ contact(id: ${text}) { id } b: contact(id: """${brackets}""") { id } }`,
  )
  expect(errors).toBeUndefined()
  expect(data).toEqual({ contact: null, b: null })
})

test.each(HOSTILE)('%s: rejected fast, with the right code', async (_, query, code) => {
  const { ask } = await graphqlForTest()
  await ask('{ __typename }')
  const startedMs = performance.now()
  const { errors, status } = await ask(query)
  expect(performance.now() - startedMs).toBeLessThan(5000)
  expect(status).toBe(200)
  expect(errors?.[0]?.extensions.code).toBe(code)
  expect(errors?.length).toBeLessThanOrEqual(21)
})

test('queries with the maximum number of tokens are validated in time', async () => {
  const { ask } = await graphqlForTest()
  await ask('{ __typename }')
  for (const query of [
    `{ ${times(990, () => '__typename')} }`,
    `{ ${times(660, (n) => `a${n}: __typename`)} }`,
    `{ ${times(140, (n) => `node(id: "${n}") { id }`)} }`,
    `{ ${times(240, (n) => `...f${n}`)} } ${times(240, (n) => `fragment f${n} on Query { __typename }`)}`,
    `{ a { ${times(900, (n) => `x${n}`)} } }`,
  ]) {
    const startedMs = performance.now()
    await ask(query)
    expect(performance.now() - startedMs).toBeLessThan(5000)
  }
})

test('a query of 10 MB is too large before it is read', async () => {
  const { send } = await graphqlForTest()
  const answer = await send('POST', '/v1/graphql', { query: `{ ${'a '.repeat(5 * 1024 * 1024)} }` })
  expect(answer.json).toMatchObject({ status: 413, code: 'body_too_large' })
})

test('variables of the maximum depth are rejected', async () => {
  const { send } = await graphqlForTest()
  const body = `{"query":"{__typename}","variables":{"a":${'['.repeat(400_000)}${']'.repeat(400_000)}}}`
  expect((await send('POST', '/v1/graphql', body)).json).toMatchObject({ status: 400, code: 'too_deep' })
})

test('members called __proto__ and constructor are data', async () => {
  const { send } = await graphqlForTest()
  const query = 'mutation ($json: JSON) { createContact(input: {json: $json}) { contact { json } } }'
  const body = `{"query":${JSON.stringify(query)},"variables":{"json":{"__proto__":{"polluted":1},"constructor":2}}}`
  const { text } = await send('POST', '/v1/graphql', body)
  expect(text).toContain('"__proto__":{"polluted":1},"constructor":2')
  expect(({} as { polluted?: number }).polluted).toBeUndefined()
})

test('numbers beyond any double are rejected everywhere', async () => {
  const { ask, send } = await graphqlForTest()
  const inline = await ask('mutation { createDeal(input: {name: "a", stage: "Lead", amount: 1e999}) { deal { id } } }')
  expect(inline.errors?.[0]?.extensions.code).toMatch(/^invalid_/)
  const body =
    '{"query":"query ($a: Decimal) { deals(filter: {amountGte: $a}) { nodes { id } } }","variables":{"a":1e999}}'
  expect((await send('POST', '/v1/graphql', body)).json).toMatchObject({ status: 422, code: 'out_of_range' })
})

test('one response reads at most 64 MiB of texts', { timeout: 60_000 }, async () => {
  const { ask, send } = await graphqlForTest()
  const { data } = await ask('mutation { createDeal(input: {name: "a", stage: "Lead"}) { deal { id } } }')
  const { id } = data.createDeal.deal
  const body = 'x'.repeat(64_000)
  await Promise.all(Array.from({ length: 100 }, () => send('POST', `/v1/deals/${id}/notes`, { body })))
  // Each is one page of a mebibyte.
  const query = `{ ${times(70, (n) => `a${n}: deal(id: "${id}") { notes(first: ${100 - n}) { nodes { id } } }`)} }`
  const { errors } = await ask(query)
  expect(errors?.[0]?.extensions).toMatchObject({ code: 'answer_too_large', status: 422 })
})

test('introspection queries of tools are answered', async () => {
  const { ask } = await graphqlForTest()
  const { data, errors } = await ask(
    getIntrospectionQuery({ specifiedByUrl: true, oneOf: true, inputValueDeprecation: true }),
  )
  expect(errors).toBeUndefined()
  expect(data.__schema.types.map(({ name }: { name: string }) => name)).toContain('DeliveryConnection')
})
