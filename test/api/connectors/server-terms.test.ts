import { expect, test } from 'vitest'
import { createConnector } from '../../../src/api/connectors/connector.ts'
import { withPageSize } from '../../../src/api/connectors/open-connector.ts'
import { serverTerms } from '../../../src/api/server-terms.ts'
import { loadConnector } from '../../../src/connector/load-connector.ts'
import { sendJson, startServer } from '../answering-server.ts'
import { allPages, openClient } from '../client-fixture.ts'

function documentWith(lines: string) {
  return loadConnector(
    `connector: 2\nname: made\n${lines}\nobjects: { contacts: { path: /people, verbs: { list: { items: 'data[]' } } } }`,
    { fileName: 'made.yaml', baseOf: () => undefined },
  )
}

test.each([
  [undefined, 50],
  [20, 20],
  [500, 50],
])('with the page size %s of a profile, a list whose connector allows 50 asks for %d', async (pageSize, size) => {
  const { url, seen } = await startServer((response) => sendJson(response, 200, { data: [{ id: 1 }], next: null }))
  const paging = 'paging: { by: cursor, param: after, next: next, size: { param: per, max: 50 } }'
  const document = withPageSize(documentWith(paging), pageSize)
  const connector = createConnector(document, { baseUrl: url, variables: {} })
  await allPages(openClient(url, { connector }).api.contacts.list())
  expect(seen.map(({ path }) => path)).toEqual([`/people?per=${size}`])
})

test('keys are kept as the connector says', () => {
  const keys = (text: string) => serverTerms(documentWith(`idempotency: ${text}\npaging: none`))
  const whole = { idempotencyHeader: 'X-Once', windowMs: 3_600_000, isScopedByAccount: true }
  expect(keys('{ header: X-Once, window: 1h, scope: account, life: 1m }')).toMatchObject({
    ...{ idempotency: 'kept', ...whole },
    lifeMs: 60_000,
  })
  expect(keys('{ header: X-Once, window: 1h, scope: account, kept: [X-Replayed] }')).toMatchObject({
    ...{ idempotency: undefined, ...whole },
    lifeMs: 120_000,
  })
  expect(keys('{ life: 5m }')).toMatchObject({ idempotency: 'none', lifeMs: 300_000 })
  for (const stated of ['none', 'unknown'])
    expect(keys(stated)).toMatchObject({ idempotency: 'none', idempotencyHeader: 'Idempotency-Key' })
})

test.each([
  [
    '{ header: X-Once, window: 2m }',
    'the window of idempotency keys is 2m, expected more than the life of a request, which is 2m',
  ],
  [
    '{ header: X-Once, life: 1h }',
    'the window of idempotency keys is 30m, expected more than the life of a request, which is 1h',
  ],
  ['{ window: 1h }', '"idempotency" has window, expected header with it'],
  ['{ header: X-Once, window: 5m, life: 5m }', 'the window of idempotency keys is 5m, expected more than'],
])('idempotency %s protects from nothing, and is a mistake', (text, message) => {
  expect(() => documentWith(`idempotency: ${text}\npaging: none`)).toThrow(message)
})

test('the member that carries the run of a fixture is the name of one', () => {
  expect(serverTerms(documentWith('run_marker: crm_run\npaging: none')).runMarker).toBe('crm_run')
  expect(() => documentWith('run_marker: a.b\npaging: none')).toThrow('expected the name of a member, such as crm_run')
})
