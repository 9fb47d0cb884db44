import { expect, test } from 'vitest'
import { type ApiKey, KEY_USES_KEPT_MS, type KeyUse, type Store } from '../../../../src/service/store/store.ts'
import type { Fixture } from '../store-suite.ts'

function apiKey(id: string, more: Partial<ApiKey> = {}): ApiKey {
  return {
    id,
    name: 'ci',
    hash: `hash of ${id}`,
    lastFour: 'abcd',
    scopes: ['read', 'write'],
    createdAtMs: 1000,
    expiresAtMs: undefined,
    revokedAtMs: undefined,
    ...more,
  }
}

const HOUR_MS = 60 * 60 * 1000

function use(keyId: string, more: Partial<KeyUse> = {}): KeyUse {
  const action = 'POST /a'
  return { keyId, action, hourMs: 0, count: 1, refusedCount: 0, lastAtMs: 5, lastAddress: '127.0.0.1', ...more }
}

async function endsOf(store: Store, id: string): Promise<readonly (number | undefined)[]> {
  const key = await store.findKey(`hash of ${id}`)
  return [key?.expiresAtMs, key?.revokedAtMs]
}

export function keysSuite({ open, makePlace }: Fixture): void {
  test('a key is found by its hash, whole, also after a restart', async () => {
    const reopen = await makePlace()
    const store = await reopen()
    const key = apiKey('key_1', { scopes: ['read'], expiresAtMs: 5000, rate: { requests: 9, windowMs: 1000 } })
    await store.addKey(key)
    expect(await store.findKey(key.hash)).toEqual(key)
    expect(await store.findKey('another')).toBeUndefined()
    await store.close()
    expect(await (await reopen()).findKey(key.hash)).toEqual(key)
  })

  test('keys are listed in the order of their ids, whatever their times', async () => {
    const store = await open()
    for (const key of [apiKey('key_c', { createdAtMs: 1 }), apiKey('key_b', { createdAtMs: 2 })])
      await store.addKey(key)
    expect((await store.keys()).map(({ id }) => id)).toEqual(['key_b', 'key_c'])
  })

  test('the earlier of two ends applies', async () => {
    const store = await open()
    await store.addKey(apiKey('key_1', { expiresAtMs: 5000 }))
    await store.endKey('key_1', { expiresAtMs: 6000 })
    expect(await endsOf(store, 'key_1')).toEqual([5000, undefined])
    await store.endKey('key_1', { expiresAtMs: 4000 })
    expect(await endsOf(store, 'key_1')).toEqual([4000, undefined])
    await store.endKey('key_1', { revokedAtMs: 3000 })
    expect(await endsOf(store, 'key_1')).toEqual([4000, 3000])
    await store.endKey('key_1', { revokedAtMs: 3500 })
    await store.endKey('key_1', { expiresAtMs: 3500 })
    expect(await endsOf(store, 'key_1')).toEqual([4000, 3000])
  })

  test('a missing key cannot be ended', async () => {
    const store = await open()
    await expect(store.endKey('key_x', { revokedAtMs: 1 })).rejects.toThrow('there is no API key key_x')
  })

  test('the rate of a key is its own, none, or that of the service', async () => {
    const store = await open()
    const rates = [{ requests: 1, windowMs: 2000 }, 'none', undefined] as const
    for (const [index, rate] of rates.entries()) await store.addKey(apiKey(`key_${index}`, { rate }))
    expect((await store.keys()).map(({ rate }) => rate)).toEqual(rates)
  })

  test('uses of a key are summed by hour and action, with the last use, newest hour first', async () => {
    const store = await open(() => 3 * HOUR_MS)
    for (const id of ['key_1', 'key_2']) await store.addKey(apiKey(id))
    const first = use('key_1', { count: 3, refusedCount: 1, lastAtMs: 10 })
    await store.addKeyUses([first, use('key_1', { action: 'GET /b' }), use('key_gone')])
    const later = use('key_2', { hourMs: HOUR_MS, lastAtMs: HOUR_MS + 5 })
    await store.addKeyUses([use('key_1', { lastAtMs: 20, lastAddress: '::1' }), later])
    const sum = use('key_1', { count: 4, refusedCount: 1, lastAtMs: 20, lastAddress: '::1' })
    const all = await store.keyUses({ keyId: undefined, sinceMs: 0 })
    expect(all).toEqual([later, sum, use('key_1', { action: 'GET /b' })])
    expect(await store.keyUses({ keyId: 'key_2', sinceMs: 0 })).toEqual([later])
    expect(await store.keyUses({ keyId: undefined, sinceMs: 20 })).toEqual([later, sum])
    expect((await store.keys()).map(({ lastUsedAtMs }) => lastUsedAtMs)).toEqual([20, HOUR_MS + 5])
  })

  test('hours that are too old are deleted', async () => {
    let nowMs = HOUR_MS
    const store = await open(() => nowMs)
    await store.addKey(apiKey('key_1'))
    await store.addKeyUses([use('key_1')])
    nowMs += KEY_USES_KEPT_MS
    const later = use('key_1', { hourMs: nowMs })
    await store.addKeyUses([later])
    expect(await store.keyUses({ keyId: undefined, sinceMs: 0 })).toEqual([later])
  })
}
