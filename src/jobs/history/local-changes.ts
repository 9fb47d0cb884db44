import { type JsonObject, type JsonValue, memberOf, parseExactJson } from '../../core/json.ts'
import { type CrmRecord, type RecordResource, resourceOf } from '../../core/resources/registry.ts'
import type { PlanOperation } from '../plan/plan-format.ts'
import type { JobPaths } from '../store/job-folder.ts'
import { headOf, openJob } from '../store/open-job.ts'
import { allJobs } from './find-jobs.ts'
import { resultsOf } from './job-results.ts'

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
        const before = plan.before(operation.op)
        const id = results.of(operation.op).id ?? operation.head.id ?? null
        const isDone = results.progress.endOf(operation.op) === 'done' && !results.of(operation.op).wasGone
        if (isDone && (!record || record.id === id)) changes.push({ ...about, ...changeOf(operation, id, before) })
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
