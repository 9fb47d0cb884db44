import { statSync } from 'node:fs'
import { CrmError } from '../../core/errors.ts'
import { isSameJson, type JsonObject } from '../../core/json.ts'
import type { CrmRecord } from '../../core/resources/registry.ts'
import type { FailureGroup } from '../../jobs/history/failures.ts'
import { headIfReadable } from '../../jobs/history/find-jobs.ts'
import type { JobState } from '../../jobs/history/job-state.ts'
import type { Jobs } from '../../jobs/jobs.ts'
import type { JobPaths } from '../../jobs/store/job-folder.ts'
import { createRate, type Rate, rateTexts } from '../../output/progress.ts'
import { withRows } from '../screens/all-screens.tsx'
import { type State, type StateStore, withList } from '../state.ts'
import type { Parts } from './parts.ts'

export type Cause = { readonly text: string; readonly code: string; readonly field: string | undefined }
export type ReadJob = { readonly row: CrmRecord; readonly account: string | undefined; readonly isRunning: boolean }

async function jobRow(jobs: Jobs, paths: JobPaths): Promise<ReadJob> {
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

type Known = { readonly stamp: string; readonly job: ReadJob }

/** The rows of all jobs, the newest first. A job is read again only when its journal has changed, or while it runs: reading takes a second for a million rows. */
function createJobRows() {
  const known = new Map<string, Known>()
  const rates = new Map<string, Rate>()
  const firsts = new Map<string, string>()

  async function read(jobs: Jobs, paths: JobPaths, retries: string): Promise<ReadJob> {
    const stamp = `${stampOf(paths)} ${retries}`
    const before = known.get(paths.id)
    if (before?.stamp === stamp && !before.job.isRunning) return before.job
    const job = await readOr(jobs, paths)
    const shown = job.isRunning ? withRate(job) : job
    known.set(paths.id, { stamp, job: shown })
    return shown
  }

  function withRate(job: ReadJob): ReadJob {
    const { id, rows, unchanged, skipped, done, failed, in_doubt: inDoubt } = job.row
    const total = Number(rows) - Number(unchanged) - Number(skipped)
    const ended = Number(done) + Number(failed) + Number(inDoubt)
    const rate = rates.get(String(id)) ?? createRate()
    rates.set(String(id), rate)
    rate.measure(ended, performance.now())
    const share = total === 0 ? 100 : Math.floor((ended / total) * 100)
    const speed = rate.perSecond() > 0 ? ` ${rateTexts(rate.perSecond(), total - ended).join(' ')}` : ''
    return { ...job, row: { ...job.row, state: `running ${share} %${speed}` } }
  }

  return async (jobs: Jobs): Promise<readonly ReadJob[]> => {
    const all: ReadJob[] = []
    const jobPaths = jobs.all().toReversed()
    const stamps = familyStamps(jobPaths, firsts)
    for (const paths of jobPaths) all.push(await read(jobs, paths, stamps(paths)))
    return all
  }
}

/** A damaged job is a row of its own, and hides no other. */
async function readOr(jobs: Jobs, paths: JobPaths): Promise<ReadJob> {
  try {
    return await jobRow(jobs, paths)
  } catch (error) {
    if (!(error instanceof CrmError)) throw error
    const row: CrmRecord = { id: paths.id, state: 'damaged', what: error.message, file: paths.db }
    return { row, account: undefined, isRunning: false }
  }
}

/** What the rows of a job look like depends on its retries, too: the stamps of all of them, for each. */
function familyStamps(newestFirst: readonly JobPaths[], firsts: Map<string, string>): (paths: JobPaths) => string {
  const stamps = new Map<string, string>()
  for (const paths of newestFirst.toReversed()) {
    const first = firsts.get(paths.id) ?? firstOf(paths, firsts)
    // The head of a plan never changes.
    firsts.set(paths.id, first)
    if (first !== paths.id) stamps.set(first, `${stamps.get(first) ?? ''} ${stampOf(paths)}`)
  }
  return ({ id }) => stamps.get(firsts.get(id) ?? id) ?? ''
}

/** The job that it retries, also through other retries. */
function firstOf(paths: JobPaths, firsts: ReadonlyMap<string, string>): string {
  const { kind, of } = headIfReadable(paths)
  return kind === 'retry' && of !== undefined ? (firsts.get(of) ?? of) : paths.id
}

/** Changes with every change of the job, which is in one of these files first. */
function stampOf({ db }: JobPaths): string {
  const stats = [db, `${db}-wal`].map((path) => statSync(path, { throwIfNoEntry: false }))
  return stats.map((stat) => (stat ? `${stat.size} ${stat.mtimeMs}` : '')).join(' ')
}

const LOOK_EVERY_MS = 1_000

export function createJobWatch({ store, openJobs, notices, signal }: Parts) {
  const readRows = createJobRows()
  let timer: NodeJS.Timeout | undefined

  async function look(): Promise<void> {
    try {
      const jobs = await openJobs()
      showJobs(store, await readRows(jobs), await accountOf(jobs))
    } catch (error) {
      close()
      notices.problem(error, '')
    }
  }

  function close(): void {
    clearTimeout(timer)
    timer = undefined
  }

  async function watch(): Promise<void> {
    close()
    await look()
    const again = () => {
      timer = undefined
      if (store.get().screen === 'jobs') void watch()
    }
    if (!signal.aborted) timer ??= setTimeout(again, LOOK_EVERY_MS).unref()
  }

  return {
    look,
    watch: () => void watch(),
    /** Shows the jobs of other servers, too, or no longer. */
    toggleOthers: () => {
      store.update((state) => ({ ...state, jobs: { ...state.jobs, isOfAll: !state.jobs.isOfAll } }))
      return look()
    },
    close,
  }
}

/** Jobs of other servers are counted, and shown with their server on request. Nothing is drawn when nothing has changed. */
function showJobs(store: StateStore<State>, all: readonly ReadJob[], own: string | undefined): void {
  const isOther = ({ account }: ReadJob) => own !== undefined && account !== undefined && account !== own
  const { isOfAll } = store.get().jobs
  const items = all
    .filter((job) => isOfAll || !isOther(job))
    .map((job) => (isOther(job) ? { ...job.row, what: `${job.row.what} at ${job.account}` } : job.row))
  const others = all.filter(isOther).length
  const before = store.get().lists.jobs.rows
  const isSame = before.length === items.length && isSameJson([...before], items)
  store.update((state) => {
    if (isSame && state.lists.jobs.isComplete && state.jobs.others === others) return state
    const next = withRows(state, 'jobs', items)
    // The screen opens with the newest one.
    const shown = state.screen === 'jobs' ? next : withList(next, 'jobs', (list) => ({ ...list, cursor: 0, top: 0 }))
    return { ...shown, jobs: { ...state.jobs, others } }
  })
}

/** Undefined where no server is known: then all jobs are shown. */
async function accountOf(jobs: Jobs): Promise<string | undefined> {
  try {
    return await jobs.account()
  } catch (error) {
    if (error instanceof CrmError) return undefined
    throw error
  }
}
