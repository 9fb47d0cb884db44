import { existsSync, rmSync } from 'node:fs'
import type { Api } from '../api/api.ts'
import type { KeyReader, KeyReadTerms } from '../api/keyed-reads.ts'
import { CrmError } from '../core/errors.ts'
import { idText, type JsonObject, parseExactJson } from '../core/json.ts'
import { type CrmRecord, isListed, RESOURCES, resourceOf } from '../core/resources/registry.ts'
import type { Env } from '../core/streams.ts'
import { cancelJob, setAside } from './history/end-jobs.ts'
import { reportFailures, reportRejects, writeRejects } from './history/failed-file.ts'
import { failurePages, leftOutPages, rowsLeft } from './history/failures.ts'
import { headIfReadable, rowTermsOf } from './history/find-jobs.ts'
import { outcomeError } from './history/job-errors.ts'
import { operationResults, writeBefore } from './history/job-results.ts'
import { fieldsOfJob, readJobState, restOfJob, stateOrDamage } from './history/job-state.ts'
import { neededJobs, requireNeeds, waitingFor } from './history/merges.ts'
import { replacedBy } from './plan/plan-builder.ts'
import { PlanWriter } from './plan/plan-file.ts'
import type { JobNoun } from './plan/plan-format.ts'
import { allRecords, type PlanningHost } from './plan/planning.ts'
import { operationValues } from './plan/preview.ts'
import { keptRecheck, type Recheck, tryRecheck } from './send/recheck.ts'
import type { JobOutcome, RunHooks } from './send/run-job.ts'
import { type JobServer, runOnServer } from './send/run-on-server.ts'
import type { ReadRecords } from './send/sender-adapters.ts'
import type { RunTerms, Unproven } from './send/services.ts'
import { type JobPaths, removeJob, removeTrial } from './store/job-folder.ts'
import { headOf, openJob } from './store/open-job.ts'

export interface JobResult extends JobOutcome {
  /** The records of an upsert that exist twice; undefined for other jobs, and for one that was stopped. */
  readonly recheck: Recheck | undefined
  /** The error that the command ends with; undefined if every row was done. */
  readonly error: unknown
}

/**
 * One job of this machine. Each method reads it anew. `jobsFolder`: of the jobs of this machine; a job of a dry run is in another one.
 */
export function jobOf(host: JobsHost, jobsFolder: string, paths: JobPaths) {
  return {
    state: () => readJobState(paths),
    /** As `state`, also for a damaged job. */
    stateOrDamage: () => stateOrDamage(paths),
    /** Its server; undefined for a damaged job. */
    server: () => headIfReadable(paths).account,
    /** How its rows were matched and read. */
    rowTerms: () => rowTermsOf(jobsFolder, paths),
    /** The members that its operations write, each once. */
    fields: () => fieldsOfJob(paths),
    /** What its operations change. */
    changes: () => planChanges(paths),
    /** What it would still send; reads its whole plan. */
    rest: () => restOfJob(paths),
    /** The jobs that must be done before it, and that an undo of it undoes. */
    needed: () => neededJobs(paths),
    /** A merge that needs it and was not begun, or was stopped. */
    waitingFor: () => waitingFor(paths),
    /** Sends what is left of it; see runJob. */
    run: (terms: RunTerms, hooks: RunHooks) => runToEnd(host, paths, terms, hooks),
    /** The result of each operation, in the order of the plan; for jobs that fit in memory. */
    results: () => operationResults(paths),
    /** Rows that failed or are in doubt, in the order of the plan. */
    failures: (limit?: number) => failurePages(paths, limit),
    /** Rows and members that its plan leaves out, with the reasons. */
    leftOut: () => leftOutPages(paths),
    /** The result of the last recheck of an upsert; undefined before the first. */
    recheck: () => keptRecheck(paths),
    /** Groups the failures and writes the failed rows to a file; undefined if there are none. */
    reportFailures: () => reportFailures(paths),
    /** Before sending: the rejected rows, to the file of `--rejects`, which is returned; see writeRejects. */
    writeRejects: () => writeRejects(jobsFolder, paths),
    /** As reportFailures, after a run; also to the file of `--rejects`. */
    reportRejects: () => reportRejects(paths),
    /** A copy of the plan, for `crm apply`. */
    exportPlan: (to: string) => savePlan(paths, to),
    /** The records that it will change or delete, to a new file; returns their number. */
    writeBefore: (to: string) => writeBefore(paths, to),
    cancel: () => cancelJob(paths, host.now),
    /** Renames the file of a damaged job, so that no command finds it, and returns the new path. */
    setAside: () => setAside(paths),
    /** Removes the files of a job that was never started. */
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
  if (!terms.isRestDropped) await requireNeeds({ paths, list, argv: host.argv })
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

/** All operations, in the order of the plan, each with the record before it if that was kept. */
function* planChanges(paths: JobPaths) {
  const plan = openJob(paths)
  try {
    for (const { op, head, body } of plan.all()) {
      const fields = body ? (parseExactJson(body.toString('utf8')) as JsonObject) : {}
      const { do: kind, id, restores } = head
      yield { do: kind, id, restores, before: plan.before(op), body: fields } as const
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

/** What bulk work gets of the process and of its command. */
export interface JobsHost extends PlanningHost {
  readonly env: Env
  /** A dry run: no job is created. */
  readonly isTrial: boolean
  /** For writes, whose attempts are recorded in the journal. */
  readonly server: () => Promise<JobServer>
  /** CrmError `not_supported` if one of the verbs was never proven at this server. */
  readonly requireProven: (needed: Unproven) => Promise<void>
}

/** The client, which has learnt the operations of the job: another process may have planned it. */
async function apiFor(api: Api, paths: JobPaths, { isRestDropped }: RunTerms): Promise<Api> {
  if (isRestDropped) return api
  const plan = openJob(paths)
  try {
    const { head, end } = plan
    const resource = resourceOf(head.noun)
    if (head.asked) api.connector.rules(resource).selection.ask(head.asked)
    if (end.update > 0 && head.updates === undefined) api.require(resource, 'update')
    if (end.delete > 0) api.require(resource, 'delete')
    return api
  } finally {
    plan.close()
  }
}

/** Reads records by id, before changes that no version guards; undefined if there are none, or the server has no request for it. */
async function recordReader(api: Api, paths: JobPaths, terms: KeyReadTerms): Promise<ReadRecords | undefined> {
  const plan = openJob(paths)
  plan.close()
  const resource = resourceOf(plan.head.noun)
  if (!plan.end.unguarded || !isListed(resource)) return undefined
  const keyed = await api.keyReader(resource, 'id')
  if (keyed) return async (ids) => byId((await inParts(keyed, ids, terms)).flat())
  if (!api.connector.offers(resource, 'get')) return undefined
  const records = api[RESOURCES[resource].plural]
  return async (ids) => byId(await Promise.all(ids.map((id) => recordIfThere(records, id))))
}

function inParts({ size, read }: KeyReader, ids: readonly string[], terms: KeyReadTerms) {
  const parts = Array.from({ length: Math.ceil(ids.length / size) }, (_, at) => ids.slice(at * size, (at + 1) * size))
  return Promise.all(parts.map((part) => read(part, terms)))
}

async function recordIfThere(records: Pick<Api['contacts'], 'get'>, id: string): Promise<CrmRecord | undefined> {
  try {
    return await records.get(id)
  } catch (error) {
    // The write tells whether it is missing; some keys may write, and not read.
    if (error instanceof CrmError && ['not_found', 'forbidden', 'not_supported'].includes(error.code)) return undefined
    throw error
  }
}

function byId(records: readonly (CrmRecord | undefined)[]): ReadonlyMap<string, CrmRecord> {
  return new Map(records.flatMap((record) => (record ? [[idText(record.id) ?? '', record] as const] : [])))
}
