import { dirname, join } from 'node:path'
import type { CrmRecord } from '../core/resources/registry.ts'
import { stateFolder } from '../files/folders.ts'
import { undosInEffect } from './history/earlier-jobs.ts'
import { type Pruned, type PruneQuery, prunable, removeJobs } from './history/end-jobs.ts'
import { type Left, leftOf } from './history/failures.ts'
import { allJobs, findJob, knownJobs } from './history/find-jobs.ts'
import { type LocalQuery, localChanges } from './history/job-results.ts'
import type { JobState } from './history/job-state.ts'
import type { WrongStage } from './input/row-draft.ts'
import { type Job, jobOf } from './job.ts'
import type { JobsHost } from './jobs-host.ts'
import { applyPlan } from './plan/apply-plan.ts'
import { correctFailedRows } from './plan/make-correction.ts'
import { makeImport } from './plan/make-import.ts'
import { type JobIdentity, type MadeJob, makeJob, type PlanningHooks } from './plan/make-job.ts'
import { makeMerge } from './plan/make-merge.ts'
import { makeRestore } from './plan/make-restore.ts'
import { makeRetry } from './plan/make-retry.ts'
import { makeSelection } from './plan/make-selection.ts'
import { makeUndo } from './plan/make-undo.ts'
import type { PlanBuilder } from './plan/plan-builder.ts'
import { type Forecast, forecastOf, type Sendable } from './plan/plan-format.ts'
import { planningFailure } from './plan/scratch.ts'
import { stageNames, unknownStage } from './plan/stage-names.ts'
import { planningContext, trialContext, withHooks } from './planning-context.ts'
import { crmAccount } from './send/run-on-server.ts'
import { ensureJobsFolder, type JobPaths, removeTrial } from './store/job-folder.ts'

/** Each kind of job, and what plans it. */
const PLANNERS = {
  /** The rows of a file. */
  import: makeImport,
  /** The records that an expression selects. */
  selection: makeSelection,
  /** One record of each group. */
  merge: makeMerge,
  /** The failed rows of another job, as they were sent. */
  retry: makeRetry,
  /** The same, with corrections. */
  correction: correctFailedRows,
  /** Reverts another job, or a part of it, as far as its records are unchanged since. */
  undo: makeUndo,
  /** Gives a record the values that it had. */
  restore: makeRestore,
  /** A plan in a file. */
  file: applyPlan,
} as const

type Planners = typeof PLANNERS

export type PlanKind = keyof Planners

/** Bulk work, for commands, fixtures and screens. */
export interface Jobs {
  /** The path of the state home of jobs and fixtures, which may not exist. */
  readonly home: string
  /** The same; created if it is missing. */
  ensureHome(): Promise<string>
  /** The server with the records, whatever the key. */
  account(): Promise<string>
  /** Plans a job of this kind; nothing is sent before it is run. */
  plan<Kind extends PlanKind>(
    kind: Kind,
    request: Parameters<Planners[Kind]>[1],
    hooks?: PlanningHooks,
  ): ReturnType<Planners[Kind]>
  /** A job of given operations; `run` sends it, and reports each result to its hooks. */
  make(identity: JobIdentity, fill: (builder: PlanBuilder) => Promise<void>): Promise<MadeJob>
  /** The requests of a plan, and the minimum time for them by the limit in the last response. */
  forecast(sendable: Sendable, rateShare: number): Promise<Forecast>
  /** Valid names for the stage of a deal; undefined if the server does not list them. */
  stages(): Promise<readonly string[] | undefined>
  /** The first of these stages that no pipeline has; undefined when all exist, or the server does not list stages. */
  unknownStage(stages: readonly string[]): Promise<WrongStage | undefined>
  /** The oldest first. Where this user cannot look for any, none; with `isSure` CrmError `machine`. */
  all(options?: { readonly isSure: true }): readonly JobPaths[]
  /** By id, or by a suffix of it. */
  find(word: string): JobPaths
  of(paths: JobPaths): Job
  /** The failed rows of a job that no retry has done since. */
  left(job: JobState): Left
  /** Ids of jobs, each with the id of the undo in effect. */
  undone(): Promise<ReadonlyMap<string, string>>
  /** What the jobs of this machine did on a server, for one that keeps no history. */
  localChanges(query: LocalQuery): Iterable<readonly CrmRecord[]>
  /** What may be removed; see prunable. */
  prunable(query: PruneQuery): Promise<readonly Pruned[]>
  remove(ids: readonly string[]): Promise<void>
}

/** Writes nothing and sends no request before a method needs to. */
export function openJobs(host: JobsHost): Jobs {
  const home = stateFolder(host.env)
  const folder = join(home, 'jobs')
  let ensured: Promise<string> | undefined
  const ensure = () => {
    ensured ??= ensureJobsFolder(host.env, host.note)
    return ensured
  }
  const plan = async (kind: PlanKind, request: unknown, hooks?: PlanningHooks) => {
    const bare = host.isTrial ? await trialContext(host, folder) : await planningContext(host, await ensure())
    const context = hooks ? withHooks(bare, hooks) : bare
    let isMade = false
    try {
      const made = await PLANNERS[kind](context, request as never)
      isMade = made.type === 'made'
      return made
    } catch (error) {
      throw planningFailure(error, context.draftsFolder)
    } finally {
      if (!isMade) removeTrial(context.draftsFolder)
    }
  }
  return {
    home,
    ensureHome: async () => dirname(await ensure()),
    account: async () => crmAccount(await host.server()),
    plan: plan as Jobs['plan'],
    make: async (identity, fill) => makeJob(await planningContext(host, await ensure()), identity, fill),
    forecast: async (sendable, rateShare) => forecastOf(sendable, await host.api(), rateShare),
    stages: async () => stageNames(await host.api()),
    unknownStage: async (stages) => unknownStage(await host.api(), stages),
    all: (options) => (options?.isSure ? knownJobs(folder) : allJobs(folder)),
    find: (word) => findJob(folder, word),
    of: (paths) => jobOf(host, folder, paths),
    left: (job) => leftOf(folder, job),
    undone: async () => new Map([...(await undosInEffect(folder, true))].map(([id, { paths }]) => [id, paths.id])),
    localChanges: (query) => localChanges(folder, query),
    prunable: (query) => prunable(folder, query, host.now()),
    remove: (ids) => removeJobs(folder, ids),
  }
}
