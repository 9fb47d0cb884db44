import { expect, test } from 'vitest'
import { openTestStore } from '../../../harness/database.ts'

test('a request that comes late, from the window before, does not start the window again', async () => {
  const { countRequests } = await openTestStore()
  const count = (window: number, requests: number) =>
    countRequests?.({ keyId: 'key_1', windowMs: 1000, window, count: requests })
  expect(await count(5, 90)).toBe(0)
  expect(await count(4, 1)).toBe(90)
  expect(await count(5, 1)).toBe(91)
  expect(await count(6, 1)).toBe(0)
  // A clock that was set back.
  expect(await count(2, 1)).toBe(0)
})
