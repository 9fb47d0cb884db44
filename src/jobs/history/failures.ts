import { setImmediate as nextTurn } from 'node:timers/promises'
import { parseExactJson } from '../../core/json.ts'
import type { CrmRecord } from '../../core/resources/registry.ts'
import { operationCount, type PlanOperation } from '../plan/plan-format.ts'
import type { JobFile } from '../store/job-file.ts'
import type { JobPaths } from '../store/job-folder.ts'
import { isJobLocked } from '../store/job-lock.ts'
import { openJob, withJob } from '../store/open-job.ts'
import { type FailedEntry, JobProgress, STATES } from '../store/progress.ts'
import type { JobState } from './job-state.ts'
import { isDone, isSettled, type RetriedRow, type RetriedRows, readRetriedRows } from './retried-rows.ts'

/** A row that failed or is in doubt, and why. */
export interface RowFailure {
  readonly operation: PlanOperation
  readonly state: 'failed' | 'in_doubt'
  readonly code: string
  readonly field: string | undefined
  readonly reason: string
  readonly requestId: string | undefined
}

/** For a row of a killed job without a result in the journal. */
export const NO_ANSWER = 'the process ended before it received a response'

/** In the order of the plan. */
export function* failuresOf(
  job: JobFile,
  progress: JobProgress,
  isListed = (op: number) => isFailure(progress, op),
): Generator<RowFailure, void, undefined> {
  for (const operations of job.operations()) {
    const failed = operations.filter(({ op }) => isListed(op))
    if (failed.length === 0) continue
    const texts = new Map(textsBetween(job, operations))
    for (const operation of failed) {
      const text = progress.isUnanswered(operation.op) ? undefined : texts.get(operation.op)
      yield failureOf(operation, text === undefined ? { why: NO_ANSWER } : (JSON.parse(text) as FailureText))
    }
  }
}

/**
 * Tells the failures that no retry has done since. `isSent`: whether a process was sending the job before it was read; rows without a
 * result are then under way, and not in doubt.
 */
export async function readLeft(
  paths: JobPaths,
  progress: JobProgress,
  isSent: boolean,
): Promise<(op: number) => boolean> {
  const retried = await readRetriedRows(paths.jobsFolder, paths)
  return (op) => isFailure(progress, op) && !(isSent && progress.isUnanswered(op)) && !isDone(retried.of(op))
}

function isFailure(progress: JobProgress, op: number): boolean {
  return progress.endOf(op) === 'failed' || progress.isInDoubt(op)
}

function textsBetween(job: JobFile, operations: readonly PlanOperation[]): [number, string][] {
  const [from, to] = [operations[0]?.op ?? 0, operations.at(-1)?.op ?? 0]
  const sql = `SELECT op, text FROM result WHERE state IN (${STATES.failed}, ${STATES.doubt}) AND op BETWEEN ? AND ?`
  return job.rows(sql, from, to).map(([op, text]) => [Number(op), String(text)])
}

type FailureText = Omit<FailedEntry, 't' | 'op'> | { readonly why: string }

function failureOf(operation: PlanOperation, entry: FailureText): RowFailure {
  if ('why' in entry) {
    return { operation, state: 'in_doubt', code: 'in_doubt', field: undefined, reason: entry.why, requestId: undefined }
  }
  const { code, field, reason, request } = entry
  return { operation, state: 'failed', code, field: field ?? undefined, reason, requestId: request ?? undefined }
}

const PAGE_ROWS = 500

export interface FailurePage {
  readonly items: readonly CrmRecord[]
  readonly nextCursor: undefined
}

async function* pagesOf(records: Iterable<CrmRecord>): AsyncGenerator<FailurePage> {
  let items: CrmRecord[] = []
  for (const record of records) {
    items.push(record)
    if (items.length < PAGE_ROWS) continue
    yield { items, nextCursor: undefined }
    items = []
    await nextTurn()
  }
  yield { items, nextCursor: undefined }
}

/** Rows that failed or are in doubt, and that no retry has done since, as records, in the order of the plan. */
export async function* failurePages(paths: JobPaths, limit = Number.POSITIVE_INFINITY): AsyncGenerator<FailurePage> {
  const isSent = isJobLocked(paths)
  const plan = openJob(paths)
  try {
    const progress = JobProgress.of(plan)
    yield* pagesOf(failureRecords(failuresOf(plan, progress, await readLeft(paths, progress, isSent)), limit))
  } finally {
    plan.close()
  }
}

function* failureRecords(failures: Iterable<RowFailure>, limit: number): Generator<CrmRecord> {
  let count = 0
  for (const { operation, state, code, field = null, reason, requestId = null } of failures) {
    if (count++ >= limit) return
    const { line = null, id = null, do: kind } = operation.head
    yield { op: operation.op, line, id, do: kind, state, code, field, reason, request_id: requestId }
  }
}

/** The rows and members that a plan leaves out, in its order, as records. */
export async function* leftOutPages(paths: JobPaths): AsyncGenerator<FailurePage> {
  const job = openJob(paths)
  try {
    yield* pagesOf(leftOutIn(job))
  } finally {
    job.close()
  }
}

function* leftOutIn(job: JobFile): Generator<CrmRecord> {
  for (const text of job.leftOut()) {
    const item = parseExactJson(text) as CrmRecord
    // A row that changes nothing counts as unchanged.
    if (item.code !== undefined) yield item
  }
}

/** Why an undo does not revert a row, in the words of its error. */
const WORDS = { conflict: 'changed since', cannot: 'cannot be reverted', in_doubt: 'in doubt' } as const

/** `2 changed since, 1 in doubt`: the records or rows that an undo does not revert; undefined if there are none. */
export function rowsLeft(paths: JobPaths): string | undefined {
  const counts = { conflict: 0, cannot: 0, in_doubt: 0 }
  withJob(paths, (job) => {
    let last: unknown
    for (const { code, id = null, line = null } of leftOutIn(job)) {
      if (!isCounted(code)) continue
      // The members of one record are adjacent.
      const row = `${code} ${line} ${id}`
      if (code !== 'conflict' || row !== last) counts[code] += 1
      last = row
    }
  })
  const parts = Object.entries(counts).filter(([, count]) => count > 0)
  return parts.length === 0
    ? undefined
    : parts.map(([code, count]) => `${count} ${WORDS[code as keyof typeof WORDS]}`).join(', ')
}

function isCounted(code: unknown): code is keyof typeof WORDS {
  return typeof code === 'string' && Object.hasOwn(WORDS, code)
}

export interface FailureGroup {
  readonly code: string
  readonly field: string | undefined
  /** Of the first one. */
  readonly reason: string
  /** Whether the reasons of the group differ. */
  isMixed: boolean
  count: number
  readonly lines: number[]
}

const MOST_GROUPS = 1000

const LINES_SHOWN = 3

export class FailureGroups {
  readonly #groups = new Map<string, FailureGroup>()

  add({ code, field, reason, operation }: RowFailure): void {
    const key = `${code} ${field ?? ''}`
    const group = this.#groups.get(key) ?? { code, field, reason, isMixed: false, count: 0, lines: [] }
    if (!this.#groups.has(key) && this.#groups.size >= MOST_GROUPS) return
    this.#groups.set(key, group)
    group.count += 1
    if (reason !== group.reason) group.isMixed = true
    const { line } = operation.head
    if (line !== undefined && group.lines.length < LINES_SHOWN) group.lines.push(line)
  }

  /** The same failures, counted as they are read. */
  *counted(failures: Iterable<RowFailure>): Generator<RowFailure, void, undefined> {
    for (const failure of failures) {
      this.add(failure)
      yield failure
    }
  }

  list(): readonly FailureGroup[] {
    return [...this.#groups.values()].toSorted((one, other) => other.count - one.count)
  }
}

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
  let count = 0
  for (const _ of failedRows(job, retried)) count += 1
  return { retried, count, list: (plan) => listLeft(job, retried, plan) }
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
  async function* rows(): AsyncGenerator<LeftFailure, void, undefined> {
    const plan = openJob(job.paths)
    try {
      yield* (await readFailuresLeft(jobsFolder, job)).list(plan)
    } finally {
      plan.close()
    }
  }
  return {
    rows,
    count: async () => (job.account.failed === 0 ? 0 : (await readFailuresLeft(jobsFolder, job)).count),
    done: async () => {
      const done = new Map<string, number>()
      const retried = await readRetriedRows(jobsFolder, job.paths)
      for (let op = 0; op < operationCount(job.end); op++) {
        const row = isFailure(job.progress, op) ? retried.of(op) : undefined
        if (row && isDone(row)) done.set(row.job.paths.id, (done.get(row.job.paths.id) ?? 0) + 1)
      }
      return done
    },
    causes: async () => {
      const groups = new FailureGroups()
      let count = 0
      for await (const { last } of rows()) {
        count += 1
        groups.add(last)
      }
      return { count, groups: groups.list() }
    },
  }
}

async function* listLeft(
  job: JobState,
  retried: RetriedRows,
  plan: JobFile,
): AsyncGenerator<LeftFailure, void, undefined> {
  const later = laterFailures(job, retried)
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
function laterFailures(job: JobState, retried: RetriedRows): ReadonlyMap<string, Omit<LeftFailure, 'operation'>> {
  const wanted = new Map<JobState, Set<number>>()
  for (const row of failedRows(job, retried)) {
    if (row?.op !== undefined) wanted.set(row.job, (wanted.get(row.job) ?? new Set()).add(row.op))
  }
  const later = new Map<string, Omit<LeftFailure, 'operation'>>()
  for (const [retry, ops] of wanted) {
    withJob(retry.paths, (plan) => {
      for (const last of failuresOf(plan, retry.progress, (op) => ops.has(op))) {
        const { op } = last.operation
        later.set(keyOf({ job: retry, op }), { last, job: retry, before: plan.before(op) })
      }
    })
  }
  return later
}

function keyOf({ job, op }: Pick<RetriedRow, 'job' | 'op'>): string {
  return `${job.paths.id} ${op}`
}
