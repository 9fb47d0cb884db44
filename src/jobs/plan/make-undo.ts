import { recordPath } from '../../api/path.ts'
import { CrmError } from '../../core/errors.ts'
import { parseExactJson } from '../../core/exact-json.ts'
import type { JsonObject } from '../../core/json.ts'
import { isOlder } from '../../core/made-at.ts'
import { hasOperation, RESOURCES, resourceOf } from '../../core/resources/registry.ts'
import { typedProfile } from '../../core/typed-profile.ts'
import { type EarlierJob, withUndos } from '../history/earlier-jobs.ts'
import { allJobs, headOf } from '../history/find-jobs.ts'
import { refuseOtherAccount } from '../history/job-errors.ts'
import { type JobResult, type JobResults, readResults, undosInEffect } from '../history/job-results.ts'
import { type JobState, readJobState } from '../history/job-state.ts'
import type { JobPaths } from '../journal/job-folder.ts'
import { openJobPlan } from '../journal/job-folder.ts'
import { BeforeImages } from './before-writer.ts'
import { dropPlannedOf } from './drop-planned.ts'
import { byId, Existing } from './existing.ts'
import { Ledger } from './ledger.ts'
import type { LeftOut } from './left-out.ts'
import { leftOutLines } from './left-out.ts'
import type { MadeImport } from './make-import.ts'
import { makeJob } from './make-job.ts'
import type { Operation, OperationHead } from './operation.ts'
import type { PlanBuilder, Planned } from './plan-builder.ts'
import type { PlanFile } from './plan-file.ts'
import type { Noun } from './plan-head.ts'
import type { PlanningContext } from './planning-context.ts'
import { openScratch } from './scratch.ts'
import { type Conflict, changesSince, restore, writableOf } from './undo-record.ts'

/** A job that takes back what another one did, as far as it is unchanged since; the rest is named. */
export async function makeUndo(context: PlanningContext, paths: JobPaths): Promise<MadeImport> {
  const { state } = await readJobState(paths)
  if (state !== 'finished' && state !== 'cancelled') {
    const hint = `crm jobs resume ${paths.id}${typedProfile(context.command)}, or crm jobs cancel ${paths.id}`
    throw new CrmError('conflict', `${paths.id} has not come to its end`, { hint, job: paths.id })
  }
  const head = headOf(paths)
  refuseOtherAccount(head, context.account)
  await dropPlannedOf(context, 'undo', paths.id)
  const { held, before } = await earlierUndos(context, paths.id)
  if (held) return { is: 'same', job: held }
  let leftLines: readonly string[] = []
  const job = await makeJob(
    context,
    {
      ...{ kind: 'undo', noun: head.noun, run: `undo.${paths.id}`, of: paths.id },
      ...(head.updates === undefined ? {} : { updates: head.updates }),
    },
    async (builder, draft) => {
      await planUndo({ context, paths, builder, draft, before })
      leftLines = leftOutLines(builder.leftOut, `Of ${paths.id} this stays as it is:`)
    },
  )
  return { is: 'made', job, lines: [], leftLines }
}

interface EarlierUndos {
  /** The one that goes on, or is done. */
  readonly held: JobState | undefined
  /** Those that were cut short, with what took them back. */
  readonly before: readonly EarlierJob[]
}

/** CrmError `conflict` where the undo was taken back: what that made again is under new ids, which it alone knows. */
async function earlierUndos({ jobsFolder, command }: PlanningContext, id: string): Promise<EarlierUndos> {
  const own = allJobs(jobsFolder).filter((each) => {
    const { kind, of } = headOf(each)
    return kind === 'undo' && of === id
  })
  const takenBack = await undosInEffect(jobsFolder)
  for (const each of own) {
    const job = await readJobState(each)
    if (job.state === 'cancelled') continue
    const by = takenBack.get(each.id)?.paths.id
    if (by === undefined) return { held: job, before: [] }
    throw new CrmError('conflict', `${id} was undone by ${each.id}, and that was taken back by ${by}`, {
      hint: `crm jobs undo ${by}${typedProfile(command)}`,
      job: by,
    })
  }
  return { held: undefined, before: await withUndos(jobsFolder, own, command) }
}

interface UndoParts {
  readonly context: PlanningContext
  readonly paths: JobPaths
  readonly builder: PlanBuilder
  readonly draft: JobPaths
  /** Earlier undos of the same job, which hold no more. */
  readonly before: readonly EarlierJob[]
}

async function planUndo({ context, paths, builder, draft, before }: UndoParts): Promise<void> {
  const plan = openJobPlan(paths)
  const scratch = openScratch(draft.folder, 'results')
  const images = new BeforeImages(paths.before)
  const ledger = before.length > 0 ? new Ledger(draft.folder, before) : undefined
  try {
    const results = readResults(paths, plan.count, scratch)
    const { noun } = plan.head
    const now = await readNow(context, { plan, results, draft })
    for (const batch of plan.operations()) {
      for (const operation of batch) {
        const image = await images.of(operation.op)
        const { planned, left = [] } = takeBack({ noun, operation, before: image, results, now })
        if (!planned && left.length === 0) continue
        if (!planned) builder.skip(left)
        else {
          builder.leftOut.add(left)
          builder.add(planned, (digest, n) => ledger?.find(digest, n))
        }
      }
    }
    now?.close()
  } finally {
    ledger?.close()
    await images.close()
    scratch.close()
    plan.close()
  }
}

/** A request that was under way when the job ended may still arrive: before that, a record does not tell what became of it. */
async function awaitQuiet({ nowMs, sleep, note }: PlanningContext, { progress }: JobResults): Promise<void> {
  const { counts, unanswered, lastMs = 0, lastOpen } = progress
  if (counts.doubt + unanswered === 0) return
  const waitMs = lastMs + (lastOpen?.life ?? 0) - nowMs()
  if (waitMs <= 0) return
  note(`Requests of before may still be under way; what is in doubt is looked at in ${Math.ceil(waitMs / 1000)} s.`)
  await sleep(waitMs)
}

interface NowParts {
  readonly plan: PlanFile
  readonly results: JobResults
  readonly draft: JobPaths
}

/** Undefined where nothing can be taken back. */
async function readNow(context: PlanningContext, { plan, results, draft }: NowParts): Promise<Existing | undefined> {
  const { head, end } = plan
  if (!hasOperation(resourceOf(head.noun), 'update') && head.updates === undefined) return undefined
  if (end.update + end.delete > 0) await awaitQuiet(context, results)
  return Existing.read({ folder: draft.folder, pages: context.list(head.noun), keyOf: byId, onRead: context.onRead })
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
  /** The members that stay unchanged. */
  readonly left?: readonly LeftOut[]
}

function takeBack(parts: TakeBack): TakenBack {
  const { operation, results, now } = parts
  const { op, head } = operation
  if (head.do === 'fail') return {}
  const end = results.progress.endOf(op)
  if (end === 'doubt' || results.progress.isUnanswered(op)) {
    if (!now || head.do === 'create' || head.id === undefined) {
      return stays(operation, head.id ?? null, 'in_doubt')
    }
    // A record that is there was not deleted; what it says tells whether it was changed.
    if (head.do === 'delete' && now.find(head.id).length > 0) return stays(operation, head.id, 'as_before')
    return takeBackOf({ ...parts, now }, head.id)
  }
  const result = results.of(op)
  const { id, wasGone } = result
  if (end !== 'done' || wasGone) return {}
  const existed = existedBefore(head.do, result)
  if (existed !== undefined) return stays(operation, id, 'cannot', existed)
  if (!now || id === null) return stays(operation, id, 'cannot', 'there is no way to delete it')
  return takeBackOf({ ...parts, now }, id)
}

const EXISTED = 'it existed before this row was sent, and what it held was not kept'
const MAY_HAVE_EXISTED = 'it may have existed before: the server answered 200 here, and 201 to other creates of the job'

function existedBefore(kind: OperationHead['do'], { existed, mayHaveExisted }: JobResult): string | undefined {
  if (existed) return EXISTED
  return kind === 'create' && mayHaveExisted ? MAY_HAVE_EXISTED : undefined
}

/** Of what was done, or may have been. */
function takeBackOf(parts: WithNow, id: string): TakenBack {
  const { operation, before } = parts
  if (operation.head.do !== 'delete') return takeBackWrite(parts, id)
  if (!before) return stays(operation, id, 'cannot', 'what it held was not kept')
  return { planned: { do: 'create', path: RESOURCES[resourceOf(parts.noun)].path, id, body: writableOf(before) } }
}

type WithNow = TakeBack & { readonly now: Existing }

function takeBackWrite({ noun, operation, before, results, now }: WithNow, id: string): TakenBack {
  const { head, body } = operation
  const path = recordPath(resourceOf(noun), id)
  const [match] = now.find(id)
  if (!match) return stays(operation, id, 'gone')
  const written = parseExactJson(body?.toString('utf8') ?? '{}') as JsonObject
  const conflict = (member: Conflict): LeftOut => ({ ...leftOf(operation, id, 'conflict'), ...member })
  if (head.do === 'create') {
    if (!hasOperation(resourceOf(noun), 'delete')) return stays(operation, id, 'cannot')
    if (isOlder(match.record, results.progress.firstMs ?? 0, written)) return stays(operation, id, 'cannot', EXISTED)
    const changed = changesSince(written, match.record)
    if (changed.length > 0) return { left: changed.map(conflict) }
    return { planned: { do: 'delete', path, id, before: match.record } }
  }
  const { patch, conflicts } = restore(before ?? {}, written, match.record)
  const left = conflicts.map(conflict)
  if (Object.keys(patch).length > 0)
    return { planned: { do: 'update', path, id, body: patch, before: match.record }, left }
  return left.length > 0 ? { left } : stays(operation, id, 'as_before')
}

function stays(operation: Operation, id: string | null, code: LeftOut['code'], reason?: string): TakenBack {
  return { left: [leftOf(operation, id, code, reason)] }
}

const REASONS: Readonly<Record<LeftOut['code'], string>> = {
  empty_row: '',
  no_match: '',
  done_before: '',
  conflict: 'changed since',
  as_before: 'as it was before already',
  gone: 'it was deleted since',
  cannot: 'there is no way to delete it',
  in_doubt: 'in doubt, and may be there',
  ambiguous_match: '',
}

function leftOf({ op, head }: Operation, id: string | null, code: LeftOut['code'], reason = REASONS[code]): LeftOut {
  const line = head.line ?? null
  const told = id === null && line === null ? `operation ${op}: ${reason}` : reason
  return { line, id, code, field: null, reason: told, was: null, wrote: null, now: null }
}
