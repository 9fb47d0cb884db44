import { expect, test } from 'vitest'
import type { Store } from '../../../../src/service/store/store.ts'
import { changeContact, makeContact, retryAt, SUCCEEDED, settle, subscribe, takeTurn } from '../outbox-samples.ts'
import { creation } from '../samples.ts'
import type { Fixture } from '../store-suite.ts'

const NOON_MS = Date.UTC(2026, 10, 20, 12)
const HOUR_MS = 3_600_000

const LOG = { limit: 10, olderThanId: undefined }

const FAILED = { type: 'failed', status: 500, reason: 'answered 500' } as const

/** The number of entries in the log, after a turn, which deletes old ones. */
async function keptBy(store: Store, webhookId: string): Promise<number> {
  await takeTurn(store)
  return (await store.deliveries.log(webhookId, LOG)).entries.length
}

export function retentionSuite({ open, makePlace }: Fixture): void {
  test('an answer is replayed for the time of the store, and not longer', async () => {
    let nowMs = NOON_MS
    const store = await open(() => nowMs, { retention: { answersMs: HOUR_MS } })
    const keyed = creation('contact', {}, { idempotency: { key: 'k', fingerprint: 'f' } })
    await store.write(keyed)
    nowMs += HOUR_MS
    expect(await store.write(keyed)).toHaveProperty('type', 'replayed')
    nowMs += 1
    expect(await store.replay({ key: 'k', fingerprint: 'f' })).toBeUndefined()
    expect(await store.write(keyed)).toHaveProperty('type', 'done')
  })

  test('expired answers are deleted without another write', async () => {
    let nowMs = NOON_MS
    const store = await open(() => nowMs, { retention: { answersMs: HOUR_MS } })
    for (const key of ['a', 'b', 'c']) {
      await store.write(creation('contact', {}, { idempotency: { key, fingerprint: 'f' } }))
    }
    nowMs += HOUR_MS
    await takeTurn(store)
    expect((await store.stats()).idempotencyKeys).toBe(3)
    nowMs += 1
    await takeTurn(store)
    expect((await store.stats()).idempotencyKeys).toBe(0)
  })

  test('successes and failures stay in the log for the times of the store', async () => {
    let nowMs = NOON_MS
    const store = await open(() => nowMs, { retention: { successesMs: HOUR_MS, failuresMs: 2 * HOUR_MS } })
    const id = await subscribe(store)
    await makeContact(store)
    await makeContact(store)
    const [first, second] = (await takeTurn(store)).claimed
    if (!(first && second)) throw new Error('expected two')
    await settle(store, [first], SUCCEEDED)
    await settle(store, [second], FAILED)
    nowMs += HOUR_MS
    expect(await keptBy(store, id)).toBe(2)
    nowMs += 1
    expect(await keptBy(store, id)).toBe(1)
    nowMs += HOUR_MS
    expect(await keptBy(store, id)).toBe(0)
  })

  test('a shorter time also ends entries that were written under a longer one, and no open delivery', async () => {
    let nowMs = NOON_MS
    const reopen = await makePlace()
    const before = await reopen(() => nowMs)
    const id = await subscribe(before)
    await makeContact(before)
    await settle(before, (await takeTurn(before)).claimed, FAILED)
    await makeContact(before)
    await settle(before, (await takeTurn(before)).claimed, retryAt(NOON_MS + 9 * HOUR_MS))
    await before.close()
    const after = await reopen(() => nowMs, { retention: { successesMs: HOUR_MS, failuresMs: HOUR_MS } })
    expect(await keptBy(after, id)).toBe(2)
    nowMs += HOUR_MS + 1
    expect(await keptBy(after, id)).toBe(1)
    expect(await after.deliveries.backlog()).toMatchObject({ open: 1, failing: 1 })
  })

  test('the backlog counts what is open and failing, from the oldest event', async () => {
    let nowMs = NOON_MS
    const store = await open(() => nowMs)
    expect(await store.deliveries.backlog()).toEqual({ open: 0, failing: 0, oldestEventMs: undefined })
    await subscribe(store)
    const id = await makeContact(store)
    nowMs += 1000
    const other = await makeContact(store)
    await changeContact(store, id, 1)
    const [first, second] = (await takeTurn(store)).claimed
    if (!(first && second)) throw new Error('expected two')
    await settle(store, [second], retryAt(NOON_MS + HOUR_MS))
    expect(await store.deliveries.backlog()).toEqual({ open: 3, failing: 1, oldestEventMs: NOON_MS })
    await settle(store, [first], SUCCEEDED)
    expect(await store.deliveries.backlog()).toEqual({ open: 2, failing: 1, oldestEventMs: NOON_MS + 1000 })
    expect(second.text).toContain(other)
    expect((await store.stats()).openDeliveries).toBe(2)
  })
}
