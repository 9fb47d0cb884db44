import { expect, test } from 'vitest'
import { newDatabase, openTestStore } from '../harness/database.ts'
import { tableRows } from '../harness/database-rows.ts'
import { sample } from '../harness/sample.ts'
import { serveForTest } from './serve-for-test.ts'

const FRAGMENTS = [
  "'; DROP TABLE contacts; --",
  "x'::text; SELECT pg_sleep(9); --",
  '$1 OR $2',
  "' OR '1'='1",
  '" OR 1=1 --',
  '1; DELETE FROM deals',
  "x' UNION SELECT sql FROM sqlite_schema --",
  '1) OR (1=1',
  "\\'; VACUUM INTO '/tmp/x'; --",
  '%',
  '_%',
  '*/ PRAGMA writable_schema=1; /*',
  "a\0' OR 1=1",
]

/** Text parameters find nothing; numbers, times and cursors are rejected. */
const PARAMETERS = { stage: 200, owner_id: 200, pipeline_id: 200, name: 200 } as const
const TYPED = ['limit', 'cursor', 'amount[gte]', 'amount[lte]', 'created_since', 'created_until']

async function serveWithRecords() {
  const address = await newDatabase()
  const service = await serveForTest({ store: await openTestStore({ address }) })
  const { json: contact } = await service.send('POST', '/v1/contacts', { name: 'Ada' })
  const { json: deal } = await service.send('POST', '/v1/deals', {
    name: 'a',
    stage: 'Lead',
    owner_id: 'u1',
    amount: 1,
  })
  await service.send('POST', `/v1/deals/${deal.id}/notes`, { body: 'hello' })
  return { ...service, address, contact, deal }
}

/** All tables with their rows except `sequence`, which changes on rejected writes. */
async function dump(address: string): Promise<unknown> {
  const { sequence: _, ...tables } = await tableRows(address)
  return tables
}

test('SQL in any parameter or its name finds nothing or is rejected, and changes nothing', async () => {
  const { send, address } = await serveWithRecords()
  const before = await dump(address)
  for (const fragment of sample(FRAGMENTS, 3)) {
    const text = encodeURIComponent(fragment)
    for (const [parameter, status] of Object.entries(PARAMETERS)) {
      const answer = await send('GET', `/v1/deals?${parameter}=${text}`)
      expect([parameter, fragment, answer.status, answer.json.data]).toEqual([parameter, fragment, status, []])
    }
    for (const parameter of TYPED) {
      const { json } = await send('GET', `/v1/deals?${encodeURIComponent(parameter)}=${text}`)
      expect([parameter, fragment, json.status, json.code]).toEqual([parameter, fragment, 400, 'invalid_parameter'])
    }
    for (const member of ['email', 'name', 'phone', 'company', 'owner_id']) {
      const { status, json } = await send('GET', `/v1/contacts?${member}=${text}`)
      expect([member, fragment, status, json.data]).toEqual([member, fragment, 200, []])
    }
    for (const path of ['contacts', 'deals']) {
      for (const query of [`limit=${text}`, `cursor=${text}`, `${text}=1`]) {
        expect((await send('GET', `/v1/${path}?${query}`)).status).toBe(400)
      }
    }
  }
  expect(await dump(address)).toEqual(before)
})

test('SQL as an id in a path finds nothing and changes nothing', async () => {
  const { send, address, contact, deal } = await serveWithRecords()
  const before = await dump(address)
  for (const fragment of sample(FRAGMENTS, 3)) {
    for (const id of [fragment, `${contact.id}${fragment}`, `${deal.id}${fragment}`]) {
      const text = encodeURIComponent(id)
      const requests = [
        ['GET', `/v1/contacts/${text}`, undefined],
        ['PATCH', `/v1/deals/${text}`, { name: 'x' }],
        ['DELETE', `/v1/notes/${text}`, undefined],
        ['GET', `/v1/webhooks/${text}`, undefined],
        ['PATCH', `/v1/contacts/${text}`, { name: 'x' }],
        ['DELETE', `/v1/contacts/${text}`, undefined],
        ['POST', `/v1/deals/${text}/notes`, { body: 'x' }],
        ['GET', `/v1/pipelines/${text}/stages`, undefined],
      ] as const
      for (const [method, path, body] of requests) {
        expect([method, path, (await send(method, path, body)).status]).toEqual([method, path, 404])
      }
    }
  }
  expect(await dump(address)).toEqual(before)
})

test('SQL in headers and bodies is text or rejected', async () => {
  const { send, address, contact } = await serveWithRecords()
  for (const fragment of FRAGMENTS.filter((text) => !text.includes('\0'))) {
    const keyed = await send('POST', '/v1/contacts', { name: fragment }, { 'idempotency-key': fragment })
    expect([fragment, keyed.status === 400 || keyed.json.name === fragment]).toEqual([fragment, true])
    const matched = await send('PATCH', `/v1/contacts/${contact.id}`, { name: 'x' }, { 'if-match': fragment })
    expect([400, 412]).toContain(matched.status)
    const unknown = await send('GET', '/v1/contacts', undefined, { authorization: `Bearer ${fragment}` })
    expect([400, 401]).toContain(unknown.status)
    const deal = await send('POST', '/v1/deals', { name: fragment, stage: fragment })
    expect(deal.status).toBe(422)
  }
  expect(await dump(address)).toHaveProperty('contacts')
  expect((await send('GET', '/v1/contacts?limit=500')).text).toContain('"Ada"')
})
