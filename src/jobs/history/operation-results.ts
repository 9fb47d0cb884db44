import type { JobPaths } from '../journal/job-folder.ts'
import { openJobPlan } from '../journal/job-plan.ts'
import { readJournal } from '../journal/read-journal.ts'

export type OperationResult =
  /**
   * `isReplayed`: the server replayed the answer to an earlier request; `isOthers`: to one of another job; `isGone`: the record
   * to delete did not exist; `wasThere`: the record to create existed before.
   */
  | ({ readonly is: 'done'; readonly id: string | null } & Readonly<
      Record<'isReplayed' | 'isOthers' | 'isGone' | 'wasThere', boolean>
    >)
  | { readonly is: 'failed'; readonly reason: string }
  | { readonly is: 'doubt'; readonly reason: string }
  | { readonly is: 'unsent' }

/** What came of each operation, in the order of the plan. For jobs that fit in memory. */
export function operationResults(paths: JobPaths): OperationResult[] {
  const plan = openJobPlan(paths)
  plan.close()
  const results = Array.from({ length: plan.count }, (): OperationResult => ({ is: 'unsent' }))
  readJournal(paths.journal, (entry) => {
    if (entry.t === 'done')
      for (const [op, , id, flag] of entry.r) {
        results[op] = {
          is: 'done',
          id,
          isReplayed: flag === 'o' || flag === 'r',
          isOthers: flag === 'o',
          isGone: flag === 'g',
          wasThere: flag === 'u' || flag === 'e',
        }
      }
    if (entry.t === 'failed') {
      const field = entry.field === null ? '' : `${entry.field}: `
      results[entry.op] = { is: 'failed', reason: `${field}${entry.reason}` }
    }
    if (entry.t === 'doubt') results[entry.op] = { is: 'doubt', reason: entry.why }
  })
  return results
}
