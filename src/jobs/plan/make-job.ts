import { dropDraft, finishDraft, type JobPaths, openDraft } from '../journal/job-folder.ts'
import type { LeftOut } from './left-out.ts'
import { PlanBuilder } from './plan-builder.ts'
import type { PlanEnd, PlanHead } from './plan-head.ts'
import type { FieldCount } from './plan-writer.ts'
import type { PlanningContext } from './planning-context.ts'

/** A job that was planned and not started. */
export interface MadeJob {
  readonly paths: JobPaths
  readonly head: PlanHead
  readonly end: PlanEnd
  /** The members that it writes. */
  readonly fields: readonly FieldCount[]
  /** The first rows and members that are left out. */
  readonly leftOut: readonly LeftOut[]
  /** The first of the rows that fail without a request. */
  readonly failing: readonly LeftOut[]
  /** The number of requests of the recheck of an upsert; undefined when there is none. */
  readonly recheckRequests?: number | undefined
  /** A question that must be confirmed, beside the changes. */
  readonly question?: string | undefined
}

export type JobIdentity = Pick<PlanHead, 'kind' | 'noun' | 'run' | 'of' | 'updates' | 'terms'>

/** Makes a job of the operations that `fill` adds; if it throws, nothing is left of the job. */
export async function makeJob(
  context: PlanningContext,
  identity: JobIdentity,
  fill: (builder: PlanBuilder, draft: JobPaths) => Promise<void>,
): Promise<MadeJob> {
  const draft = openDraft(context.draftsFolder, context.nowMs())
  let builder: PlanBuilder | undefined
  try {
    const head = headOf(context, identity, draft.paths.id)
    builder = new PlanBuilder(draft.paths, head)
    await fill(builder, draft.paths)
    const end = builder.end()
    const { fields, leftOut, failing } = builder
    builder = undefined
    const left = { leftOut: leftOut.first, failing: failing.first }
    return { paths: await finishDraft(draft), head, end, fields: fields.list(), ...left }
  } catch (error) {
    builder?.drop()
    dropDraft(draft)
    throw error
  }
}

function headOf(context: PlanningContext, { kind, noun, run, of, updates, terms }: JobIdentity, job: string): PlanHead {
  return {
    ...{ crm_plan: 1, job, kind, noun, run },
    account: context.account,
    command: context.command,
    input: undefined,
    of,
    ...(updates === undefined ? {} : { updates }),
    ...(terms === undefined ? {} : { terms }),
    made_at: context.nowMs(),
    version: context.version,
  }
}
