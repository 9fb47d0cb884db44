import { Webhook as StandardWebhook } from 'standardwebhooks'
import { expect, test } from 'vitest'
import type { LogEntry } from '../../src/service/log.ts'
import { deliverForTest } from './delivery/deliver-for-test.ts'
import { type Received, startReceiver } from './delivery/receiver.ts'

const DAY_MS = 24 * 60 * 60 * 1000
const START_MS = Date.UTC(2026, 10, 20, 12)

function isAccepted(secret: string, { body, headers }: Received, nowMs: number): boolean {
  const named = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => [name, String(headers[name])])
  // The verifier reads the clock of this machine, which the clock of the test is not.
  const realNow = Date.now
  Date.now = () => nowMs
  try {
    new StandardWebhook(secret).verify(body.toString(), Object.fromEntries(named))
    return true
  } catch {
    return false
  } finally {
    Date.now = realNow
  }
}

test('for a day after a rotation both secrets verify, then only the new one', async () => {
  let nowMs = START_MS
  const receiver = await startReceiver()
  const service = await deliverForTest({ now: () => nowMs })
  const { id, secret: old } = await service.subscribe(receiver.url)
  const rotate = () => service.send('POST', `/v1/webhooks/${id}/rotate`, undefined, { 'idempotency-key': 'k' })
  const rotated = await rotate()
  expect([rotated.status, rotated.headers.get('etag')]).toEqual([200, '"2"'])
  expect(rotated.json).toMatchObject({ id, secret: expect.stringMatching(/^whsec_/), version: 2 })
  const again = await rotate()
  expect([again.text, again.headers.get('idempotent-replayed')]).toEqual([rotated.text, 'true'])
  expect(JSON.stringify(await service.statusOf(id))).not.toContain('whsec_')
  const secret = String(rotated.json.secret)

  const acceptedBy = async (count: number) => {
    await service.make(`n${count}`)
    const last = (await receiver.arrived(count)).at(-1) as Received
    return [isAccepted(secret, last, nowMs), isAccepted(old, last, nowMs)]
  }
  expect(await acceptedBy(1)).toEqual([true, true])
  nowMs += DAY_MS - 1
  expect(await acceptedBy(2)).toEqual([true, true])
  nowMs += 1
  expect(await acceptedBy(3)).toEqual([true, false])
})

test('an accepted delivery is sent again with its id, and an unknown one is a 404', async () => {
  const receiver = await startReceiver()
  const service = await deliverForTest()
  const { id } = await service.subscribe(receiver.url)
  await service.make('Ada')
  const [first] = (await receiver.arrived(1)) as [Received]
  const eventId = String(first.headers['webhook-id'])
  const path = `/v1/webhooks/${id}/deliveries`
  await expect.poll(async () => (await service.send('GET', path)).json.data).toMatchObject([{ state: 'succeeded' }])
  const resend = () => service.send('POST', `${path}/${eventId}/resend`, undefined, { 'idempotency-key': 'k' })
  const sent = await resend()
  expect([sent.status, sent.json.id]).toEqual([200, id])
  const again = (await receiver.arrived(2))[1] as Received
  expect(again.headers['webhook-id']).toBe(eventId)
  expect(again.body).toEqual(first.body)
  expect((await resend()).headers.get('idempotent-replayed')).toBe('true')

  const none = await service.send('POST', `${path}/evt_00000000000/resend`)
  expect([none.status, none.json.detail]).toEqual([404, expect.stringContaining('evt_00000000000')])
  const extra = await service.send('POST', `${path}/${eventId}/resend`, { now: true })
  expect(extra.json).toMatchObject({ status: 422, errors: [{ pointer: '#/now', code: 'not_allowed' }] })
})

test('the deliveries of a subscription are listed in pages, newest first, with what became of them', async () => {
  const receiver = await startReceiver((_request, index) => (index === 0 ? 500 : 200))
  const service = await deliverForTest({ retryDelaysMs: [0, DAY_MS] })
  const { id } = await service.subscribe(receiver.url)
  for (const count of [1, 2, 3]) {
    await service.make(`n${count}`)
    await receiver.arrived(count)
  }
  const path = `/v1/webhooks/${id}/deliveries`
  const page = (query: string) => service.send('GET', `${path}${query}`)
  await expect.poll(async () => (await page('')).text).not.toMatch(/sending/)
  const whole = (await page('')).json as { data: Record<string, unknown>[]; has_more: boolean }
  expect(whole).toMatchObject({ next_cursor: null, has_more: false })
  expect(whole.data.map(({ state, last_status }) => [state, last_status])).toEqual([
    ['succeeded', 200],
    ['succeeded', 200],
    ['pending', 500],
  ])
  expect(whole.data.at(-1)).toEqual({
    ...{ event_id: receiver.received[0]?.headers['webhook-id'], webhook_id: id, kind: 'contact.created' },
    ...{ record_id: expect.stringMatching(/^con_/), state: 'pending', attempts: 1 },
    ...{ next_try_at: expect.any(String), last_try_at: expect.any(String) },
    ...{ last_status: 500, last_error: 'answered 500' },
  })
  const first = await page('?limit=2')
  expect(first.json).toMatchObject({ data: whole.data.slice(0, 2), has_more: true })
  const rest = await page(`?cursor=${first.json.next_cursor}`)
  expect(rest.json).toMatchObject({ data: whole.data.slice(2), has_more: false })
  const other = await service.subscribe(receiver.url)
  const elsewhere = await service.send('GET', `/v1/webhooks/${other.id}/deliveries?cursor=${first.json.next_cursor}`)
  expect(elsewhere.json).toMatchObject({ status: 400, errors: [{ parameter: 'cursor', code: 'invalid_cursor' }] })
})

test('a subscription without a success for five days is disabled with the reason', async () => {
  let nowMs = START_MS
  let status = 200
  const receiver = await startReceiver(() => status)
  const entries: LogEntry[] = []
  const service = await deliverForTest({ now: () => nowMs, retryDelaysMs: [0], log: (entry) => entries.push(entry) })
  const { id } = await service.subscribe(receiver.url)
  const isTold = async (name: string, count: number) => {
    await service.make(name)
    await receiver.arrived(count)
    const entry = async () => (await service.store.deliveries.log(id, { limit: 1, olderThanId: undefined })).entries[0]
    await expect.poll(async () => (await entry())?.state).toMatch(/succeeded|failed/)
    return entry()
  }
  status = 500
  await isTold('a', 1)
  nowMs += 4 * DAY_MS
  status = 200
  await isTold('b', 2)
  status = 500
  await isTold('c', 3)
  nowMs += 5 * DAY_MS - 1
  const last = await isTold('d', 4)
  expect((await service.statusOf(id)).status).toBe('enabled')
  nowMs += 1
  await isTold('e', 5)
  await expect.poll(async () => (await service.statusOf(id)).status).toBe('disabled')
  expect(await service.statusOf(id)).toMatchObject({
    disabled_reason: 'no attempt has succeeded for 5 days',
    version: 2,
  })

  const failures = entries.filter(({ event }) => event === 'delivery_failed')
  expect(failures).toHaveLength(4)
  expect(failures[0]).toMatchObject({ level: 'info', webhook_id: id, attempt: 1, status: 500, reason: 'answered 500' })
  const reason = 'no attempt has succeeded for 5 days'
  expect(entries.at(-1)).toEqual({ level: 'warn', event: 'webhook_disabled', webhook_id: id, reason })

  const eventId = last?.eventId ?? ''
  const again = await service.send('POST', `/v1/webhooks/${id}/deliveries/${eventId}/resend`)
  expect(again.json).toMatchObject({ status: 409, code: 'webhook_disabled' })
  expect(receiver.received).toHaveLength(5)
})

test('there are ten attempts at the times of Standard Webhooks, up to a tenth earlier or later', async () => {
  let nowMs = START_MS
  const failing = await startReceiver(() => 500)
  const other = await startReceiver()
  const service = await deliverForTest({ now: () => nowMs, retryDelaysMs: undefined })
  const { id } = await service.subscribe(failing.url, ['contact.*'])
  await service.subscribe(other.url, ['deal.created'])
  let wakes = 0
  /** The sender looks at the clock when an event is written, and not only once a second. */
  const wakeAt = async (timeMs: number) => {
    nowMs = timeMs
    await service.send('POST', '/v1/deals', { name: 'x', stage: 'Lead' })
    await other.arrived(++wakes)
  }
  /** The next try counts from the end of the one before, which is when that is kept. */
  const attemptsAre = (count: number) =>
    expect
      .poll(async () => (await service.store.deliveries.log(id, { limit: 1, olderThanId: undefined })).entries[0])
      .toMatchObject({ attempts: count })
  await service.make('Ada')
  const [S, MIN, H] = [1000, 60_000, 3_600_000]
  const delaysMs = [5 * S, 5 * MIN, 30 * MIN, 2 * H, 5 * H, 10 * H, 14 * H, 20 * H, 24 * H]
  for (const [index, delayMs] of delaysMs.entries()) {
    await attemptsAre(index + 1)
    const triedAtMs = nowMs
    await wakeAt(triedAtMs + delayMs * 0.9 - S)
    await wakeAt(triedAtMs + delayMs * 1.1 + S)
  }
  await attemptsAre(10)
  await wakeAt(nowMs + 100 * H)
  const times = failing.received.map(({ headers }) => Number(headers['webhook-timestamp']) * S)
  const waitsMs = times.slice(1).map((timeMs, index) => timeMs - (times[index] ?? 0))
  expect(waitsMs).toHaveLength(9)
  for (const [index, delayMs] of delaysMs.entries()) expect(waitsMs[index]).toBeCloseTo(delayMs * 1.1 + S, -4)
})
