import { expect, test } from 'vitest'
import { clockFinding, readSkew } from '../../../src/api/doctor/diagnose.ts'

const NOW_MS = Date.parse('2026-07-01T12:00:00Z')

/** An answer that took 200 ms; `date` is what the server wrote on it. */
const sample = (date: string | undefined, sentAtMs = NOW_MS, tookMs = 200) => ({
  sentAtMs,
  tookMs,
  headers: date === undefined ? {} : { date },
})

test('a server whose second holds ours is not off, as far as a header of whole seconds tells', () => {
  expect(readSkew([sample('Wed, 01 Jul 2026 12:00:00 GMT')])).toEqual({ skewMs: 400, errorMs: 600 })
  expect(clockFinding([sample('Wed, 01 Jul 2026 12:00:00 GMT')])).toMatchObject({
    state: 'ok',
    seen: 'same time as this machine, ± 0.6 s',
  })
})

test('several answers bound the skew closer than one', () => {
  const later = sample('Wed, 01 Jul 2026 12:00:00 GMT', NOW_MS + 700)
  expect(readSkew([sample('Wed, 01 Jul 2026 12:00:00 GMT'), later])).toEqual({ skewMs: 50, errorMs: 250 })
})

test('a server that is a minute behind is a warning that says which side', () => {
  const finding = clockFinding([sample('Wed, 01 Jul 2026 11:59:00 GMT')])
  expect(finding).toMatchObject({ state: 'warn', seen: '59.6 s behind this machine, ± 0.6 s' })
})

test.each([undefined, 'yesterday'])('without a date that can be read the clock is not known: %s', (date) => {
  expect(clockFinding([sample(date)])).toMatchObject({ state: 'unknown', found: { skew_ms: null } })
})
