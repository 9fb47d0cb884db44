import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { openStore } from '../../../../src/service/store/open-store.ts'
import type { Store } from '../../../../src/service/store/store.ts'
import { temporaryFolder } from '../temporary-folder.ts'

/** Two processes on one file, of which the first has just used a key. */
async function openBoth(): Promise<{ service: Store; admin: Store }> {
  const address = join(await temporaryFolder(), 'crm.db')
  const service = await openStore({ address, now: Date.now })
  const admin = await openStore({ address, now: Date.now, isCreated: false })
  onTestFinished(async () => {
    await service.close()
    await admin.close()
  })
  const ends = { expiresAtMs: undefined, revokedAtMs: undefined }
  const key = {
    id: 'key_1',
    name: 'ci',
    hash: 'h',
    lastFour: 'abcd',
    scopes: ['read'],
    createdAtMs: 1,
    ...ends,
  } as const
  await admin.addKey(key)
  expect(await service.findKey('h')).toMatchObject(key)
  return { service, admin }
}

test('a key revoked by another process stops with the next turn of the event loop', async () => {
  const { service, admin } = await openBoth()
  await admin.endKey('key_1', { revokedAtMs: 7 })
  await setImmediate()
  expect(await service.findKey('h')).toHaveProperty('revokedAtMs', 7)
})

test('a key revoked by this process stops at once', async () => {
  const { service } = await openBoth()
  await service.endKey('key_1', { revokedAtMs: 7 })
  expect(await service.findKey('h')).toHaveProperty('revokedAtMs', 7)
})

test('the uses of a key are those written last', async () => {
  const { service } = await openBoth()
  const use = { keyId: 'key_1', action: 'GET /', hourMs: 0, count: 1, refusedCount: 0, lastAtMs: 9, lastAddress: '::1' }
  await service.addKeyUses([use])
  expect(await service.findKey('h')).toHaveProperty('lastUsedAtMs', 9)
})

test('a key that another process adds is found', async () => {
  const { service, admin } = await openBoth()
  const [key] = await admin.keys()
  if (!key) throw new Error('the key is gone')
  expect(await service.findKey('other')).toBeUndefined()
  await admin.addKey({ ...key, id: 'key_2', hash: 'other' })
  expect(await service.findKey('other')).toHaveProperty('id', 'key_2')
})
