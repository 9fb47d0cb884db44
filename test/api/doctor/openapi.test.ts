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

const UNSAID = { ...WIRE, idempotency: undefined }
const TOLD = { wire: UNSAID, samples: [] }

const header = (name: string, description = '') => ({ parameters: [{ name, in: 'header', description }] })

test('parameters are read off the operation, its path and the components they point to', () => {
  const limit = { name: 'limit', in: 'query', schema: { maximum: 250 } }
  const paths = {
    '/crm/v1/contacts': {
      parameters: [{ name: 'X-Account', in: 'header' }],
      get: { parameters: [{ $ref: '#/components/parameters/page~1size' }, { $ref: 'https://elsewhere.example/x' }] },
    },
  }
  const openapi = read({}, { paths, components: { parameters: { 'page/size': limit } } })
  expect(openapi.list).toMatchObject([{ name: 'X-Account' }, { name: 'limit', maximum: 250 }])
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
])('the window is read where one length of time is stated: %s', (description, window) => {
  expect(idempotencyFinding(read(header('Idempotency-Key', description)), TOLD)).toMatchObject({ found: { window } })
})

test('a header of another name, and a shorter window than is relied on, are warnings with what to write', () => {
  expect(idempotencyFinding(read(header('X-Idempotency-Key', 'for 10 minutes')), TOLD)).toMatchObject({
    state: 'warn',
    proposals: [
      { setting: 'wire.idempotency_header', value: 'X-Idempotency-Key' },
      { setting: 'wire.idempotency_window', value: '10m' },
    ],
  })
  expect(idempotencyFinding(read(header('idempotency-key', 'for 30 minutes')), TOLD)).toMatchObject({
    state: 'ok',
    proposals: [],
  })
})

test('without a document, keeping of keys is unknown, because only a write could show it', () => {
  expect(idempotencyFinding(undefined, TOLD)).toMatchObject({ state: 'unknown', found: { header: null, window: null } })
  expect(idempotencyFinding(read({}), TOLD)).toMatchObject({ state: 'unknown' })
})

const AGAIN = 'a create in doubt is sent again with its key'
const LOOKED_UP = 'a create in doubt is looked up; if that is inconclusive, it stays in doubt (exit 3)'

test.each([
  ['kept', ['by wire.idempotency', AGAIN], undefined, { wire: { ...WIRE, idempotency: 'kept' }, samples: [] }],
  ['none', ['wire.idempotency is none', LOOKED_UP], undefined, { wire: { ...WIRE, idempotency: 'none' }, samples: [] }],
  [
    'kept',
    ['by idempotency-policy', AGAIN],
    undefined,
    { wire: UNSAID, samples: [{ headers: { 'idempotency-policy': 'x' } }] },
  ],
  ['kept', ['by /openapi.json', AGAIN], 'Idempotency-Key', TOLD],
  ['unknown', ['set wire.idempotency kept', LOOKED_UP], 'X-Other-Idempotency', TOLD],
  ['unknown', ['set wire.idempotency kept', LOOKED_UP], undefined, TOLD],
] as const)('keys that are %s (%j): the finding follows from it', (kept, parts, name, stated) => {
  const { seen, found } = idempotencyFinding(name && read(header(name)), stated)
  expect(found).toMatchObject({ kept })
  for (const part of parts) expect(seen).toContain(part)
})
