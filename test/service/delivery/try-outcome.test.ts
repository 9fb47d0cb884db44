import { expect, test } from 'vitest'
import { type Attempt, failureReason } from '../../../src/service/delivery/transport.ts'
import {
  endsSubscription,
  fixedSchedule,
  healthOf,
  outcomeOf,
  pauseMs,
  standardSchedule,
} from '../../../src/service/delivery/try-outcome.ts'

const NOW_MS = Date.UTC(2026, 10, 20, 12)
const DAY_MS = 24 * 60 * 60 * 1000
const schedule = fixedSchedule([0, 1000, 5000])

function answered(status: number, retryAfter?: string): Attempt {
  return { type: 'answered', status, retryAfter }
}

function outcome(attempt: Attempt, failedTries = 0) {
  return outcomeOf({ attempt, failedTries, nowMs: NOW_MS }, schedule)
}

test.each([200, 201, 204, 299])('%i succeeds', (status) => {
  expect(outcome(answered(status), 2)).toEqual({ type: 'succeeded', status })
})

test.each([199, 301, 307, 400, 401, 404, 409, 429, 500, 503])('%i is retried by the schedule', (status) => {
  expect(outcome(answered(status))).toMatchObject({ type: 'retry', status, dueAtMs: NOW_MS + 1000 })
  expect(outcome(answered(status), 1)).toMatchObject({ type: 'retry', dueAtMs: NOW_MS + 5000 })
  expect(outcome(answered(status), 2)).toMatchObject({ type: 'failed', status, reason: expect.any(String) })
})

test('410 is final, also on the first attempt', () => {
  const gone = outcome(answered(410))
  expect(gone).toEqual({ type: 'failed', status: 410, reason: 'answered 410: the endpoint is gone' })
  expect(endsSubscription(gone)).toBe(true)
  expect(endsSubscription(outcome(answered(500), 2))).toBe(false)
})

test('a missing answer is retried with its reason', () => {
  const attempt: Attempt = { type: 'unanswered', reason: 'the connection was refused' }
  expect(outcome(attempt)).toEqual({
    type: 'retry',
    status: undefined,
    reason: 'the connection was refused',
    dueAtMs: NOW_MS + 1000,
  })
})

test('an aborted attempt does not count', () => {
  expect(outcome({ type: 'stopped' }, 2)).toEqual({ type: 'untried' })
})

test.each([
  ['2', 2000],
  [new Date(NOW_MS + 3000).toUTCString(), 3000],
  ['0', 1000],
  [new Date(NOW_MS - 3000).toUTCString(), 1000],
  ['soon', 1000],
  ['-5', 1000],
  ['99999999999', DAY_MS],
])('Retry-After %j of a 429 or 503 gives a wait of %i ms, never less than the schedule', (text, waitMs) => {
  for (const status of [429, 503]) {
    expect(outcome(answered(status, text))).toMatchObject({ type: 'retry', dueAtMs: NOW_MS + waitMs })
  }
})

test('Retry-After of another status is ignored', () => {
  expect(pauseMs(answered(500, '60'), NOW_MS)).toBeUndefined()
  expect(outcome(answered(500, '60'))).toMatchObject({ dueAtMs: NOW_MS + 1000 })
})

test('silence and overload slow an endpoint down, a rejected event does not', () => {
  expect([200, 429, 503, 400, 500, 302].map((status) => healthOf(answered(status)))).toEqual([
    'healthy',
    'overloaded',
    'overloaded',
    'unknown',
    'unknown',
    'unknown',
  ])
  expect(healthOf({ type: 'unanswered', reason: 'x' })).toBe('overloaded')
})

function connectError(code: string): Error {
  const message = `connect ${code} 10.1.2.3:443`
  return Object.assign(new Error(message), { code, syscall: 'connect', address: '10.1.2.3', port: 443 })
}

test.each(['ECONNREFUSED', 'EACCES', 'EADDRNOTAVAIL', 'EINVAL'])(
  'the reason of %s contains no resolved address',
  (code) => {
    for (const error of [connectError(code), new AggregateError([connectError(code), connectError(code)])]) {
      expect(failureReason(error)).toMatch(/connection/)
      expect(failureReason(error)).not.toContain('10.1.2.3')
    }
  },
)

test('the standard schedule has ten attempts in a little over three days', () => {
  const delayMs = standardSchedule(() => 0.5)
  const seconds = Array.from({ length: 11 }, (_, tries) => (delayMs(tries) ?? Number.NaN) / 1000)
  expect(seconds).toEqual([0, 5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400, Number.NaN])
})

test('the standard schedule spreads attempts by a tenth in both directions', () => {
  expect([0, 0.5, 1].map((random) => standardSchedule(() => random)(1))).toEqual([4500, 5000, 5500])
  expect(standardSchedule(() => 1)(0)).toBe(0)
})

test('a custom schedule is exact to the millisecond', () => {
  const delayMs = fixedSchedule([0, 1000, 5000])
  expect([0, 1, 2, 3].map(delayMs)).toEqual([0, 1000, 5000, undefined])
})
