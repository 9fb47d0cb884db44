import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createFailedRows, failedRowsName } from '../input/failed-rows.ts'
import type { JobPaths } from '../journal/job-folder.ts'
import { openJobPlan } from '../journal/job-folder.ts'
import { Progress } from '../journal/progress.ts'
import { readJournal } from '../journal/read-journal.ts'
import { failuresOf, type RowFailure } from './failures.ts'

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
    const progress = new Progress(plan.count)
    readJournal(paths.journal, (entry) => progress.take(entry))
    if (progress.counts.failed + progress.counts.doubt + progress.unanswered === 0) return undefined
    const groups = new Map<string, FailureGroup>()
    const failures = failuresOf(plan, paths.journal, progress)
    // A plan from another machine has no input file.
    const summary = existsSync(paths.input) ? plan.head.input?.verdict : undefined
    if (!summary) {
      for (const failure of failures) count(groups, failure)
      return { file: undefined, groups: sorted(groups) }
    }
    const file = join(paths.folder, failedRowsName(summary))
    const rows = await createFailedRows({ input: paths.input, summary, to: file })
    for (const failure of failures) {
      count(groups, failure)
      const { line = 0, at = [0, 0] } = failure.operation.head
      await rows.add({ line, offset: at[0], length: at[1] }, failure)
    }
    await rows.close()
    return { file, groups: sorted(groups) }
  } finally {
    plan.close()
  }
}

function count(groups: Map<string, FailureGroup>, { code, field, reason, operation }: RowFailure): void {
  const key = `${code} ${field ?? ''}`
  const group = groups.get(key) ?? { code, field, reason, isMixed: false, count: 0, lines: [] }
  if (!groups.has(key) && groups.size >= MOST_GROUPS) return
  groups.set(key, group)
  group.count += 1
  if (reason !== group.reason) group.isMixed = true
  const { line } = operation.head
  if (line !== undefined && group.lines.length < LINES_SHOWN) group.lines.push(line)
}

function sorted(groups: ReadonlyMap<string, FailureGroup>): readonly FailureGroup[] {
  return [...groups.values()].toSorted((one, other) => other.count - one.count)
}
