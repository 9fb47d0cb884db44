import { dropDraft, finishDraft, type JobPaths, openDraft } from '../folder/job-folder.ts'
import type { PlanEnd, PlanHead } from '../plan/plan-head.ts'
import type { MakeWorld } from './make-world.ts'
import { PlanBuilder } from './plan-builder.ts'

/** A job that was made and not begun. */
export interface MadeJob {
  readonly paths: JobPaths
  readonly head: PlanHead
  readonly end: PlanEnd
  /** For people, once it is certain that the job stays. */
  readonly keptNote?: string
  /** What a person has to agree to, beside the changes. */
  readonly doubts?: string | undefined
}

export type JobIdentity = Pick<PlanHead, 'kind' | 'noun' | 'run' | 'of'>

/** Makes a job of the operations that `fill` adds; when it throws, nothing is left of it. */
export async function makeJob(
  world: MakeWorld,
  identity: JobIdentity,
  fill: (builder: PlanBuilder, draft: JobPaths) => Promise<void>,
): Promise<MadeJob> {
  const draft = openDraft(world.jobsFolder, world.nowMs())
  let builder: PlanBuilder | undefined
  try {
    const head = headOf(world, identity, draft.paths.id)
    builder = await PlanBuilder.open(draft.paths, head)
    await fill(builder, draft.paths)
    const end = builder.end()
    builder = undefined
    return { paths: await finishDraft(draft), head, end }
  } catch (error) {
    builder?.drop()
    dropDraft(draft)
    throw error
  }
}

function headOf(world: MakeWorld, { kind, noun, run, of }: JobIdentity, job: string): PlanHead {
  return {
    ...{ crm_plan: 1, job, kind, noun, run },
    account: world.account,
    command: world.command,
    input: undefined,
    of,
    made_at: world.nowMs(),
    version: world.version,
  }
}
