import { Webhook as StandardWebhook } from 'standardwebhooks'
import { expect, test } from 'vitest'
import { newWebhookSecret } from '../../src/core/signing.ts'
import type { LogEntry } from '../../src/service/log.ts'
import { ROTATION_OVERLAP_MS, resendDelivery, rotateSecret } from '../../src/service/resources/webhooks.ts'
import type { RecordChange, StoreWrite, WriteState } from '../../src/service/store/store.ts'
import { type DeliveringService, deliverForTest } from './delivery/deliver-for-test.ts'
import { type Received, startReceiver } from './delivery/receiver.ts'

const DAY_MS = 24 * 60 * 60 * 1000
const START_MS = Date.UTC(2026, 10, 20, 12)

function change(
  { store }: Pick<DeliveringService, 'store'>,
  id: string,
  decide: (state: WriteState) => RecordChange,
  more: Partial<StoreWrite> = {},
) {
  return store.write({ resource: 'webhook', id, idempotency: undefined, decide, ...more })
}

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
  const secret = newWebhookSecret()
  const rotated = await change(service, id, (state) => rotateSecret(state, { secret, overlapMs: ROTATION_OVERLAP_MS }))
  expect(rotated).toMatchObject({ type: 'done', answer: { status: 200, etag: '"2"' } })
  expect('answer' in rotated && JSON.parse(rotated.answer.body)).toMatchObject({ id, secret, version: 2 })
  expect(JSON.stringify(await service.statusOf(id))).not.toContain('whsec_')

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
  await expect
    .poll(async () => (await service.store.deliveries.log(id, { limit: 1, olderThanId: undefined })).entries[0]?.state)
    .toBe('succeeded')
  await change(service, id, (state) => resendDelivery(state, eventId), { deliveryOf: eventId })
  const again = (await receiver.arrived(2))[1] as Received
  expect(again.headers['webhook-id']).toBe(eventId)
  expect(again.body).toEqual(first.body)

  const none = 'evt_00000000000'
  await expect(change(service, id, (state) => resendDelivery(state, none), { deliveryOf: none })).rejects.toMatchObject(
    {
      status: 404,
    },
  )
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
  await expect(
    change(service, id, (state) => resendDelivery(state, eventId), { deliveryOf: eventId }),
  ).rejects.toMatchObject({ status: 409, parts: { code: 'webhook_disabled' } })
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
