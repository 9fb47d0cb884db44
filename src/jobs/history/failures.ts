import type { DoubtEntry, FailedEntry } from '../journal/entry.ts'
import type { Progress } from '../journal/progress.ts'
import { readJournal } from '../journal/read-journal.ts'
import type { Operation } from '../plan/operation.ts'
import type { PlanFile } from '../plan/plan-file.ts'

/** A row that failed or is in doubt, and why. */
export interface RowFailure {
  readonly operation: Operation
  readonly state: 'failed' | 'in_doubt'
  readonly code: string
  readonly field: string | undefined
  readonly reason: string
  readonly requestId: string | undefined
}

/** The number of failures in memory at once; more take another pass over the journal. */
const AT_ONCE = 100_000

/** For a row of a killed job without a result in the journal. */
export const NO_ANSWER = 'the process ended before it received a response'

/** In the order of the plan. */
export function* failuresOf(
  plan: PlanFile,
  journal: string,
  progress: Progress,
): Generator<RowFailure, void, undefined> {
  const operations = operationsOf(plan)
  let from = 0
  while (from < plan.count) {
    const to = endOfWindow(progress, from, plan.count)
    const entries = to > from ? entriesBetween(journal, progress, { from, to }) : new Map<number, never>()
    for (const operation of operations) {
      const { op } = operation
      const entry = progress.isUnanswered(op) ? { t: 'doubt' as const, op, why: NO_ANSWER } : entries.get(op)
      if (entry) yield failureOf(operation, entry)
      if (operation.op + 1 >= to) break
    }
    from = to
  }
}

/** The first operation after `from` and AT_ONCE failures. */
function endOfWindow(progress: Progress, from: number, count: number): number {
  let found = 0
  for (let op = from; op < count; op++) {
    if (isFailure(progress, op) && ++found === AT_ONCE) return op + 1
  }
  return count
}

function isFailure(progress: Progress, op: number): boolean {
  const end = progress.endOf(op)
  return end === 'failed' || end === 'doubt' || progress.isUnanswered(op)
}

function entriesBetween(journal: string, progress: Progress, { from, to }: { from: number; to: number }) {
  const entries = new Map<number, FailedEntry | DoubtEntry>()
  readJournal(journal, (entry) => {
    if (entry.t !== 'failed' && entry.t !== 'doubt') return
    // Only the last result of an operation counts.
    if (entry.op >= from && entry.op < to && progress.endOf(entry.op) === entry.t) entries.set(entry.op, entry)
  })
  return entries
}

/** An iterable whose next loop continues where the last one stopped. */
function operationsOf(plan: PlanFile): Iterable<Operation> {
  const all = (function* () {
    for (const batch of plan.operations()) yield* batch
  })()
  return { [Symbol.iterator]: () => ({ next: () => all.next() }) }
}

function failureOf(operation: Operation, entry: FailedEntry | DoubtEntry): RowFailure {
  if (entry.t === 'doubt') {
    return { operation, state: 'in_doubt', code: 'in_doubt', field: undefined, reason: entry.why, requestId: undefined }
  }
  const { code, field, reason, request } = entry
  return { operation, state: 'failed', code, field: field ?? undefined, reason, requestId: request ?? undefined }
}
