import { CrmError } from '../../core/errors.ts'
import type { Jobs } from '../../jobs/jobs.ts'
import type { RunHooks } from '../../jobs/send/run-job.ts'
import type { JobPaths } from '../../jobs/store/job-folder.ts'
import type { State, StateStore } from '../state.ts'
import type { DoneCommands } from './done-commands.ts'
import type { FindRecords } from './find-conflicts.ts'
import { createJobCorrections, type JobCorrections } from './job-corrections.ts'
import { type PlannedUndo, planUndo, sendUndo } from './job-undo.ts'
import { createJobWatch, type JobWatch } from './job-watch.ts'
import type { Lists } from './loading.ts'
import type { Notices } from './notices.ts'
import { isInterrupted, type JobToSend, sendInBackground } from './send-job.ts'
import type { TrackedRows, UnderWay } from './under-way.ts'

/** The jobs of this machine, and the actions on them. */
export interface JobList extends JobWatch, JobCorrections {
  /** Sends the unsent rows. */
  resume(id: string): Promise<void>
  /** Sends the failed rows again, as a new job. */
  retry(id: string): Promise<void>
  /** The records that a job changed and did not delete; undefined where its journal cannot be read, which is shown. */
  changedBy(id: string): Promise<ChangedRecords | undefined>
  /** The undo of a job; undefined when there is none, which is shown. */
  planUndo(id: string): Promise<UndoToSend | undefined>
}

interface ChangedRecords {
  readonly resource: string
  readonly ids: readonly string[]
}

export interface UndoToSend extends Pick<PlannedUndo, 'rows' | 'diff' | 'lines'> {
  /** Of the job that the undo is. */
  readonly id: string
  send(): Promise<void>
  drop(): void
}

interface Parts {
  readonly store: StateStore<State>
  readonly lists: Pick<Lists, 'reload'>
  readonly findRecords: FindRecords
  readonly openJobs: () => Promise<Jobs>
  readonly notices: Notices
  readonly commands: DoneCommands
  readonly underWay: UnderWay
  /** Aborted when the program is stopped. */
  readonly signal: AbortSignal
}

export function createJobList(parts: Parts): JobList {
  const { store, lists, findRecords, openJobs, notices, commands, underWay, signal } = parts
  const watching = createJobWatch({ store, openJobs, notices, signal })

  const send = (jobs: Jobs, paths: JobPaths, onEnd?: RunHooks['onEnd']) =>
    underWay.trackRows(paths.id, (rows) => run(rows, { jobs, paths, onEnd }))

  async function run(rows: TrackedRows, job: JobToSend): Promise<void> {
    const { paths } = job
    try {
      const { account, error } = await sendInBackground(rows, job)
      if (error === undefined) notices.done(`${paths.id}: ${account.done} of ${account.rows} done`)
      else if (isInterrupted(error) && !signal.aborted)
        notices.wait(`${paths.id} stopped; ${error.details.hint} goes on`)
      else notices.problem(error, '')
    } finally {
      await watching.look()
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
    ...watching,
    ...createJobCorrections({ attempt, send, commands, offered: () => store.get().offered }),
    resume: (id) =>
      attempt(async (jobs) => {
        commands.add(['jobs', 'resume', id])
        await send(jobs, jobs.find(id))
      }),
    changedBy: (id) =>
      attempt(async (jobs) => {
        const ids = new Set<string>()
        let resource = ''
        for (const changes of jobs.localChanges({ account: await jobs.account(), job: jobs.find(id).id })) {
          for (const { record_id: recordId, action, resource: of } of changes) {
            resource = String(of)
            if (typeof recordId === 'string' && action !== 'deleted') ids.add(recordId)
          }
        }
        return { resource, ids: [...ids] }
      }),
    planUndo: (id) =>
      attempt(async (jobs) => {
        const undo = await planUndo(jobs, id)
        return {
          ...undo,
          id: undo.paths.id,
          send: async () =>
            void (await attempt((again) => {
              commands.add(['jobs', 'undo', id, '--yes'])
              return sendUndo(undo, {
                ...{ store, lists, findRecords },
                send: (onEnd) => send(again, undo.paths, onEnd),
              })
            })),
          drop: () => jobs.of(undo.paths).drop(),
        }
      }),
    retry: (id) =>
      attempt(async (jobs) => {
        const made = await jobs.plan('retry', { paths: jobs.find(id) })
        if (made.type !== 'refused') {
          commands.add(['jobs', 'retry', id, '--yes'])
          return send(jobs, made.job.paths)
        }
        throw new CrmError('invalid_input', `the rows of ${id} cannot be sent as they are`, {
          hint: `crm jobs retry ${id} shows why`,
        })
      }),
  }
}
