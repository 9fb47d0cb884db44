import { closeSync, openSync, writeSync } from 'node:fs'
import { CrmError } from '../../core/errors.ts'
import { type JsonObject, type JsonValue, memberOf, parseExactJson } from '../../core/json.ts'
import { NOT_KEPT_CODE } from '../../core/other-values.ts'
import { type CrmRecord, type RecordResource, resourceOf } from '../../core/resources/registry.ts'
import { errorCode, toMachineError } from '../../files/machine-error.ts'
import type { PlanOperation } from '../plan/plan-format.ts'
import type { JobFile } from '../store/job-file.ts'
import type { JobPaths } from '../store/job-folder.ts'
import { headOf, openJob, withJob } from '../store/open-job.ts'
import { JobProgress, type ResultFlag, STATES } from '../store/progress.ts'
import { failuresOf, NO_ANSWER } from './failures.ts'
import { allJobs } from './find-jobs.ts'

export interface StoredResult {
  readonly id: string | null
  readonly gen: number | undefined
  readonly flag: ResultFlag | undefined
  /** For a deletion: the record was already deleted. */
  readonly wasGone: boolean
  /** For a create: the record existed before. */
  readonly existed: boolean
  /** For a create: it was sent more than once, and changed the record that it had made. */
  readonly isRepeated: boolean
  /** For a create: the response was 200, and other creates of the job got 201. */
  readonly mayHaveExisted: boolean
  /** It failed, and may have changed other members than the one that the server did not keep. */
  readonly isUnkept: boolean
}

export interface StoredResults {
  readonly progress: JobProgress
  of(op: number): StoredResult
}

const CREATED = 201

export function resultsOf(job: JobFile): StoredResults {
  const sql = `SELECT 1 FROM result WHERE state = ${STATES.done} AND text ->> 'status' = ${CREATED} LIMIT 1`
  const isAnyCreated = job.rows(sql).length > 0
  const progress = JobProgress.of(job)
  return {
    progress,
    of: (op) => {
      const [[state, text] = []] = job.rows('SELECT state, text FROM result WHERE op = ?', op)
      const { id = null, flag, status } = (state === STATES.done ? JSON.parse(String(text)) : {}) as Partial<DoneText>
      const isUnkept = state === STATES.failed && JSON.parse(String(text)).code === NOT_KEPT_CODE
      return {
        ...{ id, flag, gen: progress.genOf(op), wasGone: flag === 'g', isRepeated: flag === 'm' },
        existed: flag === 'u' || flag === 'e',
        isUnkept,
        mayHaveExisted: isAnyCreated && status === 200 && !flag,
      }
    },
  }
}

interface DoneText {
  readonly id: string | null
  readonly status: number
  readonly flag?: ResultFlag
}

export type OperationResult =
  /**
   * `isReplayed`: the server replayed the answer to an earlier request; `isOthers`: to one of another job; `isGone`: the record
   * to delete did not exist; `existed`: the record to create existed before, or may have.
   */
  | ({ readonly type: 'done'; readonly id: string | null } & Readonly<
      Record<'isReplayed' | 'isOthers' | 'isGone' | 'existed', boolean>
    >)
  | { readonly type: 'failed'; readonly reason: string }
  | { readonly type: 'doubt'; readonly reason: string }
  | { readonly type: 'unsent' }

/** The result of each operation, in the order of the plan. For jobs that fit in memory. */
export function operationResults(paths: JobPaths): OperationResult[] {
  return withJob(paths, (job) => {
    const { progress, of } = resultsOf(job)
    const reasons = new Map(
      Array.from(failuresOf(job, progress), ({ operation, field, reason }) => [
        operation.op,
        field === undefined ? reason : `${field}: ${reason}`,
      ]),
    )
    return Array.from(job.all(), ({ op, head }): OperationResult => {
      const end = progress.endOf(op)
      if (end === 'done') return doneAs(of(op), head.do === 'create')
      if (end === 'failed' || end === 'doubt') return { type: end, reason: reasons.get(op) ?? '' }
      return progress.isUnanswered(op) ? { type: 'doubt', reason: NO_ANSWER } : { type: 'unsent' }
    })
  })
}

function doneAs({ id, flag, wasGone, existed, mayHaveExisted }: StoredResult, isCreate: boolean): OperationResult {
  return {
    type: 'done',
    id,
    isReplayed: flag === 'o' || flag === 'r',
    isOthers: flag === 'o',
    isGone: wasGone,
    existed: existed || (isCreate && mayHaveExisted),
  }
}

/** Undefined members do not limit it. */
export interface LocalQuery {
  readonly account: string
  readonly record?: { readonly resource: RecordResource; readonly id: string } | undefined
  readonly resource?: string | undefined
  readonly job?: string | undefined
  /** Jobs that did something at this time or later. */
  readonly sinceMs?: number | undefined
}

const ACTIONS = { create: 'created', update: 'updated', delete: 'deleted', fail: 'failed' } as const

/** What the jobs of this machine did on a server, the newest job first, with its operations in the order of the plan. */
export function* localChanges(jobsFolder: string, query: LocalQuery): Generator<readonly CrmRecord[]> {
  for (const paths of allJobs(jobsFolder).toReversed()) if (isAsked(paths, query)) yield* changesOf(paths, query)
}

function isAsked(paths: JobPaths, { account, record, resource = record?.resource, job }: LocalQuery): boolean {
  if (job !== undefined && job !== paths.id) return false
  const head = headOf(paths)
  return head.account === account && (resource === undefined || resourceOf(head.noun) === resource)
}

function* changesOf(paths: JobPaths, { record, sinceMs = 0 }: LocalQuery): Generator<readonly CrmRecord[]> {
  const plan = openJob(paths)
  try {
    const results = resultsOf(plan)
    const { lastMs } = results.progress
    if (lastMs === undefined || lastMs < sinceMs) return
    const resource = resourceOf(plan.head.noun)
    const about = { at: new Date(lastMs).toISOString(), resource, job: paths.id }
    for (const batch of plan.operations()) {
      const changes: CrmRecord[] = []
      for (const operation of batch) {
        const { op, head } = operation
        const { wasGone, id: made } = results.of(op)
        const id = made ?? head.id ?? null
        if (results.progress.endOf(op) !== 'done' || wasGone || (record && record.id !== id)) continue
        changes.push({ ...about, ...changeOf(operation, id, plan.before(op)) })
      }
      if (changes.length > 0) yield changes
    }
  } finally {
    plan.close()
  }
}

function changeOf({ head, body }: PlanOperation, id: string | null, before: CrmRecord | undefined): CrmRecord {
  const sent = parseExactJson(body?.toString('utf8') ?? '{}') as JsonObject
  const fields = Object.keys(sent)
  const old: [string, JsonValue][] = before ? fields.map((name) => [name, memberOf(before, name)]) : []
  const isUpdate = head.do === 'update'
  return {
    record_id: id,
    action: ACTIONS[head.do],
    fields,
    old: isUpdate && before ? Object.fromEntries(old) : null,
    new: head.do === 'delete' ? null : sent,
  }
}

/**
 * Writes the records that a job will change or delete, as they are, to a file of JSON lines; returns their number. CrmError
 * `usage` if the file exists.
 */
export async function writeBefore(paths: JobPaths, to: string): Promise<number> {
  const file = create(to)
  try {
    return withJob(paths, (job) => {
      let count = 0
      for (const record of job.befores()) {
        writeSync(file, `${record}\n`)
        count += 1
      }
      return count
    })
  } catch (error) {
    throw toMachineError(error, to)
  } finally {
    closeSync(file)
  }
}

function create(path: string): number {
  try {
    return openSync(path, 'wx', 0o600)
  } catch (cause) {
    if (errorCode(cause) !== 'EEXIST') throw toMachineError(cause, path)
    throw new CrmError('usage', `the file ${path} already exists; nothing was sent`, {
      hint: 'name another one, or remove it',
      cause,
    })
  }
}
