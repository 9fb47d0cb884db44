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

test('amount and owner may be null or missing', async () => {
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
])('creating %s is rejected at %s: %s', async (body, pointer, code) => {
  const { send } = await serveForTest()
  const answer = await send('POST', '/v1/deals', body)
  expect(answer.json).toMatchObject({ status: 422, errors: [{ pointer, code }] })
})

const STAGES = '"Lead", "Qualified", "Proposal", "Negotiation", "Won", "Lost"'

test.each([
  [{ name: 'a', stage: 'Leed' }, `stage: expected one of ${STAGES}, got "Leed"`],
  [{ name: 'a', stage: 5 }, `stage: expected one of ${STAGES}, got 5`],
  [{ name: 'a' }, `stage: required, one of ${STAGES}`],
  [{}, `name: required; stage: required, one of ${STAGES}`],
  [{ name: 'a', stage: 'Lead', pipeline_id: 'x' }, 'pipeline_id: expected one of "sales", got "x"'],
  [{ name: 'a', stage: 'Lead', amount: '12' }, 'amount: expected a number or null, got "12"'],
  [{ name: 'a', stage: 'Lead', amount: '9'.repeat(81) }, `amount: expected a number or null, got "${'9'.repeat(80)}"…`],
  [{ name: [`${'x'.repeat(99)}`], stage: 'Lead' }, `name: expected a string, got ["${'x'.repeat(78)}…`],
  [{ name: 'a', stage: 'Lead', version: 1 }, 'version: read-only: remove it from the request'],
])('%j is rejected with the sent and the expected value', async (body, detail) => {
  const { send } = await serveForTest()
  expect((await send('POST', '/v1/deals', body)).json.detail).toBe(detail)
})

test('a comma in a filter means or, two parameters mean and', async () => {
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
])('listing with %s is rejected: %s %s', async (query, parameter, code) => {
  const { send } = await serveForTest()
  const answer = await send('GET', `/v1/deals?${query}`)
  expect(answer.json).toMatchObject({ status: 400, code: 'invalid_parameter', errors: [{ parameter, code }] })
})

test.each([
  ['bogus=1', /^unknown parameter bogus: expected one of limit, cursor, stage, /],
  ['stage=', /^stage: expected values .*, got ""$/],
  ['amount[gte]=x', /^amount\[gte\]: expected a number, got "x"$/],
  ['created_since=yesterday', /^created_since: expected a time .*, got "yesterday"$/],
  ['limit=0', /^limit: expected a whole number from 1 to 500, got "0"$/],
  ['stage=Lead&stage=Won', /^stage: expected once, got 2 values$/],
  [`cursor=${'y'.repeat(41)}`, /^cursor: "y{40}"… is not a cursor of this service; start the list again without one$/],
])('listing with %s is rejected with the sent value', async (query, detail) => {
  const { send } = await serveForTest()
  expect((await send('GET', `/v1/deals?${query}`)).json.detail).toMatch(detail)
})

test('an unknown parameter of a path without parameters is named', async () => {
  const { send } = await serveForTest()
  expect((await send('POST', '/v1/deals?bogus=1', {})).json.detail).toBe('unknown parameter bogus: there are none')
})
