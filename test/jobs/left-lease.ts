import { appendFile } from 'node:fs/promises'
import type { Entry } from '../../src/jobs/journal/entry.ts'
import type { JobPaths } from '../../src/jobs/journal/job-folder.ts'
import { encodeLine } from '../../src/jobs/journal/journal.ts'
import { PlanFile } from '../../src/jobs/plan/plan-file.ts'
import type { PlanOperation } from '../../src/jobs/plan/plan-format.ts'

export interface LeftLease {
  readonly leasedMs: number
  readonly windowMs: number
  readonly lifeMs: number
  readonly keyMark: string
}

/**
 * What a process leaves behind that was killed while all requests of its job were on their way; gives the first
 * operation.
 */
export async function leaveLease(paths: JobPaths, left: LeftLease): Promise<PlanOperation> {
  const { leasedMs: time, windowMs: window, lifeMs: life, keyMark: key } = left
  const { first, count } = operationsIn(paths)
  const entries: Entry[] = [
    { t: 'open', time, wall: time, pid: 1, version: '0', plan: '', key, window, life },
    { t: 'lease', from: 0, to: count, at: first.offset, time },
  ]
  await appendFile(paths.journal, entries.map((entry, serial) => encodeLine(entry, { serial, synced: 0 })).join(''))
  return first
}

function operationsIn(paths: JobPaths): { first: PlanOperation; count: number } {
  const plan = new PlanFile(paths.plan)
  try {
    const [[first] = []] = plan.operations()
    if (!first) throw new Error('the plan is empty')
    return { first, count: plan.count }
  } finally {
    plan.close()
  }
}
