import { expect, test } from 'vitest'
import { readRateSignal, readResetMs } from '../../../src/api/limits/rate-headers.ts'

const NOW_MS = Date.parse('2026-01-01T00:00:00Z')
const inAMinute = NOW_MS / 1000 + 60

test.each<[string, Record<string, string>, object]>([
  [
    'draft 6',
    { 'ratelimit-limit': '2', 'ratelimit-remaining': '1', 'ratelimit-reset': '60', 'ratelimit-policy': '2;w=60' },
    { limit: 2, remaining: 1 },
  ],
  [
    'draft 7',
    { ratelimit: 'limit=2, remaining=1, reset=60', 'ratelimit-policy': '2;w=60' },
    { limit: 2, remaining: 1 },
  ],
  [
    'draft 8',
    { ratelimit: '"default"; r=1; t=60', 'ratelimit-policy': '"default"; q=2; w=60; pk=:MTJj:' },
    { limit: 2, remaining: 1 },
  ],
  [
    'the service',
    { ratelimit: '"default";r=1;t=60', 'ratelimit-policy': '"default";q=1000;w=10', 'x-ratelimit-remaining': '7' },
    { limit: 1000, remaining: 1 },
  ],
  [
    'the tightest of several',
    { ratelimit: '"a, r=0";r=50;t=1, "day";r=1;t=60, "month";r=900;t=9000' },
    { remaining: 1 },
  ],
  [
    'X-RateLimit',
    { 'x-ratelimit-limit': '2', 'x-ratelimit-remaining': '1', 'x-ratelimit-reset': `${inAMinute}` },
    { limit: 2, remaining: 1 },
  ],
  ['X-Rate-Limit', { 'x-rate-limit-remaining': '1', 'x-rate-limit-reset': `${inAMinute * 1000}` }, { remaining: 1 }],
  ['a date', { 'x-ratelimit-remaining': '1', 'x-ratelimit-reset': '2026-01-01T00:01:00Z' }, { remaining: 1 }],
  [
    'a limit with its policies',
    { 'ratelimit-limit': '100, 100;w=60', 'ratelimit-remaining': '1', 'ratelimit-reset': '60' },
    { limit: 100 },
  ],
  [
    'HubSpot',
    {
      'x-hubspot-ratelimit-max': '100',
      'x-hubspot-ratelimit-remaining': '1',
      'x-hubspot-ratelimit-interval-milliseconds': '60000',
    },
    { limit: 100, remaining: 1 },
  ],
])('%s is understood', (_dialect, headers, signal) => {
  expect(readRateSignal(headers, NOW_MS)).toMatchObject({ resetInMs: 60_000, ...signal })
})

test.each<[Record<string, string>]>([
  [{}],
  [{ ratelimit: '' }],
  [{ ratelimit: 'yes' }],
  [{ ratelimit: '"default"; r=x; t=60' }],
  [{ ratelimit: '"default"; r=-1; t=60' }],
  [{ ratelimit: '"default"; r=1' }],
  [{ ratelimit: 'limit=2, remaining=1' }],
  [{ 'x-ratelimit-remaining': '1' }],
  [{ 'x-ratelimit-remaining': 'many', 'x-ratelimit-reset': '60' }],
  [{ 'x-ratelimit-remaining': '1', 'x-ratelimit-reset': 'later' }],
  [{ 'x-hubspot-ratelimit-remaining': '1' }],
])('%j is ignored', (headers) => {
  expect(readRateSignal(headers, NOW_MS)).toBeUndefined()
})

test.each([
  ['0', 0],
  ['1.5', 1500],
  ['1000000000', 1_000_000_000_000],
  [`${NOW_MS / 1000 - 5}`, 0],
  [`${NOW_MS + 5}`, 5],
  ['soon', undefined],
])('a reset of %j is %j ms away', (text, resetInMs) => {
  expect(readResetMs(text, NOW_MS)).toBe(resetInMs)
})

test('a point in time is measured by the clock of the server', () => {
  const headers = {
    'x-ratelimit-remaining': '0',
    'x-ratelimit-reset': `${inAMinute}`,
    date: 'Thu, 01 Jan 2026 00:00:50 GMT',
  }
  expect(readRateSignal(headers, NOW_MS)?.resetInMs).toBe(10_000)
  expect(readRateSignal(headers, NOW_MS + 50_900)?.resetInMs).toBe(9100)
})
