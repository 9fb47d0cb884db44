import type { JsonObject } from '../../core/json.ts'
import type { CrmRecord } from '../../core/resources/registry.ts'
import type { FailureGroup } from '../../jobs/history/failures.ts'
import type { JobState } from '../../jobs/history/job-state.ts'
import type { Jobs } from '../../jobs/jobs.ts'
import type { JobPaths } from '../../jobs/store/job-folder.ts'

export interface Cause {
  readonly text: string
  readonly code: string
  readonly field: string | undefined
}

export interface ReadJob {
  readonly row: CrmRecord
  /** The server with its records; undefined for a damaged job. */
  readonly account: string | undefined
  readonly isRunning: boolean
}

/** A job for the Jobs screen. */
export async function jobRow(jobs: Jobs, paths: JobPaths): Promise<ReadJob> {
  const job = await jobs.of(paths).state()
  const { head, state, account, progress } = job
  const isRunning = state === 'running'
  // A row without an answer is being sent; it is in doubt only after its process has ended.
  const inDoubt = isRunning ? progress.counts.doubt : account.in_doubt
  // Stopped with an answer to every row: only the recheck of an upsert can be left.
  const isAllAnswered =
    state === 'stopped' && account.unsent + progress.unanswered === 0 && head.terms?.match.mode !== 'upsert'
  const failures = account.failed + inDoubt > 0 ? await failureMembers(jobs, job) : {}
  const input = head.input ? ` from ${head.input.name}` : ''
  const row = {
    id: paths.id,
    state: isAllAnswered ? 'finished' : state,
    what: `${head.kind} ${head.noun}${input}${head.of ? ` of ${head.of}` : ''}`,
    ...failures,
    ...account,
    in_doubt: inDoubt,
    ...(isRunning && { under_way: progress.unanswered }),
    paused_by: progress.pausedBy ?? null,
    made_at: new Date(head.made_at).toISOString(),
    file: paths.db,
  }
  return { row, account: head.account, isRunning }
}

/** The failures of a job by their cause, each a member of its row, and their number; without rows that a retry has done since. */
async function failureMembers(jobs: Jobs, job: JobState): Promise<JsonObject> {
  const report = await jobs.of(job.paths).reportFailures()
  const doubt = report?.groups.filter(({ code }) => code === 'in_doubt') ?? []
  const left = await jobs.left(job).causes()
  const groups = [...left.groups, ...doubt].slice(0, MOST_CAUSES)
  const causes = groups.map((group, index) => [`cause ${index + 1}`, causeText(group)] as const)
  return {
    ...Object.fromEntries(causes),
    ...(report?.file !== undefined && { failed_file: report.file }),
    ...(job.account.failed > 0 && { still_failed: left.count }),
  }
}

const MOST_CAUSES = 9

function causeText({ code, field, reason, count, isMixed }: FailureGroup): string {
  return `${count} x ${field === undefined ? code : `${field} ${code}`}${isMixed ? '; the first' : ''}: ${reason}`
}

/** Of failed rows that no retry has done since. Rows in doubt may have been applied, and are not sent again. */
export async function causesOf(jobs: Jobs, paths: JobPaths): Promise<readonly Cause[]> {
  const { groups } = await jobs.left(await jobs.of(paths).state()).causes()
  return groups.slice(0, MOST_CAUSES).map((group) => ({ text: causeText(group), code: group.code, field: group.field }))
}
