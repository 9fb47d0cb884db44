import { CrmError } from '../../core/errors.ts'
import type { JsonObject } from '../../core/json.ts'
import type { CrmRecord } from '../../core/resources.ts'
import type { Jobs } from '../../jobs/jobs.ts'
import { takePage } from '../list/list-state.ts'
import { SEARCHED } from '../screens.ts'
import { type State, withList } from '../state.ts'
import type { Store } from '../store.ts'
import { TERMS } from './bulk.ts'
import type { Notices } from './notices.ts'

/** The jobs of this machine, and what can be done about them. */
export interface JobList {
  look(): Promise<void>
  /** Sends what is left of it. */
  resume(id: string): Promise<void>
  /** Sends the rows that failed once more, as a job of their own. */
  retry(id: string): Promise<void>
}

/** While one is sent, what is shown of it is read anew this often. */
const LOOK_EVERY_MS = 1_000

export function createJobList(store: Store<State>, openJobs: () => Promise<Jobs>, notices: Notices): JobList {
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

  async function send(jobs: Jobs, paths: Parameters<Jobs['run']>[0]): Promise<void> {
    const timer = setInterval(() => void look(), LOOK_EVERY_MS)
    try {
      const nothing = () => {}
      const { account, error } = await jobs.run(paths, TERMS, { onStart: nothing, onPause: nothing, onEnd: nothing })
      if (error === undefined) notices.done(`${paths.id}: ${account.done} of ${account.rows} done`)
      else notices.problem(error, '')
    } finally {
      clearInterval(timer)
      await look()
    }
  }

  async function attempt(work: (jobs: Jobs) => Promise<void>): Promise<void> {
    try {
      await work(await openJobs())
    } catch (error) {
      notices.problem(error, '')
    }
  }

  return {
    look,
    resume: (id) => attempt((jobs) => send(jobs, jobs.find(id))),
    retry: (id) =>
      attempt(async (jobs) => {
        const made = await jobs.makeRetry(jobs.find(id))
        if (made.is !== 'refused') return send(jobs, made.job.paths)
        throw new CrmError('invalid_input', `the rows of ${id} cannot be sent as they are`, {
          hint: `crm jobs retry ${id} says why`,
        })
      }),
  }
}

async function jobRow(jobs: Jobs, paths: Parameters<Jobs['state']>[0]): Promise<CrmRecord> {
  const { head, state, account, progress } = await jobs.state(paths)
  const failures = account.failed + account.in_doubt > 0 ? await failureGroups(jobs, paths) : {}
  return {
    id: paths.id,
    state,
    what: `${head.kind} ${head.noun}${head.input ? ` from ${head.input.name}` : ''}`,
    ...account,
    paused_by: progress.pausedBy ?? null,
    made_at: new Date(head.made_at).toISOString(),
    ...failures,
    folder: paths.folder,
  }
}

/** The failures of a job by their cause, each a member of its row. */
async function failureGroups(jobs: Jobs, paths: Parameters<Jobs['state']>[0]): Promise<JsonObject> {
  const report = await jobs.reportFailures(paths)
  const groups = report?.groups.slice(0, 9) ?? []
  const causes = groups.map(({ code, field, reason, count }, index) => {
    return [`cause ${index + 1}`, `${count} x ${field === undefined ? code : `${field} ${code}`}: ${reason}`] as const
  })
  return { ...Object.fromEntries(causes), ...(report?.file !== undefined && { failed_file: report.file }) }
}
