import { expect, inject, onTestFinished, test } from 'vitest'
import { openStore } from '../../../../src/service/store/open-store.ts'
import { createDatabase, dropDatabase } from '../../../harness/postgres/databases.ts'
import { takeTurn } from '../outbox-samples.ts'
import { creation } from '../samples.ts'

const NOON_MS = Date.UTC(2026, 10, 20, 12)
const HOUR_MS = 3_600_000

test('expired answers are deleted from PostgreSQL without another write', async () => {
  const server = inject('postgres')
  const address = await createDatabase(server)
  let nowMs = NOON_MS
  const store = await openStore({ address, now: () => nowMs, retention: { answersMs: HOUR_MS } })
  onTestFinished(async () => {
    await store.close()
    await dropDatabase(server, address)
  })
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
