import { expect, test } from 'vitest'
import type { ApiKey, Store } from '../../../../src/service/store/store.ts'
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

async function endsOf(store: Store, id: string): Promise<readonly (number | undefined)[]> {
  const key = await store.findKey(`hash of ${id}`)
  return [key?.expiresAtMs, key?.revokedAtMs]
}

export function keysSuite({ open, makePlace }: Fixture): void {
  test('a key is found by its hash, whole, also after a restart', async () => {
    const reopen = await makePlace()
    const store = await reopen()
    const key = apiKey('key_1', { scopes: ['read'], expiresAtMs: 5000 })
    await store.addKey(key)
    expect(await store.findKey(key.hash)).toEqual(key)
    expect(await store.findKey('another')).toBeUndefined()
    await store.close()
    expect(await (await reopen()).findKey(key.hash)).toEqual(key)
  })

  test('keys are listed oldest first', async () => {
    const store = await open()
    for (const key of [apiKey('key_b', { createdAtMs: 2 }), apiKey('key_c', { createdAtMs: 1 })])
      await store.addKey(key)
    expect((await store.keys()).map(({ id }) => id)).toEqual(['key_c', 'key_b'])
  })

  test('of two ends the earlier one stays', async () => {
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

  test('a key that is not there cannot be ended', async () => {
    const store = await open()
    await expect(store.endKey('key_x', { revokedAtMs: 1 })).rejects.toThrow('there is no API key key_x')
  })
}
