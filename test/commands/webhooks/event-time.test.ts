import { expect, test } from 'vitest'
import { eventTimeMs } from '../../../src/commands/webhooks/wait.ts'
import type { ReceivedEvent } from '../../../src/core/webhook-events.ts'

const RECEIVED_MS = Date.parse('2026-01-02T03:04:05.500Z')

function event(timestamp: unknown, sentAtMs: number | undefined): ReceivedEvent {
  const value = { type: 'contact.created', timestamp: timestamp as string, data: {} }
  const text = JSON.stringify(value)
  const headers = sentAtMs === undefined ? [] : [['Webhook-Timestamp', String(Math.floor(sentAtMs / 1000))] as const]
  return {
    type: 'event',
    id: 'evt_1',
    name: 'contact.created',
    recordId: undefined,
    receivedAtMs: RECEIVED_MS,
    isVerified: true,
    isDuplicate: false,
    scheme: 'standard-webhooks',
    subscriptionId: undefined,
    body: { type: 'json', text, value },
    delivery: { url: 'http://127.0.0.1/', headers, bytes: Buffer.from(text) },
  }
}

const at = (timeMs: number): string => new Date(timeMs).toISOString()

test('a sender on this machine is believed to the millisecond', () => {
  expect(eventTimeMs(event(at(RECEIVED_MS - 123), RECEIVED_MS), true)).toBe(RECEIVED_MS - 123)
})

test.each([-3_600_000, -2000, 0, 2000, 3_600_000])(
  'a clock that is %i ms off never makes an event look older than it is, nor more than 1 s younger',
  (offMs) => {
    for (const ageMs of [0, 400, 999, 5000, 300_000]) {
      const made = eventTimeMs(event(at(RECEIVED_MS - ageMs + offMs), RECEIVED_MS + offMs), false)
      expect(made).toBeGreaterThanOrEqual(RECEIVED_MS - ageMs)
      expect(made).toBeLessThanOrEqual(RECEIVED_MS - Math.max(0, ageMs - 1000))
    }
  },
)

test('a port of this machine that leads to one with another clock is not believed to the millisecond', () => {
  const offMs = -3_600_000
  expect(eventTimeMs(event(at(RECEIVED_MS + offMs), RECEIVED_MS + offMs), true)).toBeGreaterThanOrEqual(RECEIVED_MS)
})

test.each([
  [undefined, RECEIVED_MS],
  ['yesterday', RECEIVED_MS],
  [at(RECEIVED_MS), undefined],
])('of %j, sent at %j, nothing is known', (timestamp, sentAtMs) => {
  expect(eventTimeMs(event(timestamp, sentAtMs), true)).toBeUndefined()
})
