import { expect, test } from 'vitest'
import {
  changeContact,
  LEASE_MS,
  makeContact,
  retryAt,
  SECRET,
  SUCCEEDED,
  settle,
  subscribe,
  takeTurn,
} from '../outbox-samples.ts'
import { answer, removal } from '../samples.ts'
import type { Fixture } from '../store-suite.ts'

const NOON_MS = Date.UTC(2026, 10, 20, 12)
const DAY_MS = 24 * 60 * 60 * 1000

export function deliveriesSuite({ open, makePlace }: Fixture): void {
  test('a claim contains ids, address, secret, text and attempts', async () => {
    const store = await open(() => NOON_MS)
    const webhookId = await subscribe(store, 'https://example.com/hook')
    const id = await makeContact(store)
    const { claimed, claimedUntilMs } = await takeTurn(store)
    expect(claimedUntilMs).toBe(NOON_MS + LEASE_MS)
    expect(claimed).toEqual([
      {
        eventId: expect.stringMatching(/^evt_[0-9a-z]{11}$/),
        webhookId,
        claimedUntilMs,
        url: 'https://example.com/hook',
        secrets: [SECRET],
        text: `{"created":"${id}"}`,
        failedTries: 0,
      },
    ])
  })

  test('a claimed delivery is not claimed again until the claim ends', async () => {
    let nowMs = NOON_MS
    const reopen = await makePlace()
    const [one, other] = [await reopen(() => nowMs), await reopen(() => nowMs)]
    await subscribe(one)
    await makeContact(one)
    const [first] = (await takeTurn(one)).claimed
    expect((await takeTurn(other)).claimed).toEqual([])
    expect((await takeTurn(other)).nextDueAtMs).toBe(NOON_MS + LEASE_MS)
    nowMs += LEASE_MS
    expect((await takeTurn(other)).claimed).toEqual([{ ...first, claimedUntilMs: nowMs + LEASE_MS }])
  })

  test('a renewed claim continues, and a result of the old one is ignored', async () => {
    let nowMs = NOON_MS
    const store = await open(() => nowMs)
    await subscribe(store)
    await makeContact(store)
    const { claimed } = await takeTurn(store)
    nowMs += LEASE_MS - 1
    await takeTurn(store, { renewals: claimed })
    nowMs += LEASE_MS - 1
    expect(await settle(store, claimed, SUCCEEDED)).toEqual([])
    nowMs += 1
    expect((await takeTurn(store)).claimed).toHaveLength(1)
  })

  test('a result of a claim taken over by another process is ignored', async () => {
    let nowMs = NOON_MS
    const store = await open(() => nowMs)
    await subscribe(store)
    await makeContact(store)
    const late = (await takeTurn(store)).claimed
    nowMs += LEASE_MS
    const current = (await takeTurn(store)).claimed
    await settle(store, late, retryAt(NOON_MS))
    await settle(store, current, SUCCEEDED)
    nowMs += DAY_MS
    expect((await takeTurn(store)).claimed).toEqual([])
  })

  test('a failure is due again at its time with its attempts, a success never', async () => {
    let nowMs = NOON_MS
    const store = await open(() => nowMs)
    await subscribe(store)
    await makeContact(store)
    expect(await settle(store, (await takeTurn(store)).claimed, retryAt(NOON_MS + 5000))).toEqual([])
    expect((await takeTurn(store)).nextDueAtMs).toBe(NOON_MS + 5000)
    nowMs += 4999
    expect((await takeTurn(store)).claimed).toEqual([])
    nowMs += 1
    const again = (await takeTurn(store)).claimed
    expect(again).toMatchObject([{ failedTries: 1 }])
    await settle(store, again, SUCCEEDED)
    nowMs += DAY_MS / 2
    expect(await takeTurn(store)).toMatchObject({ claimed: [], nextDueAtMs: undefined })
  })

  test('a delivery returned untried is due at once without an attempt', async () => {
    const store = await open(() => NOON_MS)
    await subscribe(store)
    await makeContact(store)
    const [again] = await settle(store, (await takeTurn(store)).claimed, { type: 'untried' })
    expect(again).toMatchObject({ failedTries: 0 })
  })

  test('events of one record are sent in order, those of other records concurrently', async () => {
    const store = await open(() => NOON_MS)
    await subscribe(store)
    const id = await makeContact(store)
    await changeContact(store, id, 1)
    await changeContact(store, id, 2)
    const other = await makeContact(store)
    const first = (await takeTurn(store)).claimed
    expect(first.map(({ text }) => text)).toEqual([`{"created":"${id}"}`, `{"created":"${other}"}`])
    const second = await settle(store, first, SUCCEEDED)
    expect(second.map(({ text }) => text)).toEqual(['{"step":1}'])
    expect(await settle(store, second, { type: 'failed', status: 500, reason: 'x' })).toMatchObject([
      { text: '{"step":2}' },
    ])
  })

  test('the order of one subscription does not delay another one', async () => {
    const store = await open(() => NOON_MS)
    const slow = await subscribe(store)
    await subscribe(store)
    const id = await makeContact(store)
    await changeContact(store, id, 1)
    const { claimed } = await takeTurn(store)
    const quick = claimed.filter(({ webhookId }) => webhookId !== slow)
    expect(claimed).toHaveLength(2)
    expect(await settle(store, quick, SUCCEEDED)).toMatchObject([{ text: '{"step":1}' }])
  })

  test('an event overtakes one that has failed for five minutes, and not before', async () => {
    let nowMs = NOON_MS
    const store = await open(() => nowMs)
    await subscribe(store)
    const id = await makeContact(store)
    await changeContact(store, id, 1)
    await changeContact(store, id, 2)
    await settle(store, (await takeTurn(store)).claimed, retryAt(NOON_MS + DAY_MS))
    nowMs += 5 * 60_000 - 1
    expect(await takeTurn(store)).toMatchObject({ claimed: [], nextDueAtMs: nowMs + 1 })
    nowMs += 1
    const second = (await takeTurn(store)).claimed
    expect(second).toMatchObject([{ text: '{"step":1}' }])
    // It fails as well: an event after both has waited long enough.
    expect(await settle(store, second, retryAt(nowMs + DAY_MS))).toMatchObject([{ text: '{"step":2}' }])
  })

  test('an event after failing ones waits at most five minutes, less when they end', async () => {
    let nowMs = NOON_MS
    const store = await open(() => nowMs)
    await subscribe(store)
    const id = await makeContact(store)
    await settle(store, (await takeTurn(store)).claimed, retryAt(NOON_MS + 20 * 60_000))
    nowMs += 18 * 60_000
    await changeContact(store, id, 1)
    expect(await takeTurn(store)).toMatchObject({ claimed: [], nextDueAtMs: NOON_MS + 20 * 60_000 })
    nowMs += 2 * 60_000
    const first = (await takeTurn(store)).claimed
    expect(first).toMatchObject([{ text: `{"created":"${id}"}`, failedTries: 1 }])
    expect(await settle(store, first, SUCCEEDED)).toMatchObject([{ text: '{"step":1}' }])
  })

  test('nothing overtakes a waiting event, however long nothing was sent', async () => {
    let nowMs = NOON_MS
    const store = await open(() => nowMs)
    await subscribe(store)
    const id = await makeContact(store)
    await changeContact(store, id, 1)
    nowMs += DAY_MS
    expect((await takeTurn(store)).claimed).toMatchObject([{ text: `{"created":"${id}"}` }])
  })

  test('claims are limited per subscription and in total', async () => {
    const store = await open(() => NOON_MS)
    const full = await subscribe(store)
    await subscribe(store)
    for (let n = 0; n < 3; n++) await makeContact(store)
    const slotsOf = (id: string) => (id === full ? 0 : 2)
    expect((await takeTurn(store, { slots: 1, slotsOf })).claimed).toHaveLength(1)
    const { claimed, nextDueAtMs } = await takeTurn(store, { slotsOf })
    expect(claimed).toHaveLength(2)
    expect(claimed.filter(({ webhookId }) => webhookId === full)).toEqual([])
    expect(nextDueAtMs).toBe(NOON_MS + LEASE_MS)
  })

  test('due and waiting deliveries of a disabled subscription fail', async () => {
    let nowMs = NOON_MS
    const store = await open(() => nowMs)
    const id = await subscribe(store)
    const contact = await makeContact(store)
    await changeContact(store, contact, 1)
    await store.write({
      resource: 'webhook',
      id,
      idempotency: undefined,
      decide: (state) => ({
        next: { text: JSON.stringify({ id: state.id, status: 'disabled' }), version: 2 },
        answer: answer(200, ''),
      }),
    })
    expect(await takeTurn(store)).toMatchObject({ claimed: [], nextDueAtMs: undefined })
    nowMs += DAY_MS
    expect(await takeTurn(store)).toMatchObject({ claimed: [], nextDueAtMs: undefined })
  })

  test('removing a subscription deletes its deliveries, also those in progress', async () => {
    const store = await open(() => NOON_MS)
    const id = await subscribe(store)
    await makeContact(store)
    const { claimed } = await takeTurn(store)
    await store.write(removal('webhook', id))
    expect(await settle(store, claimed, SUCCEEDED)).toEqual([])
    expect((await takeTurn(store)).nextDueAtMs).toBeUndefined()
  })

  test('listeners are called only for commits that wrote deliveries', async () => {
    const store = await open(() => NOON_MS)
    let count = 0
    const end = store.deliveries.onWritten(() => count++)
    await makeContact(store)
    expect(count).toBe(0)
    await subscribe(store)
    await makeContact(store)
    expect(count).toBe(1)
    end()
    await makeContact(store)
    expect(count).toBe(1)
  })
}
