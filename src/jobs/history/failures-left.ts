import type { CrmRecord } from '../../core/resources/registry.ts'
import { operationCount, type PlanOperation } from '../plan/plan-format.ts'
import type { JobFile } from '../store/job-file.ts'
import { openJob } from '../store/open-job.ts'
import { doneSince, type FailureGroup, FailureGroups, failuresOf, type RowFailure } from './failures.ts'
import type { JobState } from './job-state.ts'
import { isSettled, type RetriedRow, type RetriedRows, readRetriedRows } from './retried-rows.ts'

/** A row that failed, and that no retry has done since. */
export interface LeftFailure {
  /** Of the job. */
  readonly operation: PlanOperation
  /** The row as it was sent last, and why it failed then. */
  readonly last: RowFailure
  readonly job: JobState
  /** The record before the job that sent it last. */
  readonly before: CrmRecord | undefined
}

export interface FailuresLeft {
  readonly retried: RetriedRows
  readonly count: number
  /** In the order of the plan, which is the one of the job. */
  list(plan: JobFile): AsyncGenerator<LeftFailure, void, undefined>
}

export async function readFailuresLeft(jobsFolder: string, job: JobState): Promise<FailuresLeft> {
  const retried = await readRetriedRows(jobsFolder, job.paths)
  const later = await laterFailures(job, retried)
  return { retried, count: count(failedRows(job, retried)), list: (plan) => listLeft({ job, retried, later }, plan) }
}

/** The failed rows of a job that no retry has done, or may have done, since. */
export interface Left {
  count(): Promise<number>
  /** Those that a retry has done, by its id. */
  done(): Promise<ReadonlyMap<string, number>>
  rows(): AsyncIterable<LeftFailure>
  /** Their number, and the causes, the most frequent first; some may be left out. */
  causes(): Promise<{ readonly count: number; readonly groups: readonly FailureGroup[] }>
}

export function leftOf(jobsFolder: string, job: JobState): Left {
  return {
    count: () => countLeft(jobsFolder, job),
    done: () => doneSince(job),
    rows: () => rowsLeftOf(jobsFolder, job),
    causes: async () => {
      const groups = new FailureGroups()
      let count = 0
      for await (const { last } of rowsLeftOf(jobsFolder, job)) {
        count += 1
        groups.add(last)
      }
      return { count, groups: groups.list() }
    },
  }
}

async function countLeft(jobsFolder: string, job: JobState): Promise<number> {
  if (job.account.failed === 0) return 0
  const retried = await readRetriedRows(jobsFolder, job.paths)
  return count(failedRows(job, retried))
}

function count(items: Iterable<unknown>): number {
  let found = 0
  for (const _ of items) found += 1
  return found
}

type Later = ReadonlyMap<string, Omit<LeftFailure, 'operation'>>

interface Listed {
  readonly job: JobState
  readonly retried: RetriedRows
  readonly later: Later
}

async function* listLeft({ job, retried, later }: Listed, plan: JobFile): AsyncGenerator<LeftFailure, void, undefined> {
  for (const failure of failuresOf(plan, job.progress)) {
    const { operation, state } = failure
    const row = retried.of(operation.op)
    if (state !== 'failed' || isSettled(row)) continue
    const last = row && later.get(keyOf(row))
    yield { operation, ...(last ?? { last: failure, job, before: plan.before(operation.op) }) }
  }
}

function* failedRows({ progress, end }: JobState, retried: RetriedRows): Generator<RetriedRow | undefined> {
  for (let op = 0; op < operationCount(end); op++) {
    if (progress.endOf(op) !== 'failed') continue
    const row = retried.of(op)
    if (!isSettled(row)) yield row
  }
}

/** The rows that failed again in a retry; they are few enough for memory, as they failed twice. */
async function laterFailures(job: JobState, retried: RetriedRows): Promise<Later> {
  const wanted = new Map<JobState, Set<number>>()
  for (const row of failedRows(job, retried)) {
    if (row?.op !== undefined) wanted.set(row.job, (wanted.get(row.job) ?? new Set()).add(row.op))
  }
  const later = new Map<string, Omit<LeftFailure, 'operation'>>()
  for (const [retry, ops] of wanted) {
    const plan = openJob(retry.paths)
    try {
      for (const last of failuresOf(plan, retry.progress)) {
        const { op } = last.operation
        if (ops.has(op)) later.set(keyOf({ job: retry, op }), { last, job: retry, before: plan.before(op) })
      }
    } finally {
      plan.close()
    }
  }
  return later
}

function keyOf({ job, op }: Pick<RetriedRow, 'job' | 'op'>): string {
  return `${job.paths.id} ${op}`
}

/** As readFailuresLeft, for callers that have no plan open. */
async function* rowsLeftOf(jobsFolder: string, job: JobState): AsyncGenerator<LeftFailure, void, undefined> {
  const plan = openJob(job.paths)
  try {
    yield* (await readFailuresLeft(jobsFolder, job)).list(plan)
  } finally {
    plan.close()
  }
}
