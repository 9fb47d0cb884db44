import { expect, test } from 'vitest'
import { idempotencyKey } from '../../src/jobs/plan/digest.ts'
import type { PlanEnd } from '../../src/jobs/plan/plan-format.ts'
import { JobProgress, rowTotals } from '../../src/jobs/store/progress.ts'

const END = { rows: 5, create: 3, update: 0, delete: 0, unchanged: 1, skipped: 1 } as PlanEnd

test('an account names every row once', () => {
  expect(rowTotals(END, new JobProgress(3))).toMatchObject({ rows: 5, unchanged: 1, skipped: 1, unsent: 3 })
})

test('an account that does not add up is a bug, and throws', () => {
  expect(() => rowTotals({ ...END, rows: 6 }, new JobProgress(3))).toThrow('come to 5')
})

test('the key of an operation contains its account, so that two servers never share one', () => {
  const parts = { account: 'https://one.test', run: 'run', digest: 'd', n: 0, gen: 0 }
  const others = [{ account: 'https://two.test' }, { run: 'again' }, { digest: 'e' }, { n: 1 }, { gen: 1 }]
  const keys = [parts, ...others.map((other) => ({ ...parts, ...other }))].map(idempotencyKey)
  expect(new Set(keys).size).toBe(keys.length)
})

test('a row that was leased and given back unsent is unsent, and not in doubt', () => {
  const progress = new JobProgress(3)
  progress.take({ t: 'lease', from: 0, to: 3, time: 1 })
  progress.take({ t: 'back', ops: [[1, 3]] })
  expect(rowTotals(END, progress)).toMatchObject({ done: 0, in_doubt: 1, unsent: 2 })
})
