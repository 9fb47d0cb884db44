import { expect, test } from 'vitest'
import { serveForTest } from '../serve-for-test.ts'

test('a deal gets the default pipeline and is answered with every digit of its amount', async () => {
  const { send } = await serveForTest()
  const made = await send(
    'POST',
    '/v1/deals',
    '{"name":"Big","amount":1200.50,"stage":"Lead","owner_id":"usr_1","x":[1]}',
  )
  expect(made.status).toBe(201)
  expect(made.text).toContain(
    '"amount":1200.50,"stage":"Lead","owner_id":"usr_1","x":[1],"pipeline_id":"sales","created_at":',
  )
  expect(made.headers.get('location')).toBe(`/v1/deals/${made.json.id}`)
  expect((await send('GET', '/v1/deals')).text).toBe(`{"data":[${made.text}],"next_cursor":null,"has_more":false}`)
})

test('amount and owner may be null or left out', async () => {
  const { send } = await serveForTest()
  expect((await send('POST', '/v1/deals', { name: 'a', stage: 'Won', amount: null, owner_id: null })).status).toBe(201)
  expect((await send('POST', '/v1/deals', { name: 'a', stage: 'Won' })).status).toBe(201)
})

test.each([
  ['{"stage":"Lead"}', '#/name', 'required'],
  ['{"name":"","stage":"Lead"}', '#/name', 'empty'],
  ['{"name":5,"stage":"Lead"}', '#/name', 'wrong_type'],
  ['{"name":"a"}', '#/stage', 'required'],
  ['{"name":"a","stage":null}', '#/stage', 'wrong_type'],
  ['{"name":"a","stage":"lead"}', '#/stage', 'not_allowed'],
  ['{"name":"a","stage":"Lead","amount":"10"}', '#/amount', 'wrong_type'],
  ['{"name":"a","stage":"Lead","amount":1e999}', '#', 'out_of_range'],
  ['{"name":"a","stage":"Lead","owner_id":1}', '#/owner_id', 'wrong_type'],
  ['{"name":"a","stage":"Lead","pipeline_id":"none"}', '#/pipeline_id', 'not_allowed'],
  ['{"name":"a","stage":"Lead","pipeline_id":null}', '#/pipeline_id', 'wrong_type'],
  ['{"name":"a","stage":"Lead","version":1}', '#/version', 'read_only'],
])('creating %s is refused at %s: %s', async (body, pointer, code) => {
  const { send } = await serveForTest()
  const answer = await send('POST', '/v1/deals', body)
  expect(answer.json).toMatchObject({ status: 422, errors: [{ pointer, code }] })
})

test('an unknown stage is answered with those there are', async () => {
  const { send } = await serveForTest()
  const { json } = await send('POST', '/v1/deals', { name: 'a', stage: 'Leed' })
  expect(json.detail).toBe(
    'stage: expected one of "Lead", "Qualified", "Proposal", "Negotiation", "Won", "Lost", not "Leed"',
  )
})

test('filters choose: comma is or, two parameters are and', async () => {
  const { send } = await serveForTest()
  const rows = [
    { name: 'a', stage: 'Lead', amount: 10, owner_id: 'u1' },
    { name: 'b', stage: 'Won', amount: 20, owner_id: 'u1' },
    { name: 'c', stage: 'Lost', amount: 30.5, owner_id: 'u2' },
    { name: 'd', stage: 'Lead', owner_id: 'u2' },
  ]
  for (const row of rows) await send('POST', '/v1/deals', row)
  const names = async (query: string) =>
    ((await send('GET', `/v1/deals?${query}`)).json.data as { name: string }[]).map((deal) => deal.name).join('')
  expect(await names('stage=Lead')).toBe('da')
  expect(await names('stage=Lead,Won')).toBe('dba')
  expect(await names('stage=Lead,Won&owner_id=u1')).toBe('ba')
  expect(await names('name=a,d&pipeline_id=sales')).toBe('da')
  expect(await names('pipeline_id=other')).toBe('')
  expect(await names('amount[gte]=20')).toBe('cb')
  expect(await names('amount%5Blte%5D=20&amount%5Bgte%5D=1e1')).toBe('ba')
  expect(await names('created_since=2020-01-01T00:00:00Z&created_until=2099-12-31T23:59:59.999%2B02:00')).toBe('dcba')
  expect(await names('created_until=2020-01-01T00:00:00Z')).toBe('')
  expect(await names('created_since=2020-01-01t00:00:00.5z')).toBe('dcba')
})

test.each([
  ['stage=', 'stage', 'empty'],
  ['stage=Lead,,Won', 'stage', 'empty'],
  [`name=${Array.from({ length: 101 }, (_, index) => index).join(',')}`, 'name', 'too_many'],
  ['amount[gte]=ten', 'amount[gte]', 'invalid_number'],
  ['amount[lte]=1e999', 'amount[lte]', 'invalid_number'],
  ['created_since=yesterday', 'created_since', 'invalid_time'],
  ['created_since=2026-02-30T00:00:00Z', 'created_since', 'invalid_time'],
  ['created_until=2026-01-01T25:00:00Z', 'created_until', 'invalid_time'],
  ['created_until=2026-01-01', 'created_until', 'invalid_time'],
  ['status=open', 'status', 'unknown_parameter'],
  ['stage=Lead&stage=Won', 'stage', 'repeated_parameter'],
  ['amount=5', 'amount', 'unknown_parameter'],
  ['__proto__=5', '__proto__', 'unknown_parameter'],
  ['toString=5', 'toString', 'unknown_parameter'],
])('listing with %s is refused: %s %s', async (query, parameter, code) => {
  const { send } = await serveForTest()
  const answer = await send('GET', `/v1/deals?${query}`)
  expect(answer.json).toMatchObject({ status: 400, code: 'invalid_parameter', errors: [{ parameter, code }] })
})
