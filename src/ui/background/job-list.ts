import { CrmError } from '../../core/errors.ts'
import type { JsonObject, JsonValue } from '../../core/json.ts'
import type { CrmRecord } from '../../core/resources/registry.ts'
import type { FailureGroup } from '../../jobs/history/failures.ts'
import type { Jobs } from '../../jobs/jobs.ts'
import type { JobPaths } from '../../jobs/journal/job-folder.ts'
import type { CorrectedRow } from '../../jobs/plan/make-retry.ts'
import { safeText } from '../../output/safe-text.ts'
import { jsonText } from '../../output/value-text.ts'
import { takePage } from '../list/list-state.ts'
import { SEARCHED } from '../screens.ts'
import { type State, type StateStore, withList } from '../state.ts'
import type { Notices } from './notices.ts'
import { isInterrupted, sendJob } from './send-job.ts'
import type { TrackedRows, UnderWay } from './under-way.ts'

/** The jobs of this machine, and the actions on them. */
export interface JobList {
  look(): Promise<void>
  /** Sends the unsent rows. */
  resume(id: string): Promise<void>
  /** Sends the failed rows again, as a new job. */
  retry(id: string): Promise<void>
  /** Its failures by cause, the most frequent first. */
  causes(id: string): Promise<readonly Cause[]>
  /** Plans the rows of one cause again, with a member changed in all of them; sends nothing yet. */
  correct(id: string, cause: Cause, member: readonly [string, JsonValue]): Promise<Corrected | undefined>
}

export interface Cause {
  readonly text: string
  readonly code: string
  readonly field: string | undefined
}

export interface Corrected {
  readonly rows: number
  /** The changes of the first rows, for people. */
  readonly lines: readonly string[]
  send(): Promise<void>
  drop(): void
}

/** How often the row of a running job is updated. */
const LOOK_EVERY_MS = 1_000

interface Parts {
  readonly store: StateStore<State>
  readonly openJobs: () => Promise<Jobs>
  readonly notices: Notices
  readonly underWay: UnderWay
  /** Aborted when the program is stopped. */
  readonly signal: AbortSignal
}

export function createJobList({ store, openJobs, notices, underWay, signal }: Parts): JobList {
  async function look(): Promise<void> {
    try {
      const jobs = await openJobs()
      const items: CrmRecord[] = []
      for (const paths of jobs.all().toReversed()) items.push(await jobRow(jobs, paths))
      const page = { items, nextCursor: undefined, searched: SEARCHED.jobs }
      store.update((state) => withList(state, 'jobs', (list) => takePage({ ...list, isStale: true }, page)))
    } catch (error) {
      notices.problem(error, '')
    }
  }

  const send = (jobs: Jobs, paths: JobPaths) => underWay.trackRows(paths.id, (rows) => run(rows, jobs, paths))

  async function run(rows: TrackedRows, jobs: Jobs, paths: JobPaths): Promise<void> {
    const timer = setInterval(() => void look(), LOOK_EVERY_MS)
    try {
      const { account, error } = await sendJob(rows, { jobs, paths })
      if (error === undefined) notices.done(`${paths.id}: ${account.done} of ${account.rows} done`)
      else if (isInterrupted(error) && !signal.aborted)
        notices.wait(`${paths.id} stopped; ${error.details.hint} goes on`)
      else notices.problem(error, '')
    } finally {
      clearInterval(timer)
      await look()
    }
  }

  async function attempt<Result>(work: (jobs: Jobs) => Promise<Result>): Promise<Result | undefined> {
    try {
      return await work(await openJobs())
    } catch (error) {
      notices.problem(error, '')
      return undefined
    }
  }

  return {
    look,
    resume: (id) => attempt((jobs) => send(jobs, jobs.find(id))),
    causes: async (id) => (await attempt((jobs) => causesOf(jobs, jobs.find(id)))) ?? [],
    correct: (id, { code, field }, [name, value]) =>
      attempt(async (jobs) => {
        const { job, rows, samples } = await jobs.correct(jobs.find(id), {
          code,
          field,
          members: { [name]: value },
        })
        return {
          rows,
          lines: samples.map((sample) => correctedText(sample, name)),
          send: async () => void (await attempt((again) => send(again, job.paths))),
          drop: () => jobs.drop(job.paths),
        }
      }),
    retry: (id) =>
      attempt(async (jobs) => {
        const made = await jobs.makeRetry(jobs.find(id))
        if (made.type !== 'refused') return send(jobs, made.job.paths)
        throw new CrmError('invalid_input', `the rows of ${id} cannot be sent as they are`, {
          hint: `crm jobs retry ${id} shows why`,
        })
      }),
  }
}

async function jobRow(jobs: Jobs, paths: JobPaths): Promise<CrmRecord> {
  const { head, state, account, progress } = await jobs.state(paths)
  const isRunning = state === 'running'
  // A row without an answer is being sent; it is in doubt only after its process has ended.
  const inDoubt = isRunning ? progress.counts.doubt : account.in_doubt
  // Stopped with an answer to every row: only the recheck of an upsert can be left.
  const isAllAnswered =
    state === 'stopped' && account.unsent + progress.unanswered === 0 && head.terms?.match.mode !== 'upsert'
  const failures = account.failed + inDoubt > 0 ? await failureGroups(jobs, paths, isRunning) : {}
  return {
    id: paths.id,
    state: isAllAnswered ? 'finished' : state,
    what: `${head.kind} ${head.noun}${head.input ? ` from ${head.input.name}` : ''}${head.of ? ` of ${head.of}` : ''}`,
    ...failures,
    ...account,
    in_doubt: inDoubt,
    ...(isRunning && { under_way: progress.unanswered }),
    paused_by: progress.pausedBy ?? null,
    made_at: new Date(head.made_at).toISOString(),
    folder: paths.folder,
  }
}

/** The failures of a job by their cause, each a member of its row. */
async function failureGroups(jobs: Jobs, paths: JobPaths, isRunning: boolean): Promise<JsonObject> {
  const report = await jobs.reportFailures(paths)
  // In a running job these include requests without an answer yet.
  const found = report?.groups.filter(({ code }) => !isRunning || code !== 'in_doubt') ?? []
  const groups = found.slice(0, MOST_CAUSES)
  const causes = groups.map((group, index) => [`cause ${index + 1}`, causeText(group)] as const)
  return { ...Object.fromEntries(causes), ...(report?.file !== undefined && { failed_file: report.file }) }
}

const MOST_CAUSES = 9

function causeText({ code, field, reason, count }: FailureGroup): string {
  return `${count} x ${field === undefined ? code : `${field} ${code}`}: ${reason}`
}

/** Rows in doubt may have been applied, and are not sent again. */
async function causesOf(jobs: Jobs, paths: JobPaths): Promise<readonly Cause[]> {
  const report = await jobs.reportFailures(paths)
  const groups = (report?.groups ?? []).filter(({ code }) => code !== 'in_doubt').slice(0, MOST_CAUSES)
  return groups.map((group) => ({ text: causeText(group), code: group.code, field: group.field }))
}

function correctedText({ line, id, before, after }: CorrectedRow, name: string): string {
  const row = line === undefined ? (id ?? '') : `line ${line}`
  return safeText(`${row}: ${name} ${jsonText(before[name] ?? null)} becomes ${jsonText(after[name] ?? null)}`)
}
