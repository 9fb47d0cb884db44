import { parseExactJson } from '../../core/exact-json.ts'
import { isJsonObject } from '../../core/json.ts'
import type { JobPaths } from '../journal/job-folder.ts'
import { openJobPlan } from '../journal/job-plan.ts'
import { Progress } from '../journal/progress.ts'
import { readJournal } from '../journal/read-journal.ts'
import { type FieldCount, FieldCounts } from '../plan/field-counts.ts'
import type { PlanCounts } from '../plan/plan-head.ts'

/** What a job that was made before would still send. */
export interface RestOfJob {
  /** What has an end already counts as skipped. */
  readonly counts: PlanCounts
  readonly fields: readonly FieldCount[]
}

export function restOf(paths: JobPaths): RestOfJob {
  const plan = openJobPlan(paths)
  try {
    const progress = new Progress(plan.count)
    readJournal(paths.journal, (entry) => progress.take(entry))
    const fields = new FieldCounts()
    const { rows, unchanged, skipped } = plan.end
    const counts = { rows, create: 0, update: 0, delete: 0, fail: 0, unchanged, skipped }
    for (const batch of plan.operations()) {
      for (const { op, head, body } of batch) {
        if (progress.hasEnd(op) || progress.end !== undefined) {
          counts.skipped += 1
          continue
        }
        counts[head.do] += 1
        const parsed = body && parseExactJson(body.toString('utf8'))
        if (isJsonObject(parsed)) fields.add(head.do, parsed)
      }
    }
    return { counts, fields: fields.list() }
  } finally {
    plan.close()
  }
}
