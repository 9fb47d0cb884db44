import { expect, onTestFinished, test } from 'vitest'
import { createPlanningProgress } from '../../src/output/planning-progress.ts'
import { createJobProgress, type ProgressFlag } from '../../src/output/progress.ts'

/** Reads 2 MB in so many steps of 100 ms. */
function reading(steps: number, how: { isTTY: boolean; flag?: ProgressFlag; total?: number }): readonly string[] {
  const written: string[] = []
  const { isTTY, flag = 'auto', total = 2_000_000 } = how
  let nowMs = 0
  const stderr = { isTTY, write: (text: string | Uint8Array) => written.push(String(text)) > 0 }
  const progress = createPlanningProgress({ stderr, flag, now: () => nowMs })
  for (let at = 1; at <= steps; at++) {
    nowMs = at * 100
    progress.step({ what: 'people.csv', unit: 'bytes', done: at * 100_000, total })
  }
  progress.end()
  return written
}

test('planning is shown from the first half second, and erased from a terminal', () => {
  expect(reading(4, { isTTY: true })).toEqual([])
  const [first, ...others] = reading(10, { isTTY: true })
  expect(first).toBe('\r\x1b[KReading people.csv: 25 %')
  expect(others.at(-1)).toBe('\r\x1b[K')
  expect(reading(10, { isTTY: false })).toEqual(['Reading people.csv: 25 %\n'])
  expect(JSON.parse(reading(5, { isTTY: false, flag: 'json' }).join())).toEqual({
    planning: { what: 'people.csv', unit: 'bytes', done: 500_000, total: 2_000_000, waiting_ms: null, paused: null },
  })
})

test('a small file, and --progress none, write nothing to a log', () => {
  expect(reading(20, { isTTY: false, total: 9000 })).toEqual([])
  expect(reading(20, { isTTY: true, flag: 'none' })).toEqual([])
})

test('a wait for the rate limit keeps the time that is left, while no step is reported', async () => {
  const written: string[] = []
  const stderr = { isTTY: true, write: (text: string | Uint8Array) => written.push(String(text)) > 0 }
  const progress = createPlanningProgress({ stderr, flag: 'auto', now: Date.now })
  onTestFinished(() => progress.end())
  progress.step({ what: 'the records of the server', unit: 'records', done: 500, total: undefined })
  expect(progress.wait(3000, 'the rate limit is used up')).toBe(true)
  await expect.poll(() => written.join(''), { timeout: 5000 }).toContain('waiting 1 s: the rate limit is used up')
  expect(written.join('')).toContain('500 records · waiting 2 s')
})

test('a pause of a job counts down on a terminal', async () => {
  const written: string[] = []
  const stderr = { isTTY: true, write: (text: string | Uint8Array) => written.push(String(text)) > 0 }
  const progress = createJobProgress({ stderr, flag: 'auto', now: Date.now })
  const counts = { done: 3, total: 9, failed: 0 }
  onTestFinished(() => progress.end(counts))
  progress.update(counts)
  progress.pause({ why: 'limit', untilMs: Date.now() + 3500 })
  await expect.poll(() => written.join(''), { timeout: 5000 }).toContain('waiting 2 s: limit')
  expect(written.join('')).toContain('waiting 3 s: limit')
})
