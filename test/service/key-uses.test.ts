import { expect, test } from 'vitest'
import { CrmError } from '../../src/core/errors.ts'
import { gatherKeyUses } from '../../src/service/key-uses.ts'
import { revokeKey } from '../../src/service/keys.ts'
import type { KeyUse } from '../../src/service/store/store.ts'
import { serveForTest } from './serve-for-test.ts'

const USE = { keyId: 'key_1', action: 'GET /a', isRefused: false, atMs: 7_200_001, address: '::1' }

function fail(error: unknown): never {
  throw error
}

test('the uses of each key, rejected or not, are stored when the service has stopped', async () => {
  const nowMs = Date.UTC(2026, 10, 20, 12, 34)
  const { send, store, server, key, addKey } = await serveForTest({ now: () => nowMs })
  const reader = await addKey(['read'])
  const asReader = { authorization: `Bearer ${reader.text}` }
  for (const name of ['a', 'b']) await send('POST', '/v1/contacts', { name })
  await send('POST', '/v1/contacts', { name: 1 })
  await send('POST', '/v1/contacts', { name: 'c' }, asReader)
  await revokeKey(store, reader.key.id, { nowMs, hint: '' })
  await send('GET', '/v1/contacts', undefined, asReader)
  await send('GET', '/healthz')
  await server.close()
  const uses = await store.keyUses({ keyId: undefined, sinceMs: 0 })
  const common = { hourMs: Date.UTC(2026, 10, 20, 12), lastAtMs: nowMs, lastAddress: '127.0.0.1' }
  const post = { ...common, action: 'POST /v1/contacts' }
  expect(uses).toHaveLength(3)
  expect(uses).toEqual(
    expect.arrayContaining([
      { ...post, keyId: key.key.id, count: 3, refusedCount: 1 },
      { ...post, keyId: reader.key.id, count: 1, refusedCount: 1 },
      { ...common, action: 'GET /v1/contacts', keyId: reader.key.id, count: 1, refusedCount: 1 },
    ]),
  )
})

test('uses over GraphQL are recorded by mutation name, rejected or not, and as query', async () => {
  const { send, store, server } = await serveForTest()
  const ask = (query: string) => send('POST', '/v1/graphql', { query })
  await ask('{ contacts { nodes { id } } deals { nodes { id } } }')
  const input = '(input: {name: "a"}) { contact { id } }'
  await ask(
    `mutation { a: createContact${input} b: createContact${input} c: deleteContact(input: {id: "x"}) { deletedId } }`,
  )
  await ask('mutation { updateDeal(input: {id: "x", json: {name: "a"}}) { deal { id } } }')
  await ask('{ nope }')
  await server.close()
  const uses = await store.keyUses({ keyId: undefined, sinceMs: 0 })
  expect(uses.map(({ action, count, refusedCount }) => `${action} ${count} ${refusedCount}`).sort()).toEqual([
    'POST /v1/graphql 1 1',
    'graphql createContact 1 0',
    'graphql deleteContact 1 1',
    'graphql query 1 0',
    'graphql updateDeal 1 1',
  ])
})

test('a thousand uses are one row in one write', async () => {
  const written: (readonly KeyUse[])[] = []
  const uses = gatherKeyUses({ addKeyUses: async (all) => void written.push(all) }, { onFailure: fail })
  for (let n = 0; n < 1000; n++) uses.add({ ...USE, isRefused: n % 2 === 0 })
  await uses.close()
  const { keyId, action } = USE
  const row = {
    keyId,
    action,
    count: 1000,
    refusedCount: 500,
    hourMs: 7_200_000,
    lastAtMs: USE.atMs,
    lastAddress: '::1',
  }
  expect(written).toEqual([[row]])
})

test('uses that a locked database rejects are written the next time, with later ones', async () => {
  const written: KeyUse[] = []
  let tries = 0
  let isLocked = true
  const uses = gatherKeyUses(
    {
      addKeyUses: async (all) => {
        tries++
        if (isLocked) throw new CrmError('machine', 'database is locked', { hint: 'wait' })
        written.push(...all)
      },
    },
    { onFailure: fail, flushMs: 10 },
  )
  uses.add(USE)
  await expect.poll(() => tries).toBeGreaterThan(0)
  uses.add(USE)
  isLocked = false
  await expect.poll(() => written.map(({ count }) => count)).toEqual([2])
  await uses.close()
})

test('a use whose client disconnected first is kept without an address', async () => {
  const { store, key } = await serveForTest()
  const uses = gatherKeyUses(store, { onFailure: fail })
  uses.add({ ...USE, atMs: Date.now(), keyId: key.key.id, address: undefined })
  await uses.close()
  expect(await store.keyUses({ keyId: undefined, sinceMs: 0 })).toMatchObject([{ count: 1, lastAddress: 'unknown' }])
})

test('an audit write that can never succeed is reported and dropped, and the next one succeeds', async () => {
  const failures: unknown[] = []
  const written: KeyUse[] = []
  const broken = new TypeError('cannot be bound')
  const uses = gatherKeyUses(
    {
      addKeyUses: async (all) => {
        if (failures.length === 0) throw broken
        written.push(...all)
      },
    },
    { onFailure: (error) => failures.push(error), flushMs: 10 },
  )
  uses.add(USE)
  await expect.poll(() => failures).toEqual([broken])
  uses.add(USE)
  await uses.close()
  expect(written.map(({ count }) => count)).toEqual([1])
})
