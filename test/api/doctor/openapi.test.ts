import { expect, test } from 'vitest'
import { idempotencyFinding } from '../../../src/api/doctor/idempotency.ts'
import { readOpenApi } from '../../../src/api/doctor/openapi.ts'
import type { JsonObject } from '../../../src/core/json.ts'
import { WIRE } from '../client-fixture.ts'

function read(post: JsonObject, more: JsonObject = {}) {
  const paths = { '/contacts': { post } }
  const openapi = readOpenApi({ openapi: '3.1.0', info: { title: 'T', version: '2' }, paths, ...more }, '/openapi.json')
  return openapi ?? expect.fail('it was not read')
}

const header = (name: string, description = '') => ({ parameters: [{ name, in: 'header', description }] })

test('parameters are read off the operation, its path and the components they point to', () => {
  const limit = { name: 'limit', in: 'query', schema: { maximum: 250 } }
  const paths = {
    '/crm/v1/contacts': {
      parameters: [{ name: 'X-Account', in: 'header' }],
      get: { parameters: [{ $ref: '#/components/parameters/page~1size' }, { $ref: 'https://elsewhere.example/x' }] },
    },
    '/api/graphql': {},
  }
  const openapi = read({}, { paths, components: { parameters: { 'page/size': limit } } })
  expect(openapi.list).toMatchObject([{ name: 'X-Account' }, { name: 'limit', maximum: 250 }])
  expect(openapi.graphqlPath).toBe('/api/graphql')
})

test.each([[undefined], [[]], [{ paths: {} }], [{ openapi: '3.1.0' }], ['<html>']])(
  'what is no OpenAPI document is not taken for one: %j',
  (json) => {
    expect(readOpenApi(json, '/openapi.json')).toBeUndefined()
  },
)

test.each([
  ['kept for 24 hours', '1d'],
  ['Keys are pruned after 30 days.', '30d'],
  ['a 90-minute window', '90m'],
  ['kept for 24 hours, or 7 days on request', null],
  ['kept for a while', null],
])('the window is read where one length of time is told: %s', (description, window) => {
  expect(idempotencyFinding(read(header('Idempotency-Key', description)), WIRE)).toMatchObject({ found: { window } })
})

test('a header of another name, and a shorter window than is relied on, are warnings with what to write', () => {
  expect(idempotencyFinding(read(header('X-Idempotency-Key', 'for 10 minutes')), WIRE)).toMatchObject({
    state: 'warn',
    proposals: [
      { setting: 'wire.idempotency_header', value: 'X-Idempotency-Key' },
      { setting: 'wire.idempotency_window', value: '10m' },
    ],
  })
  expect(idempotencyFinding(read(header('idempotency-key', 'for 30 minutes')), WIRE)).toMatchObject({
    state: 'ok',
    proposals: [],
  })
})

test('what no document tells is not known, because only a write could show it', () => {
  expect(idempotencyFinding(undefined, WIRE)).toMatchObject({ state: 'unknown', found: { header: null, window: null } })
  expect(idempotencyFinding(read({}), WIRE)).toMatchObject({ state: 'unknown' })
})
