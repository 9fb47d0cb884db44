import { expect, test } from 'vitest'
import type { DeliveryEntry } from '../../../../src/service/store/deliveries.ts'
import type { RecordChange, Store, StoreWrite } from '../../../../src/service/store/store.ts'
import {
  changeContact,
  makeContact,
  retryAt,
  SECRET,
  SUCCEEDED,
  settle,
  subscribe,
  takeTurn,
} from '../outbox-samples.ts'
import { answer } from '../samples.ts'
import type { Fixture } from '../store-suite.ts'

const NOON_MS = Date.UTC(2026, 10, 20, 12)
const FIRST_PAGE = { limit: 10, olderThanId: undefined }

/** A write to a subscription that does not change its record. */
function touching(id: string, change: Partial<RecordChange>, write: Partial<StoreWrite> = {}): StoreWrite {
  return {
    resource: 'webhook',
    id,
    idempotency: undefined,
    decide: ({ current }) => ({ next: current, answer: answer(200, ''), ...change }),
    ...write,
  }
}

async function secretsOf(store: Store): Promise<readonly string[] | undefined> {
  await makeContact(store)
  return (await takeTurn(store)).claimed[0]?.secrets
}

async function onlyEntry(store: Store, webhookId: string): Promise<DeliveryEntry | undefined> {
  const { entries } = await store.deliveries.log(webhookId, FIRST_PAGE)
  expect(entries).toHaveLength(1)
  return entries[0]
}

export function webhooksSuite({ open }: Fixture): void {
  test('a rotated secret signs first, the previous one also until its end', async () => {
    let nowMs = NOON_MS
    const store = await open(() => nowMs)
    const id = await subscribe(store)
    await store.write(touching(id, { rotation: { secret: 'second', oldUntilMs: NOON_MS + 1000 } }))
    expect(await secretsOf(store)).toEqual(['second', SECRET])
    nowMs += 500
    await store.write(touching(id, { rotation: { secret: 'third', oldUntilMs: NOON_MS + 2000 } }))
    expect(await secretsOf(store)).toEqual(['third', 'second', SECRET])
    nowMs = NOON_MS + 1000
    expect(await secretsOf(store)).toEqual(['third', 'second'])
    nowMs = NOON_MS + 2000
    expect(await secretsOf(store)).toEqual(['third'])
  })

  test('a rotation without overlap leaves one secret, and many rotations at most six', async () => {
    const store = await open(() => NOON_MS)
    const id = await subscribe(store)
    await store.write(touching(id, { rotation: { secret: 'second', oldUntilMs: NOON_MS } }))
    expect(await secretsOf(store)).toEqual(['second'])
    for (let n = 0; n < 9; n++) {
      await store.write(touching(id, { rotation: { secret: `s${n}`, oldUntilMs: NOON_MS + 1000 } }))
    }
    expect(await secretsOf(store)).toEqual(['s8', 's7', 's6', 's5', 's4', 's3'])
  })

  test('the log has open and ended deliveries, newest event first', async () => {
    const store = await open(() => NOON_MS)
    const [id, other] = [await subscribe(store), await subscribe(store)]
    const contact = await makeContact(store)
    await changeContact(store, contact, 2)
    const { claimed } = await takeTurn(store, { slotsOf: (webhookId) => (webhookId === id ? 9 : 0) })
    await settle(store, claimed, retryAt(NOON_MS + 5000))
    const { entries } = await store.deliveries.log(id, FIRST_PAGE)
    const common = { webhookId: id, recordId: contact }
    expect(entries).toEqual([
      {
        ...common,
        eventId: expect.stringMatching(/^evt_/),
        kind: 'contact.updated',
        state: 'pending',
        attempts: 0,
        nextTryAtMs: NOON_MS + 5 * 60_000,
      },
      {
        ...common,
        eventId: claimed[0]?.eventId,
        kind: 'contact.created',
        state: 'pending',
        attempts: 1,
        nextTryAtMs: NOON_MS + 5000,
        lastTryAtMs: NOON_MS,
        lastStatus: 500,
        lastError: 'answered 500',
      },
    ])
    expect((await store.deliveries.log(other, FIRST_PAGE)).entries.map(({ state }) => state)).toEqual([
      'waiting',
      'sending',
    ])
  })

  test('pages of the log continue where the last one ended, and an unknown subscription has none', async () => {
    const store = await open(() => NOON_MS)
    const id = await subscribe(store)
    for (let n = 0; n < 5; n++) await makeContact(store)
    const all = (await store.deliveries.log(id, FIRST_PAGE)).entries
    const first = await store.deliveries.log(id, { limit: 3, olderThanId: undefined })
    const second = await store.deliveries.log(id, { limit: 3, olderThanId: first.nextOlderThanId })
    expect([...first.entries, ...second.entries]).toEqual(all)
    expect(all).toHaveLength(5)
    expect(second.nextOlderThanId).toBeUndefined()
    for (const unknown of ['wh_none', 'con_1']) {
      expect(await store.deliveries.log(unknown, FIRST_PAGE)).toEqual({ entries: [], nextOlderThanId: undefined })
    }
  })

  for (const outcome of [SUCCEEDED, { type: 'failed', status: 500, reason: 'answered 500' }] as const) {
    test(`a delivery that has ${outcome.type} restarts when it is sent again, and wakes the sender`, async () => {
      const store = await open(() => NOON_MS)
      const id = await subscribe(store)
      await makeContact(store)
      await settle(store, (await takeTurn(store)).claimed, outcome)
      const before = await onlyEntry(store, id)
      expect(before).toMatchObject({ state: outcome.type, attempts: 1 })
      let wakes = 0
      store.deliveries.onWritten(() => wakes++)
      let seen: DeliveryEntry | undefined
      const write = touching(id, {}, { deliveryOf: before?.eventId })
      await store.write({
        ...write,
        decide: (state) => {
          seen = state.delivery
          return { ...write.decide(state), isResent: true }
        },
      })
      expect(seen).toEqual(before)
      expect(wakes).toBe(1)
      expect(await onlyEntry(store, id)).toMatchObject({ state: 'pending', attempts: 0, nextTryAtMs: NOON_MS })
      expect((await takeTurn(store)).claimed).toMatchObject([{ eventId: before?.eventId, failedTries: 0 }])
    })
  }

  test('a delivery in state sending is unchanged', async () => {
    const store = await open(() => NOON_MS)
    const id = await subscribe(store)
    await makeContact(store)
    const { claimed } = await takeTurn(store)
    await store.write(touching(id, { isResent: true }, { deliveryOf: claimed[0]?.eventId }))
    expect((await takeTurn(store)).claimed).toEqual([])
    await settle(store, claimed, SUCCEEDED)
    expect(await onlyEntry(store, id)).toMatchObject({ state: 'succeeded', attempts: 1 })
  })

  test('a turn returns since when no attempt of a subscription has succeeded, until a success', async () => {
    let nowMs = NOON_MS
    const store = await open(() => nowMs)
    const id = await subscribe(store)
    const fail = async () => {
      await makeContact(store)
      const { claimed } = await takeTurn(store)
      return takeTurn(store, { results: claimed.map((claim) => ({ claim, outcome: retryAt(nowMs + 9e9) })) })
    }
    expect((await fail()).failingSinceMs).toEqual(new Map([[id, NOON_MS]]))
    nowMs += 1000
    expect((await fail()).failingSinceMs).toEqual(new Map([[id, NOON_MS]]))
    await makeContact(store)
    const { claimed } = await takeTurn(store)
    const done = await takeTurn(store, { results: claimed.map((claim) => ({ claim, outcome: SUCCEEDED })) })
    expect(done.failingSinceMs).toEqual(new Map())
    nowMs += 1000
    expect((await fail()).failingSinceMs).toEqual(new Map([[id, nowMs]]))
  })
}
