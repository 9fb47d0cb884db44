import type { Result } from '../journal/entry.ts'
import { type JobPaths, openJobPlan } from '../journal/job-folder.ts'
import { readJournal } from '../journal/journal.ts'
import { JobProgress } from '../journal/progress.ts'
import type { Scratch } from '../plan/scratch.ts'
import { NO_ANSWER } from './failures.ts'

/** What the response to an operation says of its record, beside that the operation was done. */
interface RecordBefore {
  /** For a deletion: the record was already deleted. */
  readonly wasGone: boolean
  /** For a create: the record existed before. */
  readonly existed: boolean
  /** For a create: it was sent more than once, and changed the record that it had made. */
  readonly isRepeated: boolean
  /** For a create: the response was 200, and other creates of the job got 201. */
  readonly mayHaveExisted: boolean
}

export interface StoredResult extends RecordBefore {
  readonly id: string | null
  readonly gen: number | undefined
}

export interface StoredResults {
  readonly progress: JobProgress
  of(op: number): StoredResult
}

/** The result of each operation, in a table of the scratch database; the results of the next job replace it. */
export function readResults({ journal }: JobPaths, operations: number, { database }: Scratch): StoredResults {
  database.exec(
    'DROP TABLE IF EXISTS result; CREATE TABLE result (op INTEGER PRIMARY KEY, id TEXT, gen INTEGER, flag TEXT, status INTEGER)',
  )
  const progress = new JobProgress(operations)
  const put = database.prepare(
    'INSERT INTO result (op, id, flag, status) VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET id = excluded.id, flag = excluded.flag, status = excluded.status',
  )
  const raise = database.prepare(
    'INSERT INTO result (op, gen) VALUES (?, ?) ON CONFLICT DO UPDATE SET gen = excluded.gen',
  )
  let isAnyCreated = false
  readJournal(journal, (entry) => {
    progress.take(entry)
    if (entry.t === 'done') {
      for (const [op, status, id, flag = null] of entry.r) {
        put.run(op, id, flag, status)
        if (status === CREATED) isAnyCreated = true
      }
    }
    if (entry.t === 'again') raise.run(entry.op, entry.gen)
  })
  const find = database.prepare('SELECT id, gen, flag, status FROM result WHERE op = ?')
  return {
    progress,
    of: (op) => {
      const row = find.get(op)
      const id = typeof row?.id === 'string' ? row.id : null
      const gen = typeof row?.gen === 'number' ? row.gen : undefined
      return { id, gen, ...recordBefore(row?.status, row?.flag, isAnyCreated) }
    },
  }
}

const CREATED = 201

function recordBefore(status: unknown, flag: unknown, isAnyCreated: boolean): RecordBefore {
  return {
    wasGone: flag === 'g',
    existed: flag === 'u' || flag === 'e',
    isRepeated: flag === 'm',
    mayHaveExisted: isAnyCreated && status === 200 && !flag,
  }
}

export type OperationResult =
  /**
   * `isReplayed`: the server replayed the answer to an earlier request; `isOthers`: to one of another job; `isGone`: the record
   * to delete did not exist; `existed`: the record to create existed before, or may have.
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
  for (const { op, head } of plan.all()) if (head.do === 'create') creates.add(op)
  plan.close()
  const progress = new JobProgress(plan.count)
  const reasons = new Map<number, string>()
  const done = new Map<number, Result>()
  readJournal(paths.journal, (entry) => {
    progress.take(entry)
    if (entry.t === 'done') for (const result of entry.r) done.set(result[0], result)
    if (entry.t === 'failed') {
      reasons.set(entry.op, entry.field === null ? entry.reason : `${entry.field}: ${entry.reason}`)
    }
    if (entry.t === 'doubt') reasons.set(entry.op, entry.why)
  })
  const isAnyCreated = [...done.values()].some(([, status]) => status === CREATED)
  return Array.from({ length: plan.count }, (_, op): OperationResult => {
    const result = done.get(op)
    if (result) return doneAs(result, creates.has(op), isAnyCreated)
    const end = progress.endOf(op)
    if (end === 'failed' || end === 'doubt') return { type: end, reason: reasons.get(op) ?? '' }
    return progress.isUnanswered(op) ? { type: 'doubt', reason: NO_ANSWER } : { type: 'unsent' }
  })
}

function doneAs([, status, id, flag]: Result, isCreate: boolean, isAnyCreated: boolean): OperationResult {
  const { wasGone, existed, mayHaveExisted } = recordBefore(status, flag, isAnyCreated)
  return {
    type: 'done',
    id,
    isReplayed: flag === 'o' || flag === 'r',
    isOthers: flag === 'o',
    isGone: wasGone,
    existed: existed || (isCreate && mayHaveExisted),
  }
}
