import { existsSync, rmSync } from 'node:fs'
import { CrmError } from '../core/errors.ts'
import { type JsonObject, parseExactJson } from '../core/json.ts'
import { type CrmRecord, resourceOf } from '../core/resources/registry.ts'
import { cancelJob, setAside } from './history/end-jobs.ts'
import {
  type FailureReport,
  type RejectsReport,
  reportFailures,
  reportRejects,
  writeRejects,
} from './history/failed-file.ts'
import { type FailurePage, failurePages, leftOutPages, rowsLeft } from './history/failures.ts'
import { headIfReadable, type RowTerms, rowTermsOf } from './history/find-jobs.ts'
import { outcomeError } from './history/job-errors.ts'
import { type OperationResult, operationResults, writeBefore } from './history/job-results.ts'
import {
  type DamagedJob,
  fieldsOfJob,
  type JobState,
  type RestOfJob,
  readJobState,
  restOfJob,
  stateOrDamage,
} from './history/job-state.ts'
import { neededJobs, requireNeeds, waitingFor } from './history/merges.ts'
import type { JobsHost } from './jobs-host.ts'
import { replacedBy } from './plan/plan-builder.ts'
import { operationValues } from './plan/plan-contents.ts'
import type { JobNoun, OperationHead } from './plan/plan-format.ts'
import { PlanWriter } from './plan/plan-writer.ts'
import { keptRecheck, type Recheck, tryRecheck } from './send/recheck.ts'
import type { JobOutcome, RunHooks } from './send/run-job.ts'
import { runOnServer } from './send/run-on-server.ts'
import type { RunTerms } from './send/services.ts'
import { allRecords, apiFor, recordReader } from './server-records.ts'
import { type JobPaths, removeJob, removeTrial } from './store/job-folder.ts'
import { headOf, openJob } from './store/open-job.ts'
import type { Account } from './store/progress.ts'

/** One job of this machine. Each method reads it anew. */
export interface Job {
  state(): Promise<JobState>
  /** As `state`, also for a damaged job. */
  stateOrDamage(): Promise<JobState | DamagedJob>
  /** Its server; undefined for a damaged job. */
  server(): string | undefined
  /** How its rows were matched and read. */
  rowTerms(): RowTerms
  /** The members that its operations write, each once. */
  fields(): readonly string[]
  /** What its operations change. */
  changes(): Iterable<PlannedChange>
  /** What it would still send; reads its whole plan. */
  rest(): RestOfJob
  /** The jobs that must be done before it, and that an undo of it undoes. */
  needed(): readonly JobPaths[]
  /** A merge that needs it and was not begun, or was stopped. */
  waitingFor(): Promise<JobPaths | undefined>
  /** Sends what is left of it; see runJob. */
  run(terms: RunTerms, hooks: RunHooks): Promise<JobResult>
  /** The result of each operation, in the order of the plan; for jobs that fit in memory. */
  results(): readonly OperationResult[]
  /** Rows that failed or are in doubt, in the order of the plan. */
  failures(limit?: number): AsyncIterable<FailurePage>
  /** Rows and members that its plan leaves out, with the reasons. */
  leftOut(): AsyncIterable<FailurePage>
  /** The result of the last recheck of an upsert; undefined before the first. */
  recheck(): Recheck | undefined
  /** Groups the failures and writes the failed rows to a file; undefined if there are none. */
  reportFailures(): Promise<FailureReport | undefined>
  /** Before sending: the rejected rows, to the file of `--rejects`, which is returned; see writeRejects. */
  writeRejects(): Promise<string | undefined>
  /** As reportFailures, after a run; also to the file of `--rejects`. */
  reportRejects(): Promise<RejectsReport | undefined>
  /** A copy of the plan, for `crm apply`. */
  exportPlan(to: string): Promise<void>
  /** The records that it will change or delete, to a new file; returns their number. */
  writeBefore(to: string): Promise<number>
  cancel(): Promise<Account>
  /** Renames the file of a damaged job, so that no command finds it, and returns the new path. */
  setAside(): Promise<string>
  /** Removes the files of a job that was never started. */
  drop(): void
}

export interface JobResult extends JobOutcome {
  /** The records of an upsert that exist twice; undefined for other jobs, and for one that was stopped. */
  readonly recheck: Recheck | undefined
  /** The error that the command ends with; undefined if every row was done. */
  readonly error: unknown
}

/** `jobsFolder`: of the jobs of this machine; a job of a dry run is in another one. */
export function jobOf(host: JobsHost, jobsFolder: string, paths: JobPaths): Job {
  return {
    state: () => readJobState(paths),
    stateOrDamage: () => stateOrDamage(paths),
    server: () => headIfReadable(paths).account,
    rowTerms: () => rowTermsOf(jobsFolder, paths),
    fields: () => fieldsOfJob(paths),
    changes: () => planChanges(paths),
    rest: () => restOfJob(paths),
    needed: () => neededJobs(paths),
    waitingFor: () => waitingFor(paths),
    run: (terms, hooks) => runToEnd(host, paths, terms, hooks),
    results: () => operationResults(paths),
    failures: (limit) => failurePages(paths, limit),
    leftOut: () => leftOutPages(paths),
    recheck: () => keptRecheck(paths),
    reportFailures: () => reportFailures(paths),
    writeRejects: () => writeRejects(jobsFolder, paths),
    reportRejects: () => reportRejects(paths),
    exportPlan: (to) => savePlan(paths, to),
    writeBefore: (to) => writeBefore(paths, to),
    cancel: () => cancelJob(paths, host.now),
    setAside: () => setAside(paths),
    drop: () => drop(paths),
  }
}

function drop(paths: JobPaths): void {
  removeJob(paths)
  rmSync(paths.lock, { force: true })
  removeTrial(paths.jobsFolder)
}

async function runToEnd(host: JobsHost, paths: JobPaths, terms: RunTerms, hooks: RunHooks): Promise<JobResult> {
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
