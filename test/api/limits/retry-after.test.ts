import { expect, test } from 'vitest'
import { readRetryAfterMs } from '../../../src/api/limits/rate-headers.ts'
import type { JsonValue } from '../../../src/core/json.ts'

const NOW_MS = Date.parse('2026-01-01T00:00:00Z')

function read(headers: Record<string, string>, json?: JsonValue, status = 429) {
  return readRetryAfterMs({ status, headers, json }, NOW_MS)
}

test.each([
  ['3', 3000],
  ['0.5', 500],
  ['Thu, 01 Jan 2026 00:00:07 GMT', 7000],
  ['Wed, 31 Dec 2025 00:00:00 GMT', 0],
  ['9'.repeat(400), Number.MAX_SAFE_INTEGER],
  ['-5', undefined],
  ['soon', undefined],
  ['', undefined],
])('Retry-After %j is %j ms', (text, waitMs) => {
  expect(read({ 'retry-after': text })).toBe(waitMs)
})

test('a date is read by the clock of the server that set it', () => {
  const headers = { 'retry-after': 'Thu, 01 Jan 2026 01:00:07 GMT', date: 'Thu, 01 Jan 2026 01:00:00 GMT' }
  expect(read(headers)).toBe(7000)
})

test('a refusal without Retry-After is read from what Close says in its body, or from the headers of the limit', () => {
  expect(read({}, { error: { rate_limit: 60, rate_reset: 1.334 } })).toBe(1334)
  expect(read({ ratelimit: 'limit=2, remaining=0, reset=9' })).toBe(9000)
  expect(read({ 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': `${NOW_MS / 1000 + 4}` })).toBe(4000)
  expect(read({}, { error: { rate_reset: 'soon' } })).toBeUndefined()
})

test('an outage is not read as a limit', () => {
  expect(read({ ratelimit: '"default";r=9;t=60' }, {}, 503)).toBeUndefined()
})
