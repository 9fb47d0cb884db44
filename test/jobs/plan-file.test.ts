import { expect, test } from 'vitest'
import { PlanFile } from '../../src/jobs/plan/plan-file.ts'
import { runs } from '../harness/sample.ts'
import { makeJob } from './job-fixture.ts'

test('an operation is found by its offset, however long it is', async () => {
  // JSON makes six bytes of each of these.
  const names = ['short', '\u0001'.repeat(20_000), '\u0001'.repeat(runs(1_000_000, 100_000)), 'last']
  const plan = new PlanFile((await makeJob(names.map((name) => ({ name })))).plan)
  try {
    const operations = [...plan.operations()].flat()
    expect(operations.map(({ op }) => op)).toEqual([0, 1, 2, 3])
    for (const { op, offset } of operations) {
      expect(JSON.parse(String(plan.operationAt(offset).body)).name === names[op]).toBe(true)
    }
  } finally {
    plan.close()
  }
})
