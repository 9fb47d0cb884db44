import { expect, test } from 'vitest'
import { baseHeaders, ifMatchHeader } from '../../src/api/transport/headers.ts'
import { CrmError } from '../../src/core/errors.ts'
import { startServer } from './answering-server.ts'
import { failureOf, openClient, WIRE } from './client-fixture.ts'

const wire = WIRE

test.each([
  ['3', '"3"'],
  ['"3"', '"3"'],
  ['W/"3"', 'W/"3"'],
  ['*', '*'],
])('the entity tag %s is sent as %s', (tag, header) => {
  expect(ifMatchHeader(tag)).toBe(header)
})

test.each(['', '"', 'a b', '3"', 'a\r\nX: y', 'ü'])('%j is not an entity tag', (tag) => {
  expect(() => ifMatchHeader(tag)).toThrow(CrmError)
})

test.each(['', 'a b', 'a\r\nX: y', 'schlüssel', 'k'.repeat(256)])(
  '%j is no idempotency key',
  async (idempotencyKey) => {
    const { url, seen } = await startServer((response) => response.writeHead(201).end('{}'))
    const error = await failureOf(openClient(url).api.contacts.create({}, { idempotencyKey }))
    expect(error.code).toBe('invalid_input')
    expect(seen).toHaveLength(0)
  },
)

test.each(['', 'crm_key_a b', 'crm_key_ü', 'crm_key_a\n'])(
  'a key that no header can carry is refused and not shown',
  (key) => {
    const refused = () => baseHeaders({ key, wire, userAgent: 'crm/0' })
    expect(refused).toThrow(CrmError)
    expect(refused).not.toThrow(/crm_key_/)
  },
)

test('the name of the idempotency header must be one', () => {
  const refused = () => baseHeaders({ key: 'k', wire: { ...wire, idempotencyHeader: 'X Once:' }, userAgent: 'crm/0' })
  expect(refused).toThrow('wire.idempotency_header is not the name of a header: "X Once:"')
})
