import { CrmError } from '../../core/errors.ts'
import { decodeId, timeOfSerial } from '../../core/ids.ts'
import { isSameJson, type JsonObject, memberOf, parseExactJson } from '../../core/json.ts'
import { type CrmRecord, resourceOf } from '../../core/resources/registry.ts'
import { typedProfile } from '../../core/shell-words.ts'
import { partText } from '../../core/undo-part.ts'
import { jobsBeside, undosInEffect } from '../history/earlier-jobs.ts'
import { allJobs } from '../history/find-jobs.ts'
import { refuseOtherAccount } from '../history/job-errors.ts'
import { type JobState, readJobState } from '../history/job-state.ts'
import { isJob, jobPaths, openDraftOf } from '../store/job-folder.ts'
import { checkedOperations, checkPlan, refusedLine } from './check-plan.ts'
import { recordDigest } from './digest.ts'
import { Existing } from './existing.ts'
import { Ledger } from './ledger.ts'
import { upsertOf } from './make-import.ts'
import { dropPlanned, finishAlone, type MadeImport, PlanDraft } from './make-job.ts'
import { byId } from './match-keys.ts'
import type { EarlierOperation, PlanBuilder } from './plan-builder.ts'
import { PlanFile } from './plan-file.ts'
import { operationCount, type PlanHead, type PlanOperation, present, sentKind } from './plan-format.ts'
import type { PlanningContext } from './planning.ts'
import { operationValues, upsertText } from './preview.ts'
import type { KeyIndex } from './scratch.ts'

const MOST_NAMED = 5

/**
 * A job of a plan in a file. Its operations are written anew from what `plan show` shows, so that nothing else of the file is sent or kept. The same plan is the
 * same job, however often it is applied. CrmError `conflict` if records have changed since it was made, unless drift is allowed.
 */
export async function applyPlan(
  context: PlanningContext,
  { path, isDriftAllowed }: { readonly path: string; readonly isDriftAllowed: boolean },
): Promise<MadeImport> {
  const plan = new PlanFile(path)
  try {
    checkPlan(plan)
    refuseOtherAccount(plan.head, context.account)
    refuseLaterJob(plan, context.nowMs())
    const job = await existingJob(context, plan)
    if (job) {
      await refuseUndone(context, job)
      return { type: 'same', job }
    }
    const head = await ownHead(context, plan)
    const known = allJobs(context.jobsFolder)
    const before = await jobsBeside(context.jobsFolder, head, context.command)
    return await PlanDraft.open(openDraftOf(context.draftsFolder, head.job), async (draft) => {
      const { scratch } = draft
      if (head.asked) (await context.rowRules(head.noun)).ask(head.asked)
      const { builder } = draft.begin(head)
      const reading = { scratch, pages: context.list(head.noun), keyOf: byId, onRead: context.onRead }
      const copied = new CopiedOperations({
        ...{ builder, plan, sent: scratch.keys('sent') },
        existing: plan.end.update + plan.end.delete > 0 ? await Existing.read(reading) : undefined,
        ledger: before.length > 0 ? new Ledger(scratch, before) : undefined,
      })
      copied.take()
      if (copied.drift.count > 0 && !isDriftAllowed) throw drifted(copied.drift)
      const question = builder.counts.create > 0 ? upsertText(head) : undefined
      const earlier = { type: 'before', jobs: before, planned: [], known, undone: undefined } as const
      const made = await draft.finish(finishAlone(context, { run: head.run, earlier }))
      return { type: 'made', job: { ...made, question, leftOut: [], failing: [] }, lines: [], leftLines: [] }
    })
  } finally {
    plan.close()
  }
}

/** The job of this plan; one that has sent nothing is made again. CrmError `conflict` if another plan has the same name. */
async function existingJob(context: PlanningContext, { head, end, path }: PlanFile): Promise<JobState | undefined> {
  const paths = jobPaths(context.jobsFolder, head.job)
  if (!isJob(paths)) return undefined
  const job = await readJobState(paths)
  // An earlier version kept the plan as it was.
  const applied = job.head.applied ?? job.end.sha256
  if (applied !== end.sha256) {
    throw new CrmError(
      'conflict',
      `${path} is not the plan of ${head.job}, which is a job of this machine; nothing was sent`,
      {
        hint: `what the job does: crm jobs show ${head.job}; for this plan, run the command that made it with --plan again`,
        job: head.job,
      },
    )
  }
  if (job.state !== 'planned') return job
  await dropPlanned(context, [paths])
  return undefined
}

/** Sending the plan again would have no effect: its idempotency keys were used. */
async function refuseUndone({ jobsFolder, command }: PlanningContext, { paths: { id } }: JobState): Promise<void> {
  const undo = (await undosInEffect(jobsFolder)).get(id)
  if (!undo) return
  const { id: by } = undo.paths
  const what = partText(undo.head) ?? 'it'
  throw new CrmError('conflict', `${id} has sent this plan, and ${by} undid ${what}; nothing was sent`, {
    hint: `crm jobs undo ${by}${typedProfile(command)} takes that back; for a new plan, run the command that made this one again`,
    job: id,
  })
}

/** Jobs are in the order of their ids: an undo of a later one would come before it, and would not count. */
function refuseLaterJob({ head: { job }, path }: PlanFile, nowMs: number): void {
  const madeMs = timeOfSerial(decodeId('job', job) ?? 0)
  if (madeMs <= nowMs) return
  const problem = `${job} is the id of a job that is made at ${new Date(madeMs).toISOString()}, and it is ${new Date(nowMs).toISOString()}`
  throw new CrmError('invalid_input', `${path}, line 1: ${problem}; nothing was sent`, {
    hint: 'compare the clocks of the two machines: date',
    places: [{ file: path, line: 1, problem }],
  })
}

/** What the server and this command line say in place of the file. */
async function ownHead(context: PlanningContext, { head, end, path }: PlanFile): Promise<PlanHead> {
  const { job, kind, noun, run, account, input, ordered, upsert, terms, asked, unasked, made_at } = head
  const resource = resourceOf(noun)
  if (end.delete > 0) context.require(resource, 'delete')
  if (end.update > 0) context.require(resource, 'update')
  if (head.updates) throw otherRequest(path, 'updates')
  const match = terms?.match ?? { names: [], mode: 'create' }
  if (upsert !== undefined && upsert !== upsertOf(context, { as: 'import', noun }, match))
    throw otherRequest(path, 'upsert')
  return {
    ...{ crm_plan: 1, job, kind, noun, run, account, command: context.command, input, of: undefined },
    ...present({ ordered, upsert, terms, asked, unasked }),
    ...{ applied: end.sha256, made_at, version: context.version },
  }
}

function otherRequest(path: string, member: string): CrmError {
  const why = `the member ${JSON.stringify(member)} is not the request that this server has`
  return refusedLine('invalid_input', { path, line: 1 }, why)
}

interface CopyParts {
  readonly builder: PlanBuilder
  readonly plan: PlanFile
  /** The records as they are now; undefined for a plan that changes none. */
  readonly existing: Existing | undefined
  /** What other jobs of the run did. */
  readonly ledger: Ledger | undefined
  /** The operation of each request. */
  readonly sent: KeyIndex
}

interface Drift {
  readonly named: string[]
  count: number
}

/** Plans the operations of a file again, with the records as they are now. */
class CopiedOperations {
  readonly drift: Drift = { named: [], count: 0 }
  readonly #parts: CopyParts

  constructor(parts: CopyParts) {
    this.#parts = parts
  }

  take(): void {
    const { plan, builder } = this.#parts
    for (const operation of checkedOperations(plan)) this.#take(operation)
    const { unchanged, skipped, already = 0 } = plan.end
    builder.leaveOut('unchanged', unchanged)
    builder.leaveOut('skipped', skipped)
    builder.counts.already = already
    // The file may have changed since it was checked.
    const count = operationCount(plan.end)
    if (builder.next !== count)
      throw refusedLine('invalid_input', { path: plan.path, line: count + 2 }, 'the file changed while it was read')
  }

  #take(operation: PlanOperation): void {
    const { builder, plan } = this.#parts
    const { head, body } = operation
    const { path, id, line, at, also, n, after, failed } = head
    if (failed) {
      builder.fail({ do: 'fail', path, ...present({ line, at }), failed })
      return
    }
    const record = this.#recordOf(operation)
    // A merge is sent to the versions that it was planned with, even if drift is allowed: a loser has what its winner lacks.
    const ifMatch = plan.head.kind === 'merge' ? head.ifMatch : undefined
    const values = body ? (parseExactJson(body.toString('utf8')) as JsonObject) : undefined
    builder.add(
      { do: sentKind(head), path, n, ...present({ id, line, at, also, after, body: values, before: record, ifMatch }) },
      (digest) => this.#traceOf(operation, digest),
    )
  }

  #recordOf(operation: PlanOperation) {
    const { id, before } = operation.head
    if (id === undefined) return undefined
    const [match] = this.#parts.existing?.find(id) ?? []
    if (match && recordDigest(match.record) === before) {
      requireShown(this.#parts.plan.path, operation, match.record)
      return match.record
    }
    const { named } = this.drift
    if (this.drift.count++ < MOST_NAMED) named.push(`${id} ${match ? 'was changed' : 'is gone'}`)
    return match?.record
  }

  /** An operation has the key of no other: the server would answer it with the response to that one, and do nothing. */
  #traceOf({ op, head }: PlanOperation, digest: string): EarlierOperation {
    const { n, gen = 0, since, taken } = head
    const { ledger, plan, sent } = this.#parts
    const earlier = sent.getOrSet(`${digest} ${n}`, op)
    if (earlier !== undefined) throw sentTwice(plan.path, op, `operation ${earlier} of the plan is the same request`)
    const known = ledger?.find(digest, n)
    const isInDoubt = known?.state === 'sent' && since !== undefined
    if (known && known.state !== 'unsent' && known.gen >= gen && !isInDoubt)
      throw sentTwice(plan.path, op, 'another job of its run has sent the same request since')
    if (since !== undefined && !isInDoubt)
      throw sentTwice(plan.path, op, 'it says that an earlier job may have sent it, and no job of this machine has')
    return { state: isInDoubt ? 'sent' : 'unsent', gen, since: known?.since, isTaken: taken === true }
  }
}

/** CrmError `invalid_input` if `plan show` shows other values than those that the record has. */
function requireShown(path: string, operation: PlanOperation, record: CrmRecord): void {
  const { was = {} } = operationValues(operation)
  const name = Object.keys(was).find((each) => !isSameJson(memberOf(was, each), memberOf(record, each)))
  if (name === undefined) return
  const why = `the plan says that ${JSON.stringify(name)} was another value than the record has`
  throw refusedLine('invalid_input', { path, line: operation.op + 2 }, why)
}

function sentTwice(path: string, op: number, why: string): CrmError {
  return refusedLine('conflict', { path, line: op + 2 }, why)
}

function drifted({ named, count }: Drift): CrmError {
  const more = count > named.length ? `, and ${count - named.length} more` : ''
  return new CrmError('conflict', `records have changed since the plan was made: ${named.join(', ')}${more}`, {
    hint: 'make a new plan, or send this one anyway with --allow-drift',
  })
}
