import { expect, test } from 'vitest'
import { createProgress, type ProgressFlag } from '../../src/output/progress.ts'

/** The writes during a list of `totalMs` that yields 100 records every 100 ms. */
function listing(totalMs: number, how: { isTTY: boolean; flag?: ProgressFlag; isStdoutTTY?: boolean }): string[] {
  const written: string[] = []
  let nowMs = 1_000
  const progress = createProgress({
    stderr: { isTTY: how.isTTY, write: (text) => written.push(String(text)) > 0 },
    flag: how.flag ?? 'auto',
    plural: 'contacts',
    isStdoutTTY: how.isStdoutTTY ?? false,
    now: () => nowMs,
  })
  for (let ms = 100; ms <= totalMs; ms += 100) {
    nowMs += 100
    progress.add(100)
  }
  progress.end()
  return written
}

test('a short list shows no progress', () => {
  expect(listing(1_900, { isTTY: true })).toEqual([])
  expect(listing(9_900, { isTTY: false })).toEqual([])
  expect(listing(1_900, { isTTY: false, flag: 'json' })).toEqual([])
})

test('on a terminal one line is overwritten, at most four times a second, and erased at the end', () => {
  const written = listing(3_000, { isTTY: true })
  expect(written[0]).toBe('\r\x1b[K2,000 contacts · 1,000/s')
  expect(written.at(-1)).toBe('\r\x1b[K')
  expect(written.length).toBeLessThanOrEqual(6)
  expect(written.join('')).not.toContain('\n')
})

test('elsewhere a plain line is written every ten seconds', () => {
  expect(listing(25_000, { isTTY: false })).toEqual(['10,000 contacts · 1,000/s\n', '20,000 contacts · 1,000/s\n'])
})

test('json is one object per line, the last one with the final counts', () => {
  const lines = listing(3_500, { isTTY: true, isStdoutTTY: true, flag: 'json' }).map(
    (line) => JSON.parse(line).progress,
  )
  expect(lines.map(({ done }) => done)).toEqual([2_000, 3_000, 3_500])
  expect(lines[0]).toEqual({ done: 2_000, unit: 'contacts', per_second: 1_000, elapsed_ms: 2_000 })
})

test('nothing is written when rows are printed on a terminal, or with none', () => {
  expect(listing(25_000, { isTTY: true, isStdoutTTY: true })).toEqual([])
  expect(listing(25_000, { isTTY: true, flag: 'none' })).toEqual([])
})
