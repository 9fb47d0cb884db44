import { expect, test } from 'vitest'
import { serveForTest } from '../serve-for-test.ts'

test('a key of any scope is shown itself: its name, scopes, expiry, and its own rate or that of the service', async () => {
  const nowMs = Date.UTC(2026, 0, 1)
  const { send, addKey } = await serveForTest({ now: () => nowMs, rateLimit: { requests: 9, windowMs: 2000 } })
  const show = async (text: string) =>
    (await send('GET', '/v1/key', undefined, { authorization: `Bearer ${text}` })).json
  const writer = await addKey(['write'], { expiresAtMs: nowMs + 1000 })
  expect(await show(writer.text)).toEqual({
    id: writer.key.id,
    name: writer.key.name,
    scopes: ['write'],
    last_four: writer.text.slice(-4),
    rate_limit: { requests: 9, window_ms: 2000 },
    created_at: '2026-01-01T00:00:00.000Z',
    expires_at: '2026-01-01T00:00:01.000Z',
  })
  const free = await addKey(['read'], { rate: 'none' })
  expect(await show(free.text)).toMatchObject({ scopes: ['read'], rate_limit: null, expires_at: null })
  expect((await send('GET', '/v1/key', undefined, { authorization: '' })).status).toBe(401)
})
