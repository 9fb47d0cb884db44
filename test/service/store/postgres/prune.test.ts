import { expect, test } from 'vitest'
import { openTestStore } from '../../../harness/database.ts'
import { takeTurn } from '../outbox-samples.ts'
import { creation } from '../samples.ts'

const NOON_MS = Date.UTC(2026, 10, 20, 12)
const HOUR_MS = 3_600_000

test('expired answers are deleted from PostgreSQL without another write', async () => {
  let nowMs = NOON_MS
  const store = await openTestStore({ now: () => nowMs, retention: { answersMs: HOUR_MS } })
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
