import { expect, test } from 'vitest'
import { readJournal } from '../../src/jobs/journal/journal.ts'
import { JobProgress } from '../../src/jobs/journal/progress.ts'
import { PlanFile } from '../../src/jobs/plan/plan-file.ts'
import { resumeTasks } from '../../src/jobs/send/leases.ts'
import { makeJob, TERMS } from './job-fixture.ts'
import { leaveLease } from './left-lease.ts'

test.each([
  { of: 'the lease, where that is shorter', leaseMs: 60_000, termsMs: 1_800_000 },
  { of: 'the terms, where that is shorter', leaseMs: 1_800_000, termsMs: 60_000 },
])('what was sent before is not sent again behind the window of $of', async ({ leaseMs, termsMs }) => {
  const paths = await makeJob([{ name: 'Ada' }])
  await leaveLease(paths, { leasedMs: 5_000_000, windowMs: leaseMs, lifeMs: 1000, keyMark: '00000000' })
  const plan = new PlanFile(paths.plan)
  const progress = new JobProgress(plan.count)
  readJournal(paths.journal, (entry) => progress.take(entry))
  const { sent } = resumeTasks(plan, progress, { ...TERMS, windowMs: termsMs, keyMark: '00000000' })
  plan.close()
  expect(sent).toMatchObject([{ leasedMs: 5_000_000, expiresMs: 5_060_000, isInDoubt: true }])
})
