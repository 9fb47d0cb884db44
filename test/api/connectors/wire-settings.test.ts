import { expect, test } from 'vitest'
import { createConnector } from '../../../src/api/connectors/connector.ts'
import { loadConnector } from '../../../src/api/connectors/load-connector.ts'
import { withSettings } from '../../../src/api/connectors/open-connector.ts'
import { createRecordMap } from '../../../src/api/connectors/record-map.ts'
import { completedWire } from '../../../src/api/connectors/server-rules.ts'
import { WIRE_DEFAULTS, type Wire } from '../../../src/core/wire.ts'
import { sendJson, startServer } from '../answering-server.ts'
import { allPages, openClient, WIRE } from '../client-fixture.ts'

const UNSET: Wire = { ...WIRE, ...WIRE_DEFAULTS, idempotency: undefined }

function documentWith(lines: string) {
  return loadConnector(
    `connector: 1\nname: made\n${lines}\nresources: { contacts: { path: /people, id: id, list: { items: 'data[]' } } }`,
    { fileName: 'made.yaml', baseOf: () => undefined },
  )
}

/** The addresses that a list of three people asks for. */
async function asked(settings: Partial<Wire>): Promise<readonly string[]> {
  const people = [1, 2, 3].map((id) => ({ id }))
  const { url, seen } = await startServer((response, { path }) => {
    const { searchParams } = new URL(path, 'http://host')
    const isFirst = !searchParams.has('after') && !searchParams.has('from')
    const part = isFirst ? people.slice(0, 2) : people.slice(2)
    sendJson(response, 200, { data: part, list: part, next: isFirst ? 'c2' : null, other: isFirst ? 'd2' : null })
  })
  const wire = { ...UNSET, ...settings }
  const declared = '{ by: cursor, param: after, next: next, size: { param: per, max: 50 } }'
  const document = withSettings(documentWith(`paging: ${declared}`), wire)
  const connector = createConnector(document, { baseUrl: url, variables: {} }, createRecordMap)
  const { api } = openClient(url, { connector, key: 'crm_key_of_the_test', wire })
  const pages = await allPages(api.contacts.list())
  expect(pages.flatMap(({ items }) => items)).toHaveLength(3)
  return seen.map(({ path }) => path)
}

test('a list asks as its connector says, and by a setting that differs from its default', async () => {
  expect(await asked({})).toEqual(['/people?per=50', '/people?per=50&after=c2'])
  expect(await asked({ pageSize: 20 })).toEqual(['/people?per=20', '/people?per=20&after=c2'])
  expect(await asked({ limitParam: 'count' })).toEqual(['/people?count=50', '/people?count=50&after=c2'])
  expect(await asked({ limitParam: undefined })).toEqual(['/people', '/people?after=c2'])
  expect(await asked({ cursorParam: 'from' })).toEqual(['/people?per=50', '/people?per=50&from=c2'])
  expect(await asked({ nextPath: 'other' })).toEqual(['/people?per=50', '/people?per=50&after=d2'])
  expect(await asked({ itemsPath: 'list' })).toEqual(['/people?per=50', '/people?per=50&after=c2'])
})

test('keys are kept as the connector says, unless a setting says otherwise', () => {
  const document = documentWith('idempotency: { header: X-Once, keeps: 1h, scope: account }\npaging: none')
  expect(completedWire(UNSET, document)).toMatchObject({
    idempotency: 'kept',
    idempotencyHeader: 'X-Once',
    idempotencyWindowMs: 3_600_000,
    isWindowOfAccount: true,
  })
  const settings = { idempotency: 'none', idempotencyHeader: 'X-Other', idempotencyWindowMs: 600_000 } as const
  expect(completedWire({ ...UNSET, ...settings }, document)).toMatchObject(settings)
  for (const stated of ['none', 'unknown']) {
    const without = documentWith(`idempotency: ${stated}\npaging: none`)
    expect(completedWire(UNSET, without)).toMatchObject({ idempotency: 'none', idempotencyHeader: 'Idempotency-Key' })
    expect(completedWire({ ...UNSET, idempotency: 'kept' }, without)).toMatchObject({ idempotency: 'kept' })
  }
})
