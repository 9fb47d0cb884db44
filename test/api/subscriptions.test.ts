import { expect, test } from 'vitest'
import { sendJson, startServer } from './answering-server.ts'
import { allPages, CONTRACT, failureOf, NO_KEY, openClient, SERVER_TERMS } from './client-fixture.ts'

const delivery = (n: number) => ({ event_id: `evt_${n}`, state: 'failed' })

test('the deliveries of a subscription are read to the end, and a list that does not end is an error', async () => {
  const { url, seen } = await startServer((response, { path }) => {
    const isLoop = path.includes('wh_2')
    const isLast = path.includes('cursor=')
    const next = isLast && !isLoop ? null : 'c1'
    sendJson(response, 200, { data: [delivery(seen.length)], next_cursor: next, has_more: next !== null })
  })
  const { api } = openClient(url)
  const pages = await allPages(api.subscriptions.deliveries('wh_1'))
  expect(pages.flatMap(({ items }) => items)).toEqual([delivery(1), delivery(2)])
  expect(seen.map(({ path }) => path.replace(/limit=\d+/, 'limit=N'))).toEqual([
    '/v1/webhooks/wh_1/deliveries?limit=N',
    '/v1/webhooks/wh_1/deliveries?limit=N&cursor=c1',
  ])
  expect(await failureOf(allPages(api.subscriptions.deliveries('wh_2')))).toMatchObject({ code: 'bad_answer', exit: 7 })
})

test.each([
  ['no list', { data: {} }, 'expected a list at data[]'],
  ['a refusal', { data: [], success: false }, 'cannot list the deliveries of webhook wh_1'],
  ['more and no cursor', { data: [], next_cursor: null, has_more: true }, 'has_more is true'],
])('deliveries with %s are an error', async (_what, body, message) => {
  const { url } = await startServer((response) => sendJson(response, 200, body))
  const error = await failureOf(allPages(openClient(url).api.subscriptions.deliveries('wh_1')))
  expect(error).toMatchObject({ exit: 7, message: expect.stringContaining(message) })
})

test('a resend and a new secret are sent under one key, and again under it when the answer was lost', async () => {
  const { url, seen } = await startServer((response, _request, nth) =>
    nth % 2 === 1 ? void response.destroy() : sendJson(response, 200, { id: 'wh_1', secret: 'whsec_a' }),
  )
  const { api } = openClient(url)
  await api.subscriptions.resend({ webhookId: 'wh_1', eventId: 'evt_1' }, NO_KEY)
  expect(await api.subscriptions.rotate('wh_1', NO_KEY)).toBe('whsec_a')
  expect(seen.map(({ method, path }) => `${method} ${path}`)).toEqual([
    'POST /v1/webhooks/wh_1/deliveries/evt_1/resend',
    'POST /v1/webhooks/wh_1/deliveries/evt_1/resend',
    'POST /v1/webhooks/wh_1/rotate',
    'POST /v1/webhooks/wh_1/rotate',
  ])
  const keys = seen.map(({ headers }) => headers['idempotency-key'])
  expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/)
  expect([keys[1], keys[3]]).toEqual([keys[0], keys[2]])
  expect(keys[2]).not.toBe(keys[0])
})

test.each([
  ['nothing of the subscription', {}],
  ['another subscription', { id: 'wh_2', secret: 'whsec_a' }],
])('an answer with %s leaves a resend and a new secret in doubt, with a command that works', async (_what, body) => {
  const { url } = await startServer((response) => sendJson(response, 200, body))
  const { subscriptions } = openClient(url).api
  expect(await failureOf(subscriptions.resend({ webhookId: 'wh_1', eventId: 'evt_1' }, NO_KEY))).toMatchObject({
    ...{ code: 'in_doubt', exit: 3, details: { hint: 'crm webhooks deliveries wh_1', isInDoubt: true } },
  })
  expect(await failureOf(subscriptions.rotate('wh_1', NO_KEY))).toMatchObject({
    ...{ code: 'in_doubt', exit: 3, details: { hint: 'make another: crm webhooks rotate wh_1', isInDoubt: true } },
  })
})

test('an answer without the new secret leaves it in doubt, and a refusal in a 200 is one', async () => {
  const { url } = await startServer((response, { path }) =>
    sendJson(response, 200, path.endsWith('rotate') ? { id: 'wh_1' } : { id: 'wh_1', success: false }),
  )
  const { subscriptions } = openClient(url).api
  expect(await failureOf(subscriptions.rotate('wh_1', NO_KEY))).toMatchObject({ code: 'in_doubt', exit: 3 })
  const refused = await failureOf(subscriptions.resend({ webhookId: 'wh_1', eventId: 'evt_1' }, NO_KEY))
  expect(refused).toMatchObject({ code: 'rejected', exit: 7 })
})

test('a connector that names none of them is exit 7 before anything is sent', async () => {
  const { url, seen } = await startServer((response) => sendJson(response, 200, { data: [] }))
  const { subscriptions } = openClient(url, { connector: CONTRACT(url, SERVER_TERMS) }).api
  const failures = [
    await failureOf(allPages(subscriptions.deliveries('wh_1'))),
    await failureOf(subscriptions.resend({ webhookId: 'wh_1', eventId: 'evt_1' }, NO_KEY)),
    await failureOf(subscriptions.rotate('wh_1', NO_KEY)),
  ]
  expect(failures.map(({ exit, message }) => [exit, message])).toEqual([
    [7, 'contract (connector) has no deliveries of webhooks'],
    [7, 'contract (connector) has no resend of webhooks'],
    [7, 'contract (connector) has no rotate of webhooks'],
  ])
  expect(seen).toEqual([])
})
