import { describe, expect, test } from 'vitest'
import type { GraphqlRequest } from '../../src/api/graphql.ts'
import { sendJson, startServer } from './answering-server.ts'
import { CONTRACT, failureOf, openClient, SERVER_TERMS } from './client-fixture.ts'

const QUERY: GraphqlRequest = {
  query: '{ deals { id } }',
  variables: {},
  operationName: undefined,
  isRead: true,
  idempotencyKey: undefined,
}

const MUTATION: GraphqlRequest = {
  ...QUERY,
  query: 'mutation { updateDeal(input: {id: "d1"}) { deal { id } } }',
  isRead: false,
  idempotencyKey: 'k-1',
}

test('a query and a mutation are posted to the path of the connector, behind the prefix of the address, and nothing else is asked', async () => {
  const { url, seen } = await startServer((response) => sendJson(response, 200, { data: { __typename: 'Query' } }))
  const { api } = openClient(new URL('/crm', url))
  expect(await api.graphql(QUERY)).toMatchObject({ json: { data: { __typename: 'Query' } }, errors: [] })
  await api.graphql({ ...MUTATION, operationName: 'A', variables: { a: 1 } })
  expect(seen.map(({ method, path }) => [method, path])).toEqual(Array(2).fill(['POST', '/crm/v1/graphql']))
  expect(seen.map(({ headers }) => headers['idempotency-key'])).toEqual([undefined, 'k-1'])
  expect(JSON.parse(seen[1]?.body ?? '')).toEqual({ query: MUTATION.query, operationName: 'A', variables: { a: 1 } })
})

test('a connector that names no path of GraphQL is exit 7 before anything is sent', async () => {
  const { url, seen } = await startServer((response) => sendJson(response, 200, { data: {} }))
  const { api } = openClient(url, { connector: CONTRACT(url, SERVER_TERMS) })
  expect(await failureOf(api.graphql(QUERY))).toMatchObject({
    ...{ code: 'not_supported', exit: 7, message: 'contract (connector) has no GraphQL' },
    details: { hint: 'crm connectors show contract lists what it offers' },
  })
  expect(seen).toEqual([])
})

describe('a query', () => {
  test.each([
    [404, { message: 'no' }, '/v1/graphql answers 404'],
    [405, {}, '/v1/graphql answers 405'],
    [200, { data: [1, 2] }, '/v1/graphql answers something else'],
  ])('that is answered with %d %j is exit 7, which names the path and the connector', async (status, body, seen) => {
    const { url } = await startServer((response) => sendJson(response, status, body))
    expect(await failureOf(openClient(url).api.graphql(QUERY))).toMatchObject({
      ...{ code: 'bad_answer', exit: 7, message: `cannot ask GraphQL: ${seen}, expected a GraphQL response` },
      details: { hint: 'graphql in the connector names its path: crm connectors show crm' },
    })
  })

  test.each([
    [401, 'unauthorized'],
    [413, 'rejected'],
    [503, 'server_error'],
  ])('that is refused with %d is reported like over REST', async (status, code) => {
    const { url } = await startServer((response) => sendJson(response, status, { errors: [{ message: 'no' }] }))
    expect((await failureOf(openClient(url).api.graphql(QUERY))).code).toBe(code)
  })

  test.each([200, 400, 422])('gives the errors of an answer with status %d', async (status) => {
    const { url } = await startServer((response) =>
      sendJson(response, status, { errors: [{ message: 'no such field' }] }),
    )
    expect((await openClient(url).api.graphql(QUERY)).errors).toEqual([{ message: 'no such field' }])
  })
})

describe('a mutation', () => {
  test.each([
    [400, 'bad_request'],
    [413, 'rejected'],
    [415, 'rejected'],
    [422, 'invalid_values'],
    [307, 'rejected'],
  ] as const)('that is refused with %s is reported like over REST, and sent once', async (status, code) => {
    const { url, seen } = await startServer((response) => sendJson(response, status, { code: 'x', detail: 'not so' }))
    expect(await failureOf(openClient(url).api.graphql(MUTATION))).toMatchObject({ code, details: { status } })
    expect(seen).toHaveLength(1)
  })

  test.each([
    ['409 in progress', 409, { code: 'idempotency_in_progress', detail: 'at work' }],
    ['200 that is no GraphQL', 200, { ok: true }],
  ])('whose outcome is unknown is in doubt, and names its key: %s', async (_what, status, answer) => {
    const { url } = await startServer((response) => sendJson(response, status, answer))
    const error = await failureOf(openClient(url).api.graphql(MUTATION))
    expect(error).toMatchObject({ details: { isInDoubt: true, idempotencyKey: 'k-1' } })
    expect(error.details.hint).toContain('--idempotency-key k-1')
    expect(error.message).toContain('it is unknown whether the server applied it')
  })
})
