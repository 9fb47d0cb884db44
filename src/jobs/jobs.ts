import { dirname, join } from 'node:path'
import { partText } from '../core/undo-part.ts'
import { stateFolder } from '../files/folders.ts'
import { openJobOf, undosInEffect } from './history/earlier-jobs.ts'
import { type PruneQuery, prunable, removeJobs } from './history/end-jobs.ts'
import { leftOf } from './history/failures.ts'
import { allJobs, findJob, jobsOfChain, knownJobs } from './history/find-jobs.ts'
import { type LocalQuery, localChanges } from './history/job-results.ts'
import type { JobState } from './history/job-state.ts'
import { type JobsHost, jobOf } from './job.ts'
import { applyPlan } from './plan/apply-plan.ts'
import { contractFields, type GivenFields, type GivenRequest, resolveFields } from './plan/given-fields.ts'
import { makeImport } from './plan/make-import.ts'
import { ChainDraft, type JobIdentity, makeJob } from './plan/make-job.ts'
import { makeMerge } from './plan/make-merge.ts'
import { correctFailedRows, makeRetry } from './plan/make-retry.ts'
import { begunChain, makeChosen, makeRestore, makeSelection } from './plan/make-selection.ts'
import { makeUndo } from './plan/make-undo.ts'
import type { PlanBuilder } from './plan/plan-builder.ts'
import { forecastOf, type Sendable } from './plan/plan-format.ts'
import { openPlanning, type PlanningHooks, stageNames, unknownStage } from './plan/planning.ts'
import { planningFailure } from './plan/scratch.ts'
import { crmAccount } from './send/run-on-server.ts'
import { ensureJobsFolder, type JobPaths, makeTrialFolder, removeTrial } from './store/job-folder.ts'

/** Each kind of job, and what plans it. */
const PLANNERS = {
  /** The rows of a file. */
  import: makeImport,
  /** The records that an expression selects. */
  selection: makeSelection,
  /** Records that a person chose on a screen. */
  chosen: makeChosen,
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

export interface Undone {
  readonly job: string
  /** What it took back; null: all. */
  readonly part: string | null
}

/** Bulk work, for commands, fixtures and screens. */
export type Jobs = ReturnType<typeof openJobs>

/** Writes nothing and sends no request before a method needs to. */
export function openJobs(host: JobsHost) {
  const home = stateFolder(host.env)
  const folder = join(home, 'jobs')
  let ensured: Promise<string> | undefined
  const ensure = () => {
    ensured ??= ensureJobsFolder(host.env, host.note)
    return ensured
  }
  const placesFor = async (isTrial: boolean) => {
    // Without a server there is nothing to plan: fails before a folder is made.
    const account = crmAccount(await host.server())
    const jobsFolder = isTrial ? folder : await ensure()
    return { account, jobsFolder, draftsFolder: isTrial ? makeTrialFolder(host.env, folder) : jobsFolder }
  }
  /** Plans a job of this kind; nothing is sent before it is run. `isTrial`: it is only shown, and leaves no job. */
  async function plan<Kind extends PlanKind>(
    kind: Kind,
    request: Parameters<Planners[Kind]>[1],
    hooks?: PlanningHooks,
    isTrial = host.isTrial,
  ): Promise<Awaited<ReturnType<Planners[Kind]>>> {
    const context = await openPlanning(host, await placesFor(isTrial), hooks)
    let isMade = false
    try {
      const made = await PLANNERS[kind](context, request as never)
      isMade = made.type === 'made'
      return made as Awaited<ReturnType<Planners[Kind]>>
    } catch (error) {
      throw planningFailure(error, context.draftsFolder)
    } finally {
      if (!isMade) removeTrial(context.draftsFolder)
    }
  }
  return {
    /** The path of the state home of jobs and fixtures, which may not exist. */
    home,
    /** The same; created if it is missing. */
    ensureHome: async () => dirname(await ensure()),
    /** The server with the records, whatever the key. */
    account: async () => crmAccount(await host.server()),
    plan,
    /** What members of a command line write; see GivenFields. */
    given: async (request: GivenRequest): Promise<GivenFields> => {
      const plain = contractFields(request, host.argv)
      if (plain) return plain
      const context = await openPlanning(host, await placesFor(true))
      try {
        return await resolveFields(context, request)
      } catch (error) {
        throw planningFailure(error, context.draftsFolder)
      } finally {
        removeTrial(context.draftsFolder)
      }
    },
    /** A job of given operations; `run` sends it, and reports each result to its hooks. */
    make: async (identity: JobIdentity, fill: (builder: PlanBuilder) => Promise<void>) =>
      makeJob(await openPlanning(host, await placesFor(false)), identity, fill),
    /** The requests of a plan, and the minimum time for them by the limit in the last response. */
    forecast: async (sendable: Sendable, rateShare: number) => forecastOf(sendable, await host.api(), rateShare),
    /** Valid names for the stage of a deal; undefined if the server does not list them. */
    stages: async () => stageNames(await host.api()),
    /** The first of these stages that no pipeline has; undefined when all exist, or the server does not list stages. */
    unknownStage: async (stages: readonly string[]) => unknownStage(await host.api(), stages),
    /** The oldest first. Where this user cannot look for any, none; with `isSure` CrmError `machine`. */
    all: (options?: { readonly isSure: true }) => (options?.isSure ? knownJobs(folder) : allJobs(folder)),
    /** By id, or by a suffix of it. */
    find: (word: string) => findJob(folder, word),
    of: (paths: JobPaths) => jobOf(host, folder, paths),
    /** The job of a run with a name that was stopped, or runs. */
    unended: async (run: string) => openJobOf(folder, { run, account: crmAccount(await host.server()) }),
    /** See jobsOfChain. */
    jobsOfChain,
    /** See begunChain. */
    begunChain: async () => begunChain(folder, { account: crmAccount(await host.server()), command: host.argv }),
    chain: () => new ChainDraft(),
    /** The failed rows of a job that no retry has done since. */
    left: (job: JobState) => leftOf(folder, job),
    /** By the ids of jobs, the undos in effect, the oldest first. */
    undone: async (): Promise<ReadonlyMap<string, readonly Undone[]>> => {
      const undos = new Map<string, readonly Undone[]>()
      await undosInEffect(folder, true, (of, { paths, head }) => {
        undos.set(of, [{ job: paths.id, part: partText(head) ?? null }, ...(undos.get(of) ?? [])])
      })
      return undos
    },
    /** What the jobs of this machine did on a server, for one that keeps no history. */
    localChanges: (query: LocalQuery) => localChanges(folder, query),
    /** What may be removed; see prunable. */
    prunable: (query: PruneQuery) => prunable(folder, query, host.now()),
    remove: (ids: readonly string[]) => removeJobs(folder, ids),
  }
}
