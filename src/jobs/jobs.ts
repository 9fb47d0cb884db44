import { rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Api } from '../api/api.ts'
import type { Page } from '../api/operations.ts'
import { type HostTiming, SYSTEM_TIMING } from '../api/transport/timing.ts'
import { isListed, RESOURCES, resourceOf } from '../core/resources/registry.ts'
import type { Env, InputStream } from '../core/streams.ts'
import { checkTimes } from '../core/wire.ts'
import { cancelJob } from './history/cancel-job.ts'
import { type DamagedJob, setAside, stateOrDamage } from './history/damaged-job.ts'
import { type FailureReport, reportFailures } from './history/failed-file.ts'
import { type FailurePage, failurePages } from './history/failure-pages.ts'
import { allJobs, findJob, headOf, type Pruned, prunable, removeJobs } from './history/find-jobs.ts'
import { outcomeError } from './history/job-errors.ts'
import { heldUndos } from './history/job-results.ts'
import { type JobState, readJobState } from './history/job-state.ts'
import { leftOutPages } from './history/left-out-pages.ts'
import { type OperationResult, operationResults, rowsLeft } from './history/operation-results.ts'
import type { WrongStage } from './input/check-row.ts'
import type { JobPaths } from './journal/job-folder.ts'
import type { Account } from './journal/row-totals.ts'
import { ensureJobsFolder, makeTrialFolder, removeTrial, stateHome } from './journal/state-home.ts'
import { applyPlan, copyPlan } from './plan/apply-plan.ts'
import { type Correction, correctFailedRows, type MadeCorrection } from './plan/correct-failed-rows.ts'
import { type ImportRequest, type MadeImport, makeImport } from './plan/make-import.ts'
import { type JobIdentity, type MadeJob, makeJob } from './plan/make-job.ts'
import { makeRetry } from './plan/make-retry.ts'
import { makeSelection, type SelectionRequest } from './plan/make-selection.ts'
import { makeUndo } from './plan/make-undo.ts'
import type { PlanBuilder } from './plan/plan-builder.ts'
import type { Noun } from './plan/plan-head.ts'
import { type Forecast, forecast } from './plan/plan-head.ts'
import type { PlanningContext } from './plan/planning-context.ts'
import { planningFailure } from './plan/scratch.ts'
import { dealUpdates, stageNames, unknownStage } from './plan/stage-names.ts'
import { type RowTerms, rowTermsOf } from './plan/terms-of.ts'
import { keptRecheck, type Recheck, tryRecheck } from './send/recheck.ts'
import type { JobOutcome, RunHooks } from './send/run-job.ts'
import { crmAccount, type JobServer, type RestOfJob, restOf, runOnServer } from './send/run-on-server.ts'
import type { RunTerms } from './send/services.ts'

/** Bulk work, for commands, fixtures and screens. */
export interface Jobs {
  /** What came of each operation, in the order of the plan; for jobs that fit in memory. */
  results(paths: JobPaths): readonly OperationResult[]
  /** The folder of everything that jobs and fixtures keep; made where it is missing. */
  home(): Promise<string>
  /** Where that is, whether it is there or not. */
  homePath(): string
  /** Where records live, whatever the key. */
  account(): Promise<string>
  /** A job of operations that are known already; `run` sends it, and tells its hooks what became of each. */
  make(identity: JobIdentity, fill: (builder: PlanBuilder) => Promise<void>): Promise<MadeJob>
  makeImport(request: ImportRequest): Promise<MadeImport>
  /** Contacts that an expression chooses. */
  makeSelection(request: SelectionRequest): Promise<MadeImport>
  /** The rows of a job that were refused, once more. */
  makeRetry(paths: JobPaths): Promise<MadeImport>
  /** Those that were refused for one cause, corrected alike. */
  correct(paths: JobPaths, correction: Correction): Promise<MadeCorrection>
  /** Reverts a job, as far as its records are unchanged since. */
  makeUndo(paths: JobPaths): Promise<MadeImport>
  applyPlan(path: string, isDriftAllowed: boolean): Promise<MadeImport>
  /** Jobs that came to their end before. */
  prunable(beforeMs: number): AsyncIterable<Pruned>
  remove(ids: readonly string[]): void
  /** Names that the stage of a deal can have; undefined where the server does not tell. */
  stages(): Promise<readonly string[] | undefined>
  /** The first of these stages that no pipeline has; undefined when all exist, or the server does not list stages. */
  unknownStage(stages: readonly string[]): Promise<WrongStage | undefined>
  /** What a job would still send; reads its whole plan. */
  rest(paths: JobPaths): RestOfJob
  /** The least time for so many requests, by the limit in the last answer. */
  forecast(requests: number, rateShare: number): Promise<Forecast>
  /** The oldest first. */
  all(): readonly JobPaths[]
  /** By id, or by an end of it. */
  find(word: string): JobPaths
  state(paths: JobPaths): Promise<JobState>
  /** By id of a job that of the undo that took it back. */
  undone(): Promise<ReadonlyMap<string, string>>
  /** How its rows were matched and read. */
  rowTerms(paths: JobPaths): RowTerms
  /** Also of one that cannot be read. */
  stateOrDamage(paths: JobPaths): Promise<JobState | DamagedJob>
  cancel(paths: JobPaths): Promise<Account>
  /** A job that cannot be read gets out of the way of all others; gives where its folder is then. */
  setAside(paths: JobPaths): Promise<string>
  /** A copy of the plan, for `crm apply`. */
  exportPlan(paths: JobPaths, to: string): Promise<void>
  /** Sends what is left of it; see runJob. */
  run(paths: JobPaths, terms: RunTerms, hooks: RunHooks): Promise<JobResult>
  /** Rows that failed or are in doubt, in the order of the plan. */
  failures(paths: JobPaths, limit?: number): AsyncIterable<FailurePage>
  /** Rows and members that a plan leaves out, with the reasons. */
  leftOut(paths: JobPaths): AsyncIterable<FailurePage>
  /** The result of the last recheck of an upsert; undefined before the first. */
  recheck(paths: JobPaths): Recheck | undefined
  /** Groups them, and writes them to a file; undefined when there are none. */
  reportFailures(paths: JobPaths): Promise<FailureReport | undefined>
  /** Of a job that was never begun: its files go. */
  drop(paths: JobPaths): void
}

export interface JobResult extends JobOutcome {
  /** The records of an upsert that exist twice; undefined for other jobs, and for one that was stopped. */
  readonly recheck: Recheck | undefined
  /** With what a command ends; undefined when every row was done. */
  readonly error: unknown
}

export interface JobsWorld {
  readonly env: Env
  readonly stdin: () => InputStream
  readonly argv: readonly string[]
  readonly version: string
  readonly signal: AbortSignal
  readonly now: () => number
  /** That of the system where there is none. */
  readonly timing: HostTiming | undefined
  readonly note: (line: string) => void
  /** A dry run: nothing is made where jobs are kept. */
  readonly isTrial: boolean
  /** For lists, which retry by themselves. */
  readonly api: () => Promise<Api>
  /** For writes, each try of which is written down. */
  readonly server: () => Promise<JobServer>
}

/** Nothing is written, and no server asked, before a method needs it. */
export function openJobs(world: JobsWorld): Jobs {
  const folder = join(stateHome(world.env), 'jobs')
  let ensured: Promise<string> | undefined
  const ensure = () => {
    ensured ??= ensureJobsFolder(world.env, world.note)
    return ensured
  }
  const plan = async <Made extends { readonly is: string }>(
    work: (make: PlanningContext) => Promise<Made>,
  ): Promise<Made> => {
    const make = world.isTrial ? await trialWorld(world, folder) : await makeWorld(world, await ensure())
    let isMade = false
    try {
      const made = await work(make)
      isMade = made.is === 'made'
      return made
    } catch (error) {
      throw planningFailure(error, make.draftsFolder)
    } finally {
      if (!isMade) removeTrial(make.draftsFolder)
    }
  }
  return {
    results: operationResults,
    home: async () => dirname(await ensure()),
    homePath: () => stateHome(world.env),
    account: async () => crmAccount(await world.server()),
    make: async (identity, fill) => makeJob(await makeWorld(world, await ensure()), identity, fill),
    makeImport: (request) => plan((make) => makeImport(make, request)),
    makeSelection: (request) => plan((make) => makeSelection(make, request)),
    makeRetry: (paths) => plan((make) => makeRetry(make, paths)),
    correct: (paths, how) => plan(async (make) => ({ is: 'made', ...(await correctFailedRows(make, paths, how)) })),
    makeUndo: (paths) => plan((make) => makeUndo(make, paths)),
    applyPlan: (path, isDriftAllowed) => plan((make) => applyPlan(make, path, isDriftAllowed)),
    prunable: (beforeMs) => prunable(folder, beforeMs),
    remove: (ids) => removeJobs(folder, ids, world.now()),
    stages: async () => stageNames(await world.api()),
    unknownStage: async (stages) => unknownStage(await world.api(), stages),
    all: () => allJobs(folder),
    find: (word) => findJob(folder, word),
    rest: restOf,
    forecast: async (requests, rateShare) => forecast(requests, (await world.api()).rate(), rateShare),
    state: readJobState,
    undone: async () => new Map([...(await heldUndos(folder, true))].map(([id, { paths }]) => [id, paths.id])),
    rowTerms: (paths) => rowTermsOf(folder, paths),
    stateOrDamage,
    setAside,
    cancel: (paths) => cancelJob(paths, world.now),
    exportPlan: copyPlan,
    run: async (paths, terms, hooks) => {
      const list = (noun: Noun) => listOf(world, noun)
      const outcome = await runOnServer({ ...world, server: await world.server(), list }, { paths, terms, hooks })
      const { kind, noun } = headOf(paths)
      const left = kind === 'undo' ? await rowsLeft(paths) : undefined
      const check = outcome.stop ? undefined : await tryRecheck(paths, { list: () => list(noun), noun, terms })
      const ended = { ...outcome, left, twice: check?.found?.twins?.length ?? 0 }
      return { ...outcome, recheck: check?.found, error: check?.error ?? outcomeError(paths.id, ended, world.argv) }
    },
    failures: failurePages,
    leftOut: leftOutPages,
    recheck: keptRecheck,
    reportFailures,
    drop: ({ folder: dropped }) => {
      rmSync(dropped, { recursive: true, force: true })
      removeTrial(dirname(dropped))
    },
  }
}

function makeWorld(world: JobsWorld, jobsFolder: string): Promise<PlanningContext> {
  return worldIn(world, jobsFolder, jobsFolder)
}

/** Looks at the jobs that are there, if any are, and leaves them alone. */
async function trialWorld(world: JobsWorld, jobsFolder: string): Promise<PlanningContext> {
  // Where there is no server to plan for, there is no folder to remove.
  await world.server()
  return worldIn(world, jobsFolder, makeTrialFolder(world.env, jobsFolder))
}

async function worldIn(world: JobsWorld, jobsFolder: string, draftsFolder: string): Promise<PlanningContext> {
  const server = await world.server()
  checkTimes(server.wire)
  return {
    account: crmAccount(server),
    ...{ jobsFolder, draftsFolder },
    stdin: world.stdin,
    signal: world.signal,
    version: world.version,
    command: world.argv,
    list: (noun) => listOf(world, noun),
    pageSize: (await world.server()).wire.pageSize,
    dealUpdates: async () => dealUpdates(await world.api()),
    onRead: () => {},
    nowMs: world.now,
    sleep: async (ms) => {
      await (world.timing ?? SYSTEM_TIMING).sleep(ms, world.signal)
      world.signal.throwIfAborted()
    },
    note: world.note,
  }
}

async function* listOf(world: JobsWorld, noun: Noun): AsyncGenerator<Page> {
  const resource = resourceOf(noun)
  if (!isListed(resource)) throw new Error(`${noun} have no list`)
  const api = await world.api()
  yield* api[RESOURCES[resource].plural].list()
}
