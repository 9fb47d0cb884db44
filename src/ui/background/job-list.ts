import { CrmError } from '../../core/errors.ts'
import type { JsonValue } from '../../core/json.ts'
import type { CrmRecord } from '../../core/resources/registry.ts'
import type { Jobs } from '../../jobs/jobs.ts'
import type { JobPaths } from '../../jobs/journal/job-folder.ts'
import type { CorrectedRow } from '../../jobs/plan/make-retry.ts'
import type { RunHooks } from '../../jobs/send/run-job.ts'
import { jsonText, safeText } from '../../output/safe-text.ts'
import type { Offered } from '../offered.ts'
import { SERVER_LISTS } from '../screens.ts'
import type { State, StateStore } from '../state.ts'
import type { DoneCommands } from './done-commands.ts'
import { type Cause, causesOf } from './job-row.ts'
import { type PlannedUndo, planUndo, sendUndo } from './job-undo.ts'
import { createJobWatch, type JobWatch } from './job-watch.ts'
import type { Notices } from './notices.ts'
import { isInterrupted, type JobToSend, sendInBackground } from './send-job.ts'
import { type Assignment, checkedAssignment } from './staging.ts'
import type { TrackedRows, UnderWay } from './under-way.ts'

/** The jobs of this machine, and the actions on them. */
export interface JobList extends JobWatch {
  /** Sends the unsent rows. */
  resume(id: string): Promise<void>
  /** Sends the failed rows again, as a new job. */
  retry(id: string): Promise<void>
  /** The undo of a job; undefined when there is none, which is shown. */
  planUndo(id: string): Promise<UndoToSend | undefined>
  /** Its failures by cause, the most frequent first. */
  causes(id: string): Promise<readonly Cause[]>
  /** Checks a member for a correction against the fields and the first rows of the job; see checkedAssignment. */
  checker(id: string): Promise<((text: string) => Assignment) | undefined>
  /** Plans the rows of one cause again, with a member changed in all of them; sends nothing yet. */
  correct(id: string, cause: Cause, member: readonly [string, JsonValue]): Promise<Corrected | undefined>
}

export interface Corrected {
  readonly rows: number
  /** The changes of the first rows, for people. */
  readonly lines: readonly string[]
  send(): Promise<void>
  drop(): void
}

export interface UndoToSend extends Pick<PlannedUndo, 'rows' | 'diff' | 'lines'> {
  send(): Promise<void>
  drop(): void
}

interface Parts {
  readonly store: StateStore<State>
  readonly openJobs: () => Promise<Jobs>
  readonly notices: Notices
  readonly commands: DoneCommands
  readonly underWay: UnderWay
  /** Aborted when the program is stopped. */
  readonly signal: AbortSignal
}

export function createJobList({ store, openJobs, notices, commands, underWay, signal }: Parts): JobList {
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
    resume: (id) =>
      attempt(async (jobs) => {
        commands.add(['jobs', 'resume', id])
        await send(jobs, jobs.find(id))
      }),
    causes: async (id) => (await attempt((jobs) => causesOf(jobs, jobs.find(id)))) ?? [],
    planUndo: (id) =>
      attempt(async (jobs) => {
        const undo = await planUndo(jobs, id)
        return {
          ...undo,
          send: async () =>
            void (await attempt((again) => {
              commands.add(['jobs', 'undo', id, '--yes'])
              return sendUndo(store, undo, (onEnd) => send(again, undo.paths, onEnd))
            })),
          drop: () => jobs.drop(undo.paths),
        }
      }),
    checker: (id) => attempt((jobs) => checkerOf(jobs, jobs.find(id), store.get().offered)),
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
          send: async () => {
            commands.remark(
              `${rows} rows of ${id} were corrected (${name}) by ${job.paths.id}: crm jobs show ${job.paths.id}`,
            )
            await attempt((again) => send(again, job.paths))
          },
          drop: () => jobs.drop(job.paths),
        }
      }),
    retry: (id) =>
      attempt(async (jobs) => {
        const made = await jobs.makeRetry(jobs.find(id))
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

const MOST_LOOKED_AT = 200

async function checkerOf(jobs: Jobs, paths: JobPaths, { fields }: Offered): Promise<(text: string) => Assignment> {
  const { noun } = (await jobs.state(paths)).head
  const rows: CrmRecord[] = []
  for await (const { body } of jobs.changes(paths)) {
    if (rows.push(body) >= MOST_LOOKED_AT) break
  }
  const name = SERVER_LISTS.find((list) => list === noun)
  return (text) => checkedAssignment(text, noun, rows, name && fields[name])
}

function correctedText({ line, id, before, after }: CorrectedRow, name: string): string {
  const row = line === undefined ? (id ?? '') : `line ${line}`
  return safeText(`${row}: ${name} ${jsonText(before[name] ?? null)} becomes ${jsonText(after[name] ?? null)}`)
}
