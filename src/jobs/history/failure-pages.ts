import { setImmediate as nextTurn } from 'node:timers/promises'
import type { CrmRecord } from '../../core/resources/registry.ts'
import type { JobPaths } from '../journal/job-folder.ts'
import { openJobPlan } from '../journal/job-folder.ts'
import { Progress } from '../journal/progress.ts'
import { readJournal } from '../journal/read-journal.ts'
import { failuresOf } from './failures.ts'

const PAGE = 500

export interface FailurePage {
  readonly items: readonly CrmRecord[]
  readonly nextCursor: undefined
}

/** Rows that failed or are in doubt, as records, in the order of the plan. */
export async function* failurePages(paths: JobPaths, limit = Number.POSITIVE_INFINITY): AsyncGenerator<FailurePage> {
  const plan = openJobPlan(paths)
  try {
    const progress = new Progress(plan.count)
    readJournal(paths.journal, (entry) => progress.take(entry))
    let items: CrmRecord[] = []
    let count = 0
    for (const { operation, state, code, field = null, reason, requestId = null } of failuresOf(
      plan,
      paths.journal,
      progress,
    )) {
      if (count++ >= limit) break
      const { line = null, id = null, do: kind } = operation.head
      items.push({ op: operation.op, line, id, do: kind, state, code, field, reason, request_id: requestId })
      if (items.length < PAGE) continue
      yield { items, nextCursor: undefined }
      items = []
      await nextTurn()
    }
    yield { items, nextCursor: undefined }
  } finally {
    plan.close()
  }
}
