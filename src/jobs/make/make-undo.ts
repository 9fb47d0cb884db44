import { CrmError } from '../../core/errors.ts'
import { parseExactJson } from '../../core/exact-json.ts'
import type { JsonObject } from '../../core/json.ts'
import { typedProfile } from '../../core/typed-profile.ts'
import { allJobs, headOf } from '../folder/find-jobs.ts'
import type { JobPaths } from '../folder/job-folder.ts'
import { openJobPlan } from '../folder/job-plan.ts'
import type { Operation } from '../plan/operation.ts'
import type { Noun } from '../plan/plan-head.ts'
import { refuseOtherAccount } from '../run/job-errors.ts'
import { readJobState } from '../run/job-state.ts'
import { dropPlannedOf } from './drop-planned.ts'
import { byId, Existing } from './existing.ts'
import { recordPath } from './import-row.ts'
import { type JobResults, readResults } from './job-results.ts'
import type { LeftOut } from './left-out.ts'
import { leftOutLines } from './left-out-text.ts'
import type { MadeImport } from './make-import.ts'
import { makeJob } from './make-job.ts'
import type { MakeWorld } from './make-world.ts'
import type { PlanBuilder, Planned } from './plan-builder.ts'
import { BeforeImages } from './read-before.ts'
import { openScratch } from './scratch.ts'
import { type Conflict, changesSince, restore, writableOf } from './undo-record.ts'

/** A job that takes back what another one did, as far as nobody changed it since; what stays is named. */
export async function makeUndo(world: MakeWorld, paths: JobPaths): Promise<MadeImport> {
  const { state } = await readJobState(paths)
  if (state !== 'finished' && state !== 'cancelled') {
    const hint = `crm jobs resume ${paths.id}${typedProfile(world.command)}, or crm jobs cancel ${paths.id}`
    throw new CrmError('conflict', `${paths.id} has not come to its end`, { hint, job: paths.id })
  }
  const head = headOf(paths)
  refuseOtherAccount(head, world.account)
  const earlier = await undoOf(world, paths.id)
  if (earlier) return { is: 'same', job: earlier }
  await dropPlannedOf(world, 'undo', paths.id)
  let leftLines: readonly string[] = []
  const job = await makeJob(
    world,
    {
      ...{ kind: 'undo', noun: head.noun, run: `undo.${paths.id}`, of: paths.id },
      ...(head.updates === undefined ? {} : { updates: head.updates }),
    },
    async (builder, draft) => {
      await planUndo({ world, paths, builder, draft })
      leftLines = leftOutLines(builder.leftOut, `Of ${paths.id} this stays as it is:`)
    },
  )
  return { is: 'made', job, lines: [], leftLines }
}

async function undoOf({ jobsFolder }: MakeWorld, id: string) {
  for (const paths of allJobs(jobsFolder)) {
    const head = headOf(paths)
    if (head.kind === 'undo' && head.of === id) {
      const job = await readJobState(paths)
      if (job.state !== 'cancelled' && job.state !== 'planned') return job
    }
  }
  return undefined
}

interface UndoParts {
  readonly world: MakeWorld
  readonly paths: JobPaths
  readonly builder: PlanBuilder
  readonly draft: JobPaths
}

async function planUndo({ world, paths, builder, draft }: UndoParts): Promise<void> {
  const plan = openJobPlan(paths)
  const scratch = openScratch(draft.folder, 'results')
  const images = new BeforeImages(paths.before)
  try {
    const results = readResults(paths, plan.count, scratch)
    const { noun, updates } = plan.head
    const canTakeBack = noun === 'contacts' || updates !== undefined
    const now = canTakeBack ? await readNow(world, noun, draft) : undefined
    for (const batch of plan.operations()) {
      for (const operation of batch) {
        const before = await images.of(operation.op)
        const { planned, left = [] } = takeBack({ noun, operation, before, results, now })
        if (!planned && left.length === 0) continue
        if (!planned) builder.skip(left)
        else {
          builder.leftOut.add(left)
          builder.add(planned)
        }
      }
    }
    now?.close()
  } finally {
    await images.close()
    scratch.close()
    plan.close()
  }
}

function readNow({ list, onRead }: MakeWorld, noun: Noun, { folder }: JobPaths): Promise<Existing> {
  return Existing.read({ folder, pages: list(noun), keyOf: byId, onRead })
}

interface TakeBack {
  readonly noun: Noun
  readonly operation: Operation
  readonly before: JsonObject | undefined
  readonly results: JobResults
  /** Undefined where nothing can be taken back. */
  readonly now: Existing | undefined
}

/** Both absent for what the job did not do. */
interface TakenBack {
  readonly planned?: Planned
  /** What of it stays as it is. */
  readonly left?: readonly LeftOut[]
}

function takeBack({ noun, operation, before, results, now }: TakeBack): TakenBack {
  const { op, head } = operation
  const { id, wasGone } = results.of(op)
  const { progress } = results
  if (progress.endOf(op) === 'doubt' || progress.isUnanswered(op)) return stays(operation, head.id ?? null, 'in_doubt')
  if (progress.endOf(op) !== 'done' || wasGone) return {}
  if (!now || id === null) return stays(operation, id, 'cannot', 'there is no way to delete it')
  if (head.do === 'delete') {
    if (!before) return stays(operation, id, 'cannot', 'what it held was not kept')
    return { planned: { do: 'create', path: '/v1/contacts', id, body: writableOf(before) } }
  }
  return takeBackWrite({ noun, operation, before, now }, id)
}

/** Of a create or an update that was done. */
function takeBackWrite(
  { noun, operation, before, now }: Omit<TakeBack, 'results' | 'now'> & { readonly now: Existing },
  id: string,
): TakenBack {
  const { head, body } = operation
  const [match] = now.find(id)
  if (!match) return stays(operation, id, 'gone')
  const written = parseExactJson(body?.toString('utf8') ?? '{}') as JsonObject
  const conflict = (member: Conflict): LeftOut => ({ ...leftOf(operation, id, 'conflict'), ...member })
  if (head.do === 'create') {
    if (noun !== 'contacts') return stays(operation, id, 'cannot')
    const changed = changesSince(written, match.record)
    if (changed.length > 0) return { left: changed.map(conflict) }
    return { planned: { do: 'delete', path: recordPath(noun, id), id, before: match.record } }
  }
  const { patch, conflicts } = restore(before ?? {}, written, match.record)
  const left = conflicts.map(conflict)
  if (Object.keys(patch).length > 0)
    return { planned: { do: 'update', path: recordPath(noun, id), id, body: patch, before: match.record }, left }
  return left.length > 0 ? { left } : stays(operation, id, 'as_before')
}

function stays(operation: Operation, id: string | null, code: LeftOut['code'], reason?: string): TakenBack {
  return { left: [leftOf(operation, id, code, reason)] }
}

const REASONS: Readonly<Record<LeftOut['code'], string>> = {
  empty_row: '',
  no_match: '',
  conflict: 'changed since',
  as_before: 'as it was before already',
  gone: 'it was deleted since',
  cannot: 'there is no way to delete it',
  in_doubt: 'in doubt, and may be there',
}

function leftOf({ op, head }: Operation, id: string | null, code: LeftOut['code'], reason = REASONS[code]): LeftOut {
  const line = head.line ?? null
  const told = id === null && line === null ? `operation ${op}: ${reason}` : reason
  return { line, id, code, field: null, reason: told, was: null, wrote: null, now: null }
}
