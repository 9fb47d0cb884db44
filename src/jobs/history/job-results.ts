import type { JobFile } from '../store/job-file.ts'
import type { JobPaths } from '../store/job-folder.ts'
import { withJob } from '../store/open-job.ts'
import { JobProgress, type ResultFlag, STATES } from '../store/progress.ts'
import { failuresOf, NO_ANSWER } from './failures.ts'

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
  readonly flag: ResultFlag | undefined
}

export interface StoredResults {
  readonly progress: JobProgress
  of(op: number): StoredResult
}

/** The results in the file of a job. */
export function resultsOf(job: JobFile): StoredResults {
  const isAnyCreated = isCreateAnswered(job)
  const progress = JobProgress.of(job)
  return {
    progress,
    of: (op) => {
      const [[state, text] = []] = job.rows('SELECT state, text FROM result WHERE op = ?', op)
      const { id = null, flag, status } = (state === STATES.done ? JSON.parse(String(text)) : {}) as Partial<DoneText>
      return { id, flag, gen: progress.genOf(op), ...recordBefore(status, flag, isAnyCreated) }
    },
  }
}

interface DoneText {
  readonly id: string | null
  readonly status: number
  readonly flag?: ResultFlag
}

function isCreateAnswered(job: JobFile): boolean {
  const sql = `SELECT 1 FROM result WHERE state = ${STATES.done} AND text ->> 'status' = ${CREATED} LIMIT 1`
  return job.rows(sql).length > 0
}

const CREATED = 201

function recordBefore(status: number | undefined, flag: ResultFlag | undefined, isAnyCreated: boolean): RecordBefore {
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
  return withJob(paths, (job) => {
    const { progress, of } = resultsOf(job)
    const reasons = new Map(
      Array.from(failuresOf(job, progress), ({ operation, field, reason }) => [
        operation.op,
        field === undefined ? reason : `${field}: ${reason}`,
      ]),
    )
    return Array.from(job.all(), ({ op, head }): OperationResult => {
      const end = progress.endOf(op)
      if (end === 'done') return doneAs(of(op), head.do === 'create')
      if (end === 'failed' || end === 'doubt') return { type: end, reason: reasons.get(op) ?? '' }
      return progress.isUnanswered(op) ? { type: 'doubt', reason: NO_ANSWER } : { type: 'unsent' }
    })
  })
}

function doneAs({ id, flag, wasGone, existed, mayHaveExisted }: StoredResult, isCreate: boolean): OperationResult {
  return {
    type: 'done',
    id,
    isReplayed: flag === 'o' || flag === 'r',
    isOthers: flag === 'o',
    isGone: wasGone,
    existed: existed || (isCreate && mayHaveExisted),
  }
}
