import { expect, test } from 'vitest'
import { graphqlForTest } from './ask.ts'

test('without a key, or with the key in the URL, the answer is the same as in REST', async () => {
  const { ask, send } = await graphqlForTest()
  expect((await ask('{ __typename }', {}, { authorization: '' })).json).toMatchObject({
    status: 401,
    code: 'unauthorized',
  })
  expect((await send('GET', '/v1/graphql?query=%7Ba%7D&api_key=x')).json).toMatchObject({ status: 400 })
})

test('a read key cannot mutate, and a write key reads only what it wrote', async () => {
  const { ask, addKey } = await graphqlForTest()
  const reading = { authorization: `Bearer ${(await addKey(['read'])).text}` }
  const writing = { authorization: `Bearer ${(await addKey(['write'])).text}` }
  const create = 'mutation { createDeal(input: {name: "a", stage: "Lead"}) { deal { id name } } }'
  const refused = { status: 403, code: 'insufficient_scope' }
  expect((await ask(create, {}, reading)).json).toMatchObject(refused)
  expect((await ask('{ contacts { nodes { id } } }', {}, writing)).json).toMatchObject(refused)
  expect((await ask(create, {}, writing)).data.createDeal.deal.name).toBe('a')
  const peeking = await ask(
    'mutation { createDeal(input: {name: "a", stage: "Lead"}) { deal { notes { nodes { id } } } } }',
    {},
    writing,
  )
  expect(peeking.errors?.[0]?.extensions).toMatchObject(refused)
})

test('requests count against the rate of the key like any other', async () => {
  const { ask, send } = await graphqlForTest({ rateLimit: { requests: 2, windowMs: 60_000 } })
  await ask('{ __typename }')
  await send('GET', '/v1/contacts')
  const { json, headers } = await ask('{ __typename }')
  expect(json).toMatchObject({ status: 429, code: 'rate_limited' })
  expect(headers.get('ratelimit')).toMatch(/^"default";r=0;t=\d+$/)
})

test('a mutation in a URL is rejected and has no effect', async () => {
  const { send } = await graphqlForTest()
  const query = encodeURIComponent('mutation { createContact(input: {name: "a"}) { contact { id } } }')
  const { status, headers, json } = await send('GET', `/v1/graphql?query=${query}`)
  expect({ status, allow: headers.get('allow'), code: json.code }).toEqual({
    status: 405,
    allow: 'POST',
    code: 'method_not_allowed',
  })
  expect((await send('GET', '/v1/contacts')).json.data).toEqual([])
})

test.each([
  ['{"query":', 400, 'malformed_json'],
  ['[]', 422, 'invalid_values'],
  ['{}', 400, 'malformed_request'],
  ['{"query":5}', 400, 'malformed_request'],
  ['{"query":"{__typename}","variables":[]}', 400, 'malformed_request'],
  ['{"query":"{__typename}","operationName":5}', 400, 'malformed_request'],
  ['', 400, 'body_required'],
])('the body %s is a %i %s', async (body, status, code) => {
  const { send } = await graphqlForTest()
  expect((await send('POST', '/v1/graphql', body)).json).toMatchObject({ status, code })
})

test('other media types are rejected in both directions', async () => {
  const { ask, send } = await graphqlForTest()
  expect((await ask('{ __typename }', {}, { accept: 'text/html' })).json).toMatchObject({
    status: 406,
    code: 'not_acceptable',
  })
  expect((await send('POST', '/v1/graphql', '{a}', { 'content-type': 'application/graphql' })).status).toBe(415)
})

test.each([
  ['{ contacts { nodes { id } }', 'malformed_query'],
  ['{ nothing }', 'invalid_query'],
  ['query a { __typename } query b { __typename }', 'invalid_query'],
  ['query ($n: Int!) { contacts(first: $n) { nodes { id } } }', 'invalid_variables'],
  ['subscription { contacts }', 'invalid_query'],
])('%s is rejected with the code %s and the request id', async (query, code) => {
  const { ask } = await graphqlForTest()
  const accept = 'application/graphql-response+json'
  const answer = await ask(query, {}, { accept })
  expect(answer.status).toBe(400)
  expect(answer.headers.get('content-type')).toBe(`${accept}; charset=utf-8`)
  expect(answer.data).toBeUndefined()
  expect(answer.errors?.[0]?.extensions).toEqual({ code, request_id: answer.headers.get('x-request-id') })
  expect((await ask(query)).status).toBe(200)
})

test('a browser on this machine gets a page without a key, which loads nothing from elsewhere', async () => {
  const { send, url } = await graphqlForTest()
  const accept = 'text/html,application/xhtml+xml;q=0.9,*/*;q=0.8'
  const page = await fetch(`${url}/v1/graphql`, { headers: { accept } })
  const text = await page.text()
  expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
  expect(page.headers.get('content-security-policy')).toMatch(/^default-src 'none'; connect-src 'self';/)
  expect(text).toContain('type Query {')
  expect(text).not.toMatch(/(src|href)=/)
  for (const address of [`${url}/v1/graphql?query={__typename}`, `${url}/v1/contacts`]) {
    expect((await fetch(address, { headers: { accept } })).status).toBe(401)
  }
  expect((await send('GET', '/v1/graphql?query={__typename}')).json).toEqual({ data: { __typename: 'Query' } })
})

test('a service reachable by others has no page', async () => {
  const { server } = await graphqlForTest({ host: '0.0.0.0' })
  const url = server.url.replace('0.0.0.0', '127.0.0.1')
  expect((await fetch(`${url}/v1/graphql`, { headers: { accept: 'text/html' } })).status).toBe(401)
})
