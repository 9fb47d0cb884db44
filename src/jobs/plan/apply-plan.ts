import { chmodSync, closeSync, copyFileSync, existsSync, fsyncSync, openSync } from 'node:fs'
import { CrmError } from '../../core/errors.ts'
import { toMachineError } from '../../files/machine-error.ts'
import { refuseOtherAccount } from '../history/job-errors.ts'
import { readJobState } from '../history/job-state.ts'
import { dropDraft, finishDraft, type JobPaths, jobPaths, openDraftOf } from '../journal/job-folder.ts'
import { recordDigest } from './digest.ts'
import { byId, Existing } from './existing.ts'
import type { MadeImport } from './make-import.ts'
import { dropPlanned, type PlanningContext } from './make-job.ts'
import { contentsOfPlan } from './plan-contents.ts'
import { PlanFile } from './plan-file.ts'
import type { PlanOperation } from './plan-format.ts'
import { BeforeWriter } from './plan-writer.ts'

const MOST_NAMED = 5

/**
 * A job of an existing plan. The same plan is the same job, however often it is applied. CrmError `conflict` if records have
 * changed since it was made, unless drift is allowed.
 */
export async function applyPlan(context: PlanningContext, path: string, isDriftAllowed: boolean): Promise<MadeImport> {
  const plan = new PlanFile(path)
  try {
    plan.verify()
    const { head, end } = plan
    refuseOtherAccount(head, context.account)
    if (!/^job_[0-9a-z]+$/.test(head.job))
      throw new CrmError('invalid_input', `${path} names no job`, { hint: 'make a new plan' })
    const existing = jobPaths(context.jobsFolder, head.job)
    if (existsSync(existing.plan)) {
      const job = await readJobState(existing)
      if (job.state !== 'planned') return { type: 'same', job }
      await dropPlanned(context, [existing])
    }
    const draft = openDraftOf(context.draftsFolder, head.job)
    try {
      copySynced(path, draft.paths.plan)
      if (head.asked) (await context.rowRules(head.noun))?.ask(head.asked)
      if (end.update + end.delete > 0) await keepBefore(context, plan, draft.paths, isDriftAllowed)
      return {
        type: 'made',
        job: { paths: await finishDraft(draft), head, end, ...contentsOfPlan(plan), leftOut: [], failing: [] },
        lines: [],
        leftLines: [],
      }
    } catch (error) {
      dropDraft(draft)
      throw error
    }
  } finally {
    plan.close()
  }
}

async function keepBefore(
  context: PlanningContext,
  plan: PlanFile,
  paths: JobPaths,
  isDriftAllowed: boolean,
): Promise<void> {
  const existing = await Existing.read({
    folder: paths.folder,
    pages: context.list(plan.head.noun),
    keyOf: byId,
    onRead: context.onRead,
  })
  const images = new BeforeWriter(paths.before)
  const drift: string[] = []
  let count = 0
  for (const { op, head } of changesOf(plan)) {
    const [match] = existing.find(head.id)
    if (match) images.add(op, match.id, match.record)
    if (match && recordDigest(match.record) === head.before) continue
    if (count++ < MOST_NAMED) drift.push(`${head.id} ${match ? 'was changed' : 'is gone'}`)
  }
  images.end()
  existing.close()
  if (count > 0 && !isDriftAllowed) throw drifted(drift, count)
}

/** Operations on existing records. */
function* changesOf(plan: PlanFile): Generator<PlanOperation> {
  for (const operation of plan.all()) {
    const { do: kind, restores } = operation.head
    if ((kind === 'update' && !restores) || kind === 'delete') yield operation
  }
}

function drifted(drift: readonly string[], count: number): CrmError {
  const more = count > drift.length ? `, and ${count - drift.length} more` : ''
  return new CrmError('conflict', `records have changed since the plan was made: ${drift.join(', ')}${more}`, {
    hint: 'make a new plan, or send this one anyway with --allow-drift',
  })
}

function copySynced(from: string, to: string): void {
  try {
    copyFileSync(from, to)
    chmodSync(to, 0o600)
    // Windows syncs no file that is open for reading alone.
    const file = openSync(to, 'r+')
    fsyncSync(file)
    closeSync(file)
  } catch (error) {
    throw toMachineError(error, to)
  }
}
