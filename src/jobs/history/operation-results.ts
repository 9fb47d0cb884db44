import type { Result } from '../journal/entry.ts'
import type { JobPaths } from '../journal/job-folder.ts'
import { openJobPlan } from '../journal/job-folder.ts'
import { readJournal } from '../journal/read-journal.ts'
import { leftOutPages } from './left-out-pages.ts'

/** Why an undo does not revert a row, in the words of its error. */
const WORDS = { conflict: 'changed since', cannot: 'cannot be reverted', in_doubt: 'in doubt' } as const

export type OperationResult =
  /**
   * `isReplayed`: the server replayed the answer to an earlier request; `isOthers`: to one of another job; `isGone`: the record
   * to delete did not exist; `existed`: the record to create existed before, or may have (200 to this create, 201 to others).
   */
  | ({ readonly type: 'done'; readonly id: string | null } & Readonly<
      Record<'isReplayed' | 'isOthers' | 'isGone' | 'existed', boolean>
    >)
  | { readonly type: 'failed'; readonly reason: string }
  | { readonly type: 'doubt'; readonly reason: string }
  | { readonly type: 'unsent' }

/** The result of each operation, in the order of the plan. For jobs that fit in memory. */
export function operationResults(paths: JobPaths): OperationResult[] {
  const plan = openJobPlan(paths)
  const creates = new Set<number>()
  for (const batch of plan.operations()) for (const { op, head } of batch) if (head.do === 'create') creates.add(op)
  plan.close()
  const results = Array.from({ length: plan.count }, (): OperationResult => ({ type: 'unsent' }))
  const answered: Result[] = []
  readJournal(paths.journal, (entry) => {
    if (entry.t === 'done') answered.push(...entry.r)
    if (entry.t === 'failed') {
      const field = entry.field === null ? '' : `${entry.field}: `
      results[entry.op] = { type: 'failed', reason: `${field}${entry.reason}` }
    }
    if (entry.t === 'doubt') results[entry.op] = { type: 'doubt', reason: entry.why }
  })
  const isAnyCreated = answered.some(([, status]) => status === 201)
  for (const result of answered) results[result[0]] = doneAs(result, isAnyCreated && creates.has(result[0]))
  return results
}

/** `isAmongCreated`: a create of a job of which others were answered with 201. */
function doneAs([, status, id, flag]: Result, isAmongCreated: boolean): OperationResult {
  return {
    type: 'done',
    id,
    isReplayed: flag === 'o' || flag === 'r',
    isOthers: flag === 'o',
    isGone: flag === 'g',
    existed: flag === 'u' || flag === 'e' || (isAmongCreated && status === 200 && !flag),
  }
}

/** `2 changed since, 1 in doubt`: the records or rows that an undo does not revert; undefined if there are none. */
export async function rowsLeft(paths: JobPaths): Promise<string | undefined> {
  const counts = { conflict: 0, cannot: 0, in_doubt: 0 }
  let last: unknown
  for await (const { items } of leftOutPages(paths)) {
    for (const { code, id = null, line = null } of items) {
      if (!isCounted(code)) continue
      // The members of one record are adjacent.
      const row = `${code} ${line} ${id}`
      if (code === 'conflict' && row === last) continue
      last = row
      counts[code] += 1
    }
  }
  const parts = Object.entries(counts).filter(([, count]) => count > 0)
  return parts.length === 0
    ? undefined
    : parts.map(([code, count]) => `${count} ${WORDS[code as keyof typeof WORDS]}`).join(', ')
}

function isCounted(code: unknown): code is keyof typeof WORDS {
  return typeof code === 'string' && Object.hasOwn(WORDS, code)
}
