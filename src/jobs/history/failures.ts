import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { isSameJson, type JsonValue, parseExactJson } from '../../core/json.ts'
import type { CrmRecord } from '../../core/resources/registry.ts'
import { createFailedRows, failedRowsName } from '../input/failed-rows.ts'
import { operationCount, type PlanInput, type PlanOperation } from '../plan/plan-format.ts'
import { HEADER_ROW, type JobFile } from '../store/job-file.ts'
import type { JobPaths } from '../store/job-folder.ts'
import { isJobLocked } from '../store/job-lock.ts'
import { openJob } from '../store/open-job.ts'
import { type FailedEntry, JobProgress, STATES } from '../store/progress.ts'
import type { JobState } from './job-state.ts'
import { isDone, readRetriedRows } from './retried-rows.ts'

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
async function readLeft(paths: JobPaths, progress: JobProgress, isSent: boolean): Promise<(op: number) => boolean> {
  const retried = await readRetriedRows(paths.jobsFolder, paths)
  return (op) => isFailure(progress, op) && !(isSent && progress.isUnanswered(op)) && !isDone(retried.of(op))
}

/** The number of failed rows that each retry has done since, by its id. */
export async function doneSince({ paths, progress, end }: JobState): Promise<ReadonlyMap<string, number>> {
  const done = new Map<string, number>()
  const retried = await readRetriedRows(paths.jobsFolder, paths)
  for (let op = 0; op < operationCount(end); op++) {
    const row = isFailure(progress, op) ? retried.of(op) : undefined
    if (row && isDone(row)) done.set(row.job.paths.id, (done.get(row.job.paths.id) ?? 0) + 1)
  }
  return done
}

function isFailure(progress: JobProgress, op: number): boolean {
  const end = progress.endOf(op)
  return end === 'failed' || end === 'doubt' || progress.isUnanswered(op)
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

/** Rows of one page. */
const PAGE_ROWS = 500

export interface FailurePage {
  readonly items: readonly CrmRecord[]
  readonly nextCursor: undefined
}

/** Rows that failed or are in doubt, and that no retry has done since, as records, in the order of the plan. */
export async function* failurePages(paths: JobPaths, limit = Number.POSITIVE_INFINITY): AsyncGenerator<FailurePage> {
  const isSent = isJobLocked(paths)
  const plan = openJob(paths)
  try {
    const progress = JobProgress.of(plan)
    const failures = failuresOf(plan, progress, await readLeft(paths, progress, isSent))
    let items: CrmRecord[] = []
    let count = 0
    for (const { operation, state, code, field = null, reason, requestId = null } of failures) {
      if (count++ >= limit) break
      const { line = null, id = null, do: kind } = operation.head
      items.push({ op: operation.op, line, id, do: kind, state, code, field, reason, request_id: requestId })
      if (items.length < PAGE_ROWS) continue
      yield { items, nextCursor: undefined }
      items = []
      await nextTurn()
    }
    yield { items, nextCursor: undefined }
  } finally {
    plan.close()
  }
}

/** Failures that have one cause. */
export interface FailureGroup {
  readonly code: string
  readonly field: string | undefined
  /** Of the first one. */
  readonly reason: string
  /** Whether the reasons of the group differ. */
  isMixed: boolean
  count: number
  /** The first few. */
  readonly lines: number[]
}

export interface FailureReport {
  /** A file with the failed rows of the input, for correction; undefined for a job without an input file. */
  readonly file: string | undefined
  /** Whether a user edited the file since it was written, so that it was kept. */
  readonly isEdited?: true
  /** The largest first. */
  readonly groups: readonly FailureGroup[]
}

const MOST_GROUPS = 1000

const LINES_SHOWN = 3

/** Groups the failures by cause, and writes the failed rows with their reasons; undefined if no row failed. */
export async function reportFailures(paths: JobPaths): Promise<FailureReport | undefined> {
  const isSent = isJobLocked(paths)
  const plan = openJob(paths)
  try {
    const progress = JobProgress.of(plan)
    if (progress.counts.failed + progress.counts.doubt + progress.unanswered === 0) return undefined
    const isLeft = await readLeft(paths, progress, isSent)
    if (!hasAny(plan, isLeft)) return undefined
    const groups = new FailureGroups()
    const failures = failuresOf(plan, progress, isLeft)
    // A plan from another machine has no input file.
    const { input } = plan.head
    if (!input || !plan.hasInput) {
      for (const failure of failures) groups.add(failure)
      return { file: undefined, groups: groups.list() }
    }
    const file = failedFile(paths, input)
    if (isEdited(plan, file)) {
      for (const failure of failures) groups.add(failure)
      return { file, isEdited: true, groups: groups.list() }
    }
    const rows = await createFailedRows({
      summary: input.verdict,
      header: plan.inputAt(HEADER_ROW)[0]?.bytes,
      to: file,
    })
    for (const failure of failures) {
      groups.add(failure)
      for (const row of plan.inputOf(failure.operation)) await rows.add(row, failure)
    }
    await rows.close()
    noteWritten(plan, file)
    return { file, groups: groups.list() }
  } finally {
    plan.close()
  }
}

function hasAny({ count }: JobFile, isLeft: (op: number) => boolean): boolean {
  for (let op = 0; op < count; op++) if (isLeft(op)) return true
  return false
}

/** Whether the file was changed since crm wrote it. Corrections must not be overwritten. */
function isEdited(job: JobFile, file: string): boolean {
  const written = job.note('failed')
  return written !== undefined && existsSync(file) && !isSameJson(written as JsonValue, stampOf(file))
}

/** Records that crm has written the file of failed rows. */
export function noteWritten(job: JobFile, file: string): void {
  job.setNote('failed', stampOf(file))
}

function stampOf(file: string): { readonly sizeBytes: number; readonly mtimeMs: number } {
  const { size: sizeBytes, mtimeMs } = statSync(file)
  return { sizeBytes, mtimeMs }
}

/** The path of the file of failed rows. */
export function failedFile({ jobsFolder, id }: JobPaths, { verdict }: PlanInput): string {
  return join(jobsFolder, `${id}.${failedRowsName(verdict)}`)
}

/** Failures by their cause. */
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

  list(): readonly FailureGroup[] {
    return [...this.#groups.values()].toSorted((one, other) => other.count - one.count)
  }
}

/** The rows and members that a plan leaves out, in its order, as records. */
export async function* leftOutPages(paths: JobPaths): AsyncGenerator<FailurePage> {
  const job = openJob(paths)
  try {
    let items: CrmRecord[] = []
    for (const text of job.leftOut()) {
      const item = parseExactJson(text) as CrmRecord
      // A row that changes nothing counts as unchanged.
      if (item.code === undefined) continue
      items.push(item)
      if (items.length < PAGE_ROWS) continue
      yield { items, nextCursor: undefined }
      items = []
    }
    if (items.length > 0) yield { items, nextCursor: undefined }
  } finally {
    job.close()
  }
}

/** Why an undo does not revert a row, in the words of its error. */
const WORDS = { conflict: 'changed since', cannot: 'cannot be reverted', in_doubt: 'in doubt' } as const

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
