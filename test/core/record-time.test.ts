import { expect, test } from 'vitest'
import { recordTime, recordTimeMs } from '../../src/core/record-time.ts'

const MOMENT = Date.parse('2026-11-22T12:00:00Z')
const HOUR_MS = 3_600_000

test.each([
  ['2026-11-22T12:00:00Z', 999],
  ['2026-11-22t12:00:00.000z', 0],
  ['2026-11-22 14:00:00+02:00', 999],
  ['2026-11-22T14:00:00.0+0200', 0],
  ['2026-11-22 14:00:00.000000+02', 0],
  ['2026-11-22T12:00Z', 59_999],
  ['Sun, 22 Nov 2026 12:00:00 GMT', 999],
])('%s is a moment, known to %i ms', (text, spanMs) => {
  expect(recordTime(text)).toEqual({ timeMs: MOMENT, earliestMs: MOMENT, latestMs: MOMENT + spanMs })
})

test('a time without a zone is UTC where one has to be chosen, and may be that of any zone', () => {
  const [earliestMs, latestMs] = [MOMENT - 14 * HOUR_MS, MOMENT + 12 * HOUR_MS]
  expect(recordTime('2026-11-22 12:00:00.0')).toEqual({ timeMs: MOMENT, earliestMs, latestMs })
  expect(recordTime('2026-11-22')).toEqual({
    timeMs: MOMENT - 12 * HOUR_MS,
    earliestMs: earliestMs - 12 * HOUR_MS,
    latestMs: latestMs + 12 * HOUR_MS - 1,
  })
})

test.each([
  '01/02/2026',
  '2026-02-30T00:00:00Z',
  '2026-02-30',
  '2026-13-01',
  '2026-11-22T25:00:00Z',
  'Sun, 22 Nov 2026 12:00:00 EST',
  'yesterday',
  '1764000000',
  '',
  1_764_000_000,
  null,
  undefined,
])('%j is not read as a time', (value) => {
  expect(recordTimeMs(value)).toBeNaN()
})
