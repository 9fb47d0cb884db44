import { expect } from 'vitest'
import type { TestService } from './serve-for-test.ts'

/** Without a key. */
export const NOBODY = { authorization: '' }

/** While the database is locked, and after `unlock`. */
export async function expectProbesOfLocked(send: TestService['send'], unlock: () => unknown): Promise<void> {
  const startMs = performance.now()
  const answer = await send('GET', '/readyz', undefined, NOBODY)
  expect(performance.now() - startMs).toBeLessThan(1000)
  expect(answer.json).toMatchObject({ status: 503, code: 'not_ready' })
  expect(answer.headers.get('retry-after')).toBe('5')
  expect((await send('GET', '/healthz', undefined, NOBODY)).status).toBe(200)
  await unlock()
  expect((await send('GET', '/readyz', undefined, NOBODY)).status).toBe(200)
}
