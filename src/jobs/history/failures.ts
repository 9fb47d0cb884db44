import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { parseExactJson } from '../../core/json.ts'
import type { CrmRecord } from '../../core/resources/registry.ts'
import { linesOf } from '../../files/lines.ts'
import { createFailedRows, failedRowsName } from '../input/failed-rows.ts'
import type { DoubtEntry, FailedEntry } from '../journal/entry.ts'
import { type JobPaths, openJobPlan } from '../journal/job-folder.ts'
import { readJournal } from '../journal/journal.ts'
import { type JobProgress, readProgress } from '../journal/progress.ts'
import type { PlanFile } from '../plan/plan-file.ts'
import type { PlanOperation } from '../plan/plan-format.ts'

/** A row that failed or is in doubt, and why. */
export interface RowFailure {
  readonly operation: PlanOperation
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
  progress: JobProgress,
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
function endOfWindow(progress: JobProgress, from: number, count: number): number {
  let found = 0
  for (let op = from; op < count; op++) {
    if (isFailure(progress, op) && ++found === AT_ONCE) return op + 1
  }
  return count
}

function isFailure(progress: JobProgress, op: number): boolean {
  const end = progress.endOf(op)
  return end === 'failed' || end === 'doubt' || progress.isUnanswered(op)
}

function entriesBetween(journal: string, progress: JobProgress, { from, to }: { from: number; to: number }) {
  const entries = new Map<number, FailedEntry | DoubtEntry>()
  readJournal(journal, (entry) => {
    if (entry.t !== 'failed' && entry.t !== 'doubt') return
    // Only the last result of an operation counts.
    if (entry.op >= from && entry.op < to && progress.endOf(entry.op) === entry.t) entries.set(entry.op, entry)
  })
  return entries
}

/** An iterable whose next loop continues where the last one stopped. */
function operationsOf(plan: PlanFile): Iterable<PlanOperation> {
  const all = plan.all()
  return { [Symbol.iterator]: () => ({ next: () => all.next() }) }
}

function failureOf(operation: PlanOperation, entry: FailedEntry | DoubtEntry): RowFailure {
  if (entry.t === 'doubt') {
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

/** Rows that failed or are in doubt, as records, in the order of the plan. */
export async function* failurePages(paths: JobPaths, limit = Number.POSITIVE_INFINITY): AsyncGenerator<FailurePage> {
  const plan = openJobPlan(paths)
  try {
    const progress = readProgress(paths.journal, plan.count)
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
  /** The largest first. */
  readonly groups: readonly FailureGroup[]
}

const MOST_GROUPS = 1000

const LINES_SHOWN = 3

/** Groups the failures by cause, and writes the failed rows with their reasons; undefined if no row failed. */
export async function reportFailures(paths: JobPaths): Promise<FailureReport | undefined> {
  const plan = openJobPlan(paths)
  try {
    const progress = readProgress(paths.journal, plan.count)
    if (progress.counts.failed + progress.counts.doubt + progress.unanswered === 0) return undefined
    const groups = new FailureGroups()
    const failures = failuresOf(plan, paths.journal, progress)
    // A plan from another machine has no input file.
    const summary = existsSync(paths.input) ? plan.head.input?.verdict : undefined
    if (!summary) {
      for (const failure of failures) groups.add(failure)
      return { file: undefined, groups: groups.list() }
    }
    const file = join(paths.folder, failedRowsName(summary))
    const rows = await createFailedRows({ input: paths.input, summary, to: file })
    for (const failure of failures) {
      groups.add(failure)
      const { line = 0, at = [0, 0], also = [] } = failure.operation.head
      for (const [earlier, offset, length] of also) await rows.add({ line: earlier, offset, length }, failure)
      await rows.add({ line, offset: at[0], length: at[1] }, failure)
    }
    await rows.close()
    return { file, groups: groups.list() }
  } finally {
    plan.close()
  }
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
export async function* leftOutPages({ leftOut }: JobPaths): AsyncGenerator<FailurePage> {
  if (!existsSync(leftOut)) return
  let items: CrmRecord[] = []
  for await (const line of linesOf(leftOut)) {
    items.push(parseExactJson(line) as CrmRecord)
    if (items.length < PAGE_ROWS) continue
    yield { items, nextCursor: undefined }
    items = []
  }
  yield { items, nextCursor: undefined }
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
