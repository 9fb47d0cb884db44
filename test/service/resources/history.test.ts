import { expect, test } from 'vitest'
import { OPEN_RESOURCES, RESOURCES } from '../../../src/core/resources/registry.ts'
import { openTestStore } from '../../harness/database.ts'
import { serveForTest } from '../serve-for-test.ts'

type Change = Readonly<Record<string, unknown>>

function changesOf({ json }: { readonly json: Record<string, unknown> }): readonly Change[] {
  return json.data as Change[]
}

test('the history of a contact has each change with old and new values, key, job and request', async () => {
  const { send, key } = await serveForTest()
  const headers = { 'crm-job': 'job_1', 'x-request-id': 'req-1' }
  const { id, created_at } = (await send('POST', '/v1/contacts', '{"name":"Ada","score":12.50}', headers)).json
  await send('PATCH', `/v1/contacts/${id}`, { name: null, email: 'ada@engines.example' }, { 'x-request-id': 'req-2' })
  const { text, ...answer } = await send('GET', `/v1/contacts/${id}/history`)
  const about = { resource: 'contact', record_id: id, key_id: key.key.id, key_name: 'test', is_erased: false }
  expect(changesOf(answer)).toEqual([
    {
      ...{ ...about, id: expect.stringMatching(/^chg_/), at: expect.any(String), action: 'updated', version: 2 },
      ...{ previous_at: created_at, job: null, request_id: 'req-2', fields: ['name', 'email'] },
      ...{ old: { name: 'Ada', email: null }, new: { name: null, email: 'ada@engines.example' } },
    },
    {
      ...{ ...about, id: expect.stringMatching(/^chg_/), at: created_at, action: 'created', version: 1 },
      ...{ previous_at: null, job: 'job_1', request_id: 'req-1', fields: ['name', 'score'] },
      ...{ old: null, new: { name: 'Ada', score: 12.5 } },
    },
  ])
  expect(text).toContain('"score":12.50')
})

test('the time of a change is the updated_at of the record', async () => {
  const { send } = await serveForTest()
  const { id } = (await send('POST', '/v1/contacts', { name: 'Ada' })).json
  for (let count = 0; count < 50; count++) {
    const { updated_at } = (await send('PATCH', `/v1/contacts/${id}`, { count })).json
    expect(changesOf(await send('GET', `/v1/contacts/${id}/history?limit=1`))[0]).toMatchObject({ at: updated_at })
  }
})

test.each(OPEN_RESOURCES)(
  'a deleted %s has a history without values, and an unknown one is a 404',
  async (resource) => {
    const { send } = await serveForTest()
    const { path, example } = RESOURCES[resource]
    const { id } = (await send('POST', path, example)).json
    await send('DELETE', `${path}/${id}`, undefined, { 'crm-job': 'job_2' })
    const answer = await send('GET', `${path}/${id}/history`)
    expect(changesOf(answer)).toMatchObject([
      { action: 'deleted', fields: [], old: null, new: null, job: 'job_2', is_erased: false },
      { action: 'created', fields: Object.keys(example), old: null, new: null, is_erased: true },
    ])
    expect(answer.text).not.toContain(String(Object.values(example)[0]))
    expect(await send('GET', `${path}/${id}x/history`)).toMatchObject({ status: 404, json: { code: 'not_found' } })
  },
)

test('a patch without changes and a refused write have no entry', async () => {
  const { send } = await serveForTest()
  const { id } = (await send('POST', '/v1/contacts', { name: 'Ada' })).json
  await send('PATCH', `/v1/contacts/${id}`, { name: 'Ada' })
  await send('PATCH', `/v1/contacts/${id}`, { name: 'Grace' }, { 'if-match': '"7"' })
  expect(changesOf(await send('GET', '/v1/history'))).toHaveLength(1)
})

test('all changes are filtered by time, key, job and resource, in pages that follow one another', async () => {
  const { send, addKey } = await serveForTest()
  const other = await addKey(['write'], { name: 'nightly' })
  const asOther = { authorization: `Bearer ${other.text}`, 'crm-job': 'job_9' }
  for (let count = 0; count < 3; count++) await send('POST', '/v1/contacts', { name: `${count}` })
  const { created_at } = (await send('POST', '/v1/contacts', { name: 'Ada' }, asOther)).json
  const deal = (await send('POST', '/v1/deals', { name: 'Fleet', stage: 'Lead' }, asOther)).json
  await send('POST', `/v1/deals/${deal.id}/notes`, { body: 'Call back' })
  const resources = async (query: string) =>
    changesOf(await send('GET', `/v1/history?${query}`)).map(({ resource }) => resource)
  expect(await resources('')).toEqual(['note', 'deal', 'contact', 'contact', 'contact', 'contact'])
  expect(await resources('made_by=nightly')).toEqual(['deal', 'contact'])
  expect(await resources(`made_by=${other.key.id}&resource=deal`)).toEqual(['deal'])
  expect(await resources('job=job_9')).toEqual(['deal', 'contact'])
  expect(await resources(`since=${created_at}`)).toEqual(expect.arrayContaining(['note', 'deal', 'contact']))
  expect(await resources('until=2020-01-01T00:00:00Z')).toEqual([])
  const first = await send('GET', '/v1/history?limit=4')
  expect(first.headers.get('link')).toContain('rel="next"')
  const rest = await send('GET', `/v1/history?limit=4&cursor=${first.json.next_cursor}`)
  expect([...changesOf(first), ...changesOf(rest)]).toEqual(changesOf(await send('GET', '/v1/history')))
})

test.each([
  ['made_by=nobody', 'made_by: there is no key with the id or name "nobody"'],
  ['resource=webhook', 'resource: expected one of contact, deal, note, company, task, got "webhook"'],
  ['since=yesterday', 'since: expected a time such as'],
  ['who=me', 'unknown parameter who: expected one of limit, cursor, since, until, made_by, job, resource'],
])('%s is a 400 that says what was expected', async (query, detail) => {
  const { send } = await serveForTest()
  const { status, json } = await send('GET', `/v1/history?${query}`)
  expect({ status, detail: json.detail }).toEqual({ status: 400, detail: expect.stringContaining(detail) })
})

test.each(['', 'a b', 'x'.repeat(129), 'a"b'])('Crm-Job %j is a 400, and nothing is written', async (job) => {
  const { send } = await serveForTest()
  const answer = await send('POST', '/v1/contacts', { name: 'Ada' }, { 'crm-job': job === '' ? ' ' : job })
  expect(answer).toMatchObject({ status: 400, json: { code: 'invalid_header' } })
  expect(changesOf(await send('GET', '/v1/contacts'))).toEqual([])
})

test('the history needs the scope read', async () => {
  const { send, addKey } = await serveForTest()
  const { text } = await addKey(['write'])
  for (const path of ['/v1/history', '/v1/contacts/con_1/history']) {
    const answer = await send('GET', path, undefined, { authorization: `Bearer ${text}` })
    expect(answer).toMatchObject({ status: 403, json: { code: 'insufficient_scope' } })
  }
})

test('a service that keeps no history has an empty one', async () => {
  const store = openTestStore({ retention: { historyMs: 0 } })
  const { send } = await serveForTest({ store })
  const { id } = (await send('POST', '/v1/contacts', { name: 'Ada' })).json
  expect(changesOf(await send('GET', `/v1/contacts/${id}/history`))).toEqual([])
})
