import { expect, test } from 'vitest'
import { createKey, hashKey, newKeyText, revokeKey, rotateKey } from '../../src/service/keys.ts'
import { newDatabase, openTestStore } from '../harness/database.ts'

const NOW_MS = Date.UTC(2026, 0, 1)

test('a key is 32 random bytes that can be recognised', () => {
  expect(newKeyText()).toMatch(/^crm_key_[A-Za-z0-9_-]{43}$/)
  expect(newKeyText()).not.toBe(newKeyText())
})

test('a store keeps the hash of a key and not the key', async () => {
  const store = await openTestStore({ now: () => NOW_MS })
  const { key, text } = await createKey(store, { name: 'ci', scopes: ['read'], expiresAtMs: undefined }, NOW_MS)
  expect(key).toEqual({
    id: expect.stringMatching(/^key_/),
    name: 'ci',
    hash: hashKey(text),
    lastFour: text.slice(-4),
    scopes: ['read'],
    createdAtMs: NOW_MS,
    expiresAtMs: undefined,
    revokedAtMs: undefined,
  })
  expect(await store.keys()).toEqual([key])
  expect(JSON.stringify(key)).not.toContain(text)
})

test('an existing key can be added, unless it is invalid in a header', async () => {
  const store = await openTestStore({ now: () => NOW_MS })
  const request = { name: 'ci', scopes: ['read'], expiresAtMs: undefined } as const
  expect((await createKey(store, { ...request, text: 'from-elsewhere' }, NOW_MS)).text).toBe('from-elsewhere')
  for (const text of ['', 'two words', 'a\nb', 'schlüssel']) {
    await expect(createKey(store, { ...request, text }, NOW_MS)).rejects.toMatchObject({ code: 'invalid_input' })
  }
})

test.each([
  ['at the same moment', 0],
  ['while the clock steps back', -1000],
])('keys made %s are listed in the order in which they were made', async (_, stepMs) => {
  const store = await openTestStore({ now: () => NOW_MS })
  const names = Array.from({ length: 50 }, (_, count) => `key ${count}`)
  for (const [count, name] of names.entries()) {
    await createKey(store, { name, scopes: ['read'], expiresAtMs: undefined }, NOW_MS + count * stepMs)
  }
  expect((await store.keys()).map((key) => key.name)).toEqual(names)
})

test('keys made by two processes at the same moment have different ids', async () => {
  const address = await newDatabase()
  const stores = [await openTestStore({ address }), await openTestStore({ address })]
  const request = { name: 'ci', scopes: ['read'], expiresAtMs: undefined } as const
  const made = await Promise.all(stores.map((store) => createKey(store, request, NOW_MS)))
  expect(new Set(made.map(({ key }) => key.id)).size).toBe(2)
})

test('a rotated key passes on its name, scopes and lifetime, and ends at once or later', async () => {
  const store = await openTestStore({ now: () => NOW_MS })
  const request = { name: 'ci', scopes: ['read'], expiresAtMs: NOW_MS + 1000 } as const
  const first = await createKey(store, request, NOW_MS)
  const second = await rotateKey(store, first.key.id, { overlapMs: 100, nowMs: NOW_MS + 500, hint: '' })
  expect(second.key).toMatchObject({ name: 'ci', scopes: ['read'], expiresAtMs: NOW_MS + 1500 })
  expect(await store.findKey(first.key.hash)).toMatchObject({ expiresAtMs: NOW_MS + 600, revokedAtMs: undefined })
  await rotateKey(store, second.key.id, { overlapMs: 0, nowMs: NOW_MS + 700, hint: '' })
  expect(await store.findKey(second.key.hash)).toMatchObject({ revokedAtMs: NOW_MS + 700 })
})

test('an overlap longer than the life of the old key does not extend it', async () => {
  const store = await openTestStore({ now: () => NOW_MS })
  const { key } = await createKey(store, { name: 'ci', scopes: ['read'], expiresAtMs: NOW_MS + 1000 }, NOW_MS)
  await rotateKey(store, key.id, { overlapMs: 3_600_000, nowMs: NOW_MS + 500, hint: '' })
  expect(await store.findKey(key.hash)).toMatchObject({ expiresAtMs: NOW_MS + 1000 })
})

test('a missing, revoked or expired key can be neither rotated nor revoked', async () => {
  const store = await openTestStore({ now: () => NOW_MS })
  const request = { name: 'ci', scopes: ['read'], expiresAtMs: undefined } as const
  const { key: revoked } = await createKey(store, request, NOW_MS)
  await revokeKey(store, revoked.id, { nowMs: NOW_MS, hint: '' })
  const { key: expired } = await createKey(store, { ...request, expiresAtMs: NOW_MS }, NOW_MS)
  for (const [id, code] of [
    ['key_none', 'not_found'],
    [revoked.id, 'conflict'],
    [expired.id, 'conflict'],
  ] as const) {
    await expect(rotateKey(store, id, { overlapMs: 0, nowMs: NOW_MS, hint: '' })).rejects.toMatchObject({ code })
    await expect(revokeKey(store, id, { nowMs: NOW_MS, hint: '' })).rejects.toMatchObject({ code })
  }
  expect(await store.keys()).toHaveLength(2)
})
