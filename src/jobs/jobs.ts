import { existsSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { CrmError } from '../core/errors.ts'
import { type JsonObject, parseExactJson } from '../core/json.ts'
import { type CrmRecord, resourceOf } from '../core/resources/registry.ts'
import { stateFolder } from '../files/folders.ts'
import { writeBefore } from './history/before-file.ts'
import { cancelJob, setAside } from './history/cancel-job.ts'
import { headIfReadable, undosInEffect } from './history/earlier-jobs.ts'
import {
  type FailurePage,
  type FailureReport,
  failurePages,
  leftOutPages,
  reportFailures,
  rowsLeft,
} from './history/failures.ts'
import { type CausesLeft, causesLeft, countLeft, failuresLeft, type LeftFailure } from './history/failures-left.ts'
import {
  allJobs,
  findJob,
  knownJobs,
  type Pruned,
  type PruneQuery,
  prunable,
  type RowTerms,
  removeJobs,
  rowTermsOf,
} from './history/find-jobs.ts'
import { outcomeError } from './history/job-errors.ts'
import { type OperationResult, operationResults } from './history/job-results.ts'
import {
  type DamagedJob,
  fieldsOfJob,
  type JobState,
  type RestOfJob,
  readJobState,
  restOfJob,
  stateOrDamage,
} from './history/job-state.ts'
import { type LocalQuery, localChanges } from './history/local-changes.ts'
import { neededJobs, requireNeeds, waitingFor } from './history/needs.ts'
import { type RejectsReport, reportRejects, writeRejects } from './history/rejects.ts'
import type { WrongStage } from './input/row-draft.ts'
import type { JobsHost } from './jobs-host.ts'
import { applyPlan } from './plan/apply-plan.ts'
import type { ImportRequest } from './plan/import-terms.ts'
import { type Correction, correctFailedRows, type MadeCorrection } from './plan/make-correction.ts'
import { type MadeImport, makeImport } from './plan/make-import.ts'
import { type JobIdentity, type MadeJob, makeJob, type PlanningContext, type PlanningHooks } from './plan/make-job.ts'
import { type MergeRequest, makeMerge } from './plan/make-merge.ts'
import { makeRestore, type RestoreRequest } from './plan/make-restore.ts'
import { makeRetry } from './plan/make-retry.ts'
import { makeSelection, type SelectionRequest } from './plan/make-selection.ts'
import { makeUndo, type UndoRequest } from './plan/make-undo.ts'
import { type PlanBuilder, replacedBy } from './plan/plan-builder.ts'
import { operationValues } from './plan/plan-contents.ts'
import { type Forecast, forecastOf, type JobNoun, type OperationHead, type Sendable } from './plan/plan-format.ts'
import { type OpenedPlan, openPlan } from './plan/plan-pages.ts'
import { PlanWriter } from './plan/plan-writer.ts'
import { planningFailure } from './plan/scratch.ts'
import { stageNames, unknownStage } from './plan/stage-names.ts'
import { planningContext, trialContext, withHooks } from './planning-context.ts'
import { keptRecheck, type Recheck, tryRecheck } from './send/recheck.ts'
import type { JobOutcome, RunHooks } from './send/run-job.ts'
import { crmAccount, runOnServer } from './send/run-on-server.ts'
import type { RunTerms } from './send/services.ts'
import { allRecords, apiFor, recordReader } from './server-records.ts'
import { ensureJobsFolder, type JobPaths, removeJob, removeTrial } from './store/job-folder.ts'
import { headOf, openJob } from './store/open-job.ts'
import type { Account } from './store/progress.ts'

/** Bulk work, for commands, fixtures and screens. */
export interface Jobs {
  /** The result of each operation, in the order of the plan; for jobs that fit in memory. */
  results(paths: JobPaths): readonly OperationResult[]
  /** The state home of jobs and fixtures; created if it is missing. */
  home(): Promise<string>
  /** The path of the state home, which may not exist. */
  homePath(): string
  /** The server with the records, whatever the key. */
  account(): Promise<string>
  /** A job of given operations; `run` sends it, and reports each result to its hooks. */
  make(identity: JobIdentity, fill: (builder: PlanBuilder) => Promise<void>): Promise<MadeJob>
  makeImport(request: ImportRequest, hooks?: PlanningHooks): Promise<MadeImport>
  /** A job for the records that an expression selects. */
  makeSelection(request: SelectionRequest, hooks?: PlanningHooks): Promise<MadeImport>
  /** A job that makes one record of each group. */
  makeMerge(request: MergeRequest): Promise<MadeImport>
  /** A job that sends the failed rows of another one again. */
  makeRetry(paths: JobPaths): Promise<MadeImport>
  /** A job that sends failed rows with corrections; see correctFailedRows. */
  correct(paths: JobPaths, correction: Correction): Promise<MadeCorrection>
  /** A job that reverts another one, or a part of it, as far as its records are unchanged since. */
  makeUndo(paths: JobPaths, request?: UndoRequest): Promise<MadeImport>
  /** A job that gives a record the values that it had. */
  makeRestore(request: RestoreRequest): Promise<MadeImport>
  applyPlan(path: string, isDriftAllowed: boolean, hooks?: PlanningHooks): Promise<MadeImport>
  /** What may be removed; see prunable. */
  prunable(query: PruneQuery): Promise<readonly Pruned[]>
  remove(ids: readonly string[]): Promise<void>
  /** The jobs that must be done before this one, and that an undo of it undoes. */
  needed(paths: JobPaths): readonly JobPaths[]
  /** A merge that needs this job and was not begun, or was stopped. */
  waitingFor(paths: JobPaths): Promise<JobPaths | undefined>
  /** Valid names for the stage of a deal; undefined if the server does not list them. */
  stages(): Promise<readonly string[] | undefined>
  /** The first of these stages that no pipeline has; undefined when all exist, or the server does not list stages. */
  unknownStage(stages: readonly string[]): Promise<WrongStage | undefined>
  /** What a job would still send; reads its whole plan. */
  rest(paths: JobPaths): RestOfJob
  /** The requests of a plan, and the minimum time for them by the limit in the last response. */
  forecast(sendable: Sendable, rateShare: number): Promise<Forecast>
  /** The oldest first. */
  all(): readonly JobPaths[]
  /** The same; CrmError `machine` where this user cannot look for any. */
  known(): readonly JobPaths[]
  /** By id, or by a suffix of it. */
  find(word: string): JobPaths
  state(paths: JobPaths): Promise<JobState>
  /** Ids of jobs, each with the id of the undo in effect. */
  undone(): Promise<ReadonlyMap<string, string>>
  /** How its rows were matched and read. */
  rowTerms(paths: JobPaths): RowTerms
  /** The server of a job; undefined for a damaged one. */
  serverOf(paths: JobPaths): string | undefined
  /** The members that the operations of a job write, each once. */
  fields(paths: JobPaths): readonly string[]
  /** As `state`, also for a damaged job. */
  stateOrDamage(paths: JobPaths): Promise<JobState | DamagedJob>
  cancel(paths: JobPaths): Promise<Account>
  /** What the jobs of this machine did on a server, for one that keeps no history. */
  localChanges(query: LocalQuery): Iterable<readonly CrmRecord[]>
  /** Renames the folder of a damaged job, so that no command finds it, and returns the new path. */
  setAside(paths: JobPaths): Promise<string>
  /** What its operations change. */
  changes(paths: JobPaths): Iterable<PlannedChange>
  /** A copy of the plan, for `crm apply`. */
  exportPlan(paths: JobPaths, to: string): Promise<void>
  /** Sends what is left of it; see runJob. */
  run(paths: JobPaths, terms: RunTerms, hooks: RunHooks): Promise<JobResult>
  /** Rows that failed or are in doubt, in the order of the plan. */
  failures(paths: JobPaths, limit?: number): AsyncIterable<FailurePage>
  /** Rows and members that a plan leaves out, with the reasons. */
  leftOut(paths: JobPaths): AsyncIterable<FailurePage>
  /** The failed rows that no retry has done since, with the last reason of each. */
  failuresLeft(job: JobState): AsyncIterable<LeftFailure>
  /** The number of these. */
  countLeft(job: JobState): Promise<number>
  /** Both, by cause. */
  causesLeft(job: JobState): Promise<CausesLeft>
  /** The result of the last recheck of an upsert; undefined before the first. */
  recheck(paths: JobPaths): Recheck | undefined
  /** Groups the failures and writes the failed rows to a file; undefined if there are none. */
  reportFailures(paths: JobPaths): Promise<FailureReport | undefined>
  /** Before sending: the rejected rows, to the file of `--rejects`, which is returned; see writeRejects. */
  writeRejects(paths: JobPaths): Promise<string | undefined>
  /** A plan in a file; see openPlan. */
  openPlan(path: string): OpenedPlan
  /** The records that it will change or delete, to a new file; returns their number. */
  writeBefore(paths: JobPaths, to: string): Promise<number>
  /** As reportFailures, after a run; also to the file of `--rejects`. */
  reportRejects(paths: JobPaths): Promise<RejectsReport | undefined>
  /** Removes the files of a job that was never started. */
  drop(paths: JobPaths): void
}

export interface JobResult extends JobOutcome {
  /** The records of an upsert that exist twice; undefined for other jobs, and for one that was stopped. */
  readonly recheck: Recheck | undefined
  /** The error that the command ends with; undefined if every row was done. */
  readonly error: unknown
}

/** Writes nothing and sends no request before a method needs to. */
export function openJobs(host: JobsHost): Jobs {
  const folder = join(stateFolder(host.env), 'jobs')
  let ensured: Promise<string> | undefined
  const ensure = () => {
    ensured ??= ensureJobsFolder(host.env, host.note)
    return ensured
  }
  const plan = async <Made extends { readonly type: string }>(
    work: (make: PlanningContext) => Promise<Made>,
    hooks?: PlanningHooks,
  ): Promise<Made> => {
    const bare = host.isTrial ? await trialContext(host, folder) : await planningContext(host, await ensure())
    const make = hooks ? withHooks(bare, hooks) : bare
    let isMade = false
    try {
      const made = await work(make)
      isMade = made.type === 'made'
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
    homePath: () => stateFolder(host.env),
    account: async () => crmAccount(await host.server()),
    make: async (identity, fill) => makeJob(await planningContext(host, await ensure()), identity, fill),
    makeImport: (request, hooks) => plan((make) => makeImport(make, request), hooks),
    makeSelection: (request, hooks) => plan((make) => makeSelection(make, request), hooks),
    makeMerge: (request) => plan((make) => makeMerge(make, request)),
    makeRetry: (paths) => plan((make) => makeRetry(make, paths)),
    correct: (paths, how) => plan(async (make) => ({ type: 'made', ...(await correctFailedRows(make, paths, how)) })),
    makeUndo: (paths, request) => plan((make) => makeUndo(make, paths, request)),
    makeRestore: (request) => plan((make) => makeRestore(make, request)),
    applyPlan: (path, isDriftAllowed, hooks) => plan((make) => applyPlan(make, path, isDriftAllowed), hooks),
    prunable: (query) => prunable(folder, query, host.now()),
    remove: (ids) => removeJobs(folder, ids),
    stages: async () => stageNames(await host.api()),
    unknownStage: async (stages) => unknownStage(await host.api(), stages),
    all: () => allJobs(folder),
    known: () => knownJobs(folder),
    find: (word) => findJob(folder, word),
    rest: restOfJob,
    forecast: async (sendable, rateShare) => forecastOf(sendable, await host.api(), rateShare),
    state: readJobState,
    undone: async () => new Map([...(await undosInEffect(folder, true))].map(([id, { paths }]) => [id, paths.id])),
    rowTerms: (paths) => rowTermsOf(folder, paths),
    serverOf: (paths) => headIfReadable(paths).account,
    fields: fieldsOfJob,
    localChanges: (query) => localChanges(folder, query),
    cancel: (paths) => cancelJob(paths, host.now),
    changes: planChanges,
    exportPlan: savePlan,
    run: (...asked) => runToEnd(host, ...asked),
    failures: failurePages,
    failuresLeft: (job) => failuresLeft(folder, job),
    countLeft: (job) => countLeft(folder, job),
    causesLeft: (job) => causesLeft(folder, job),
    leftOut: leftOutPages,
    recheck: keptRecheck,
    writeRejects: (paths) => writeRejects(folder, paths),
    reportRejects,
    ...{ needed: neededJobs, waitingFor, reportFailures, writeBefore, openPlan, drop, setAside, stateOrDamage },
  }
}

function drop(paths: JobPaths): void {
  removeJob(paths)
  rmSync(paths.lock, { force: true })
  removeTrial(paths.jobsFolder)
}

async function runToEnd(host: JobsHost, ...[paths, terms, hooks]: Parameters<Jobs['run']>): Promise<JobResult> {
  const list = (noun: JobNoun) => allRecords(host.api, noun)
  if (!terms.isRestDropped) await requireNeeds({ paths, list: () => list('deals'), argv: host.argv })
  const speech = await apiFor(await host.api(), paths, terms)
  const signal = hooks.stop ? AbortSignal.any([host.signal, hooks.stop]) : host.signal
  const server = await host.server()
  const read = await recordReader(speech, paths, { signal, rateShare: terms.rateShare })
  const outcome = await runOnServer({ ...host, signal, server, speech, list, read }, { paths, terms, hooks })
  const { kind, noun } = headOf(paths)
  const valuesOf = speech.connector.rules(resourceOf(noun)).map.collectValues()
  const left = kind === 'undo' ? await rowsLeft(paths) : undefined
  const check = outcome.stop ? undefined : await tryRecheck(paths, { list: () => list(noun), noun, terms, valuesOf })
  const ended = { ...outcome, left, twice: check?.found?.duplicates?.length ?? 0 }
  return { ...outcome, recheck: check?.found, error: check?.error ?? outcomeError(paths.id, ended, host.argv) }
}

/** An operation of a plan, with the record before it if that was kept. */
interface PlannedChange {
  readonly do: OperationHead['do']
  readonly id: string | undefined
  readonly before: CrmRecord | undefined
  readonly body: JsonObject
}

/** All operations, in the order of the plan. */
function* planChanges(paths: JobPaths): Generator<PlannedChange, void, undefined> {
  const plan = openJob(paths)
  try {
    for (const { op, head, body } of plan.all()) {
      const fields = body ? (parseExactJson(body.toString('utf8')) as JsonObject) : {}
      yield { do: head.do, id: head.id, before: plan.before(op), body: fields }
    }
  } finally {
    plan.close()
  }
}

/**
 * Writes a plan for another machine or another day, with the values that it replaces, and without what `apply` finds out anew or does
 * not do: how the server changes deals, and the file of `--rejects`. CrmError `usage` if a file of that name exists.
 */
async function savePlan(paths: JobPaths, to: string): Promise<void> {
  if (existsSync(to)) throw exists(to)
  const plan = openJob(paths)
  let writer: PlanWriter | undefined
  try {
    const { updates, rejects, ...head } = plan.head
    writer = new PlanWriter(to, head)
    for (const operation of plan.all()) {
      const record = plan.before(operation.op)
      const was = record && { was: JSON.stringify(replacedBy(operationValues(operation), record)) }
      writer.add({ head: { ...operation.head, ...was }, body: operation.body?.toString('utf8') })
    }
    const { end, sha256, unguarded, ...counts } = plan.end
    writer.end(counts)
    writer = undefined
  } catch (error) {
    writer?.close()
    if (writer) rmSync(to, { force: true })
    throw error
  } finally {
    plan.close()
  }
}

function exists(to: string): CrmError {
  return new CrmError('usage', `the file ${to} already exists`, { hint: 'name another one, or remove it' })
}
