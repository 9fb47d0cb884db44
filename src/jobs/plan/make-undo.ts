import type { Offers } from '../../api/connectors/connector.ts'
import { collectionPath, pathOfRecord } from '../../api/transport/call.ts'
import { unaskedText } from '../../core/asked-members.ts'
import { CrmError } from '../../core/errors.ts'
import { idText, type JsonObject, parseExactJson } from '../../core/json.ts'
import { isOlder } from '../../core/made-at.ts'
import { type CrmRecord, resourceOf } from '../../core/resources/registry.ts'
import { typedProfile } from '../../core/shell-words.ts'
import type { EarlierJob } from '../history/earlier-jobs.ts'
import { refuseOtherAccount } from '../history/job-errors.ts'
import { resultsOf, type StoredResult, type StoredResults } from '../history/job-results.ts'
import { readJobState } from '../history/job-state.ts'
import { type RenewedIds, refusePartOfMerge, renewed, renewedIds } from '../history/renewed-ids.ts'
import type { JobFile } from '../store/job-file.ts'
import type { JobDraft, JobPaths } from '../store/job-folder.ts'
import { headOf, openJob } from '../store/open-job.ts'
import { earlierUndos, undoRun } from './earlier-undos.ts'
import type { Existing } from './existing.ts'
import { Ledger } from './ledger.ts'
import { type LeftOut, leftOutLines } from './left-out.ts'
import type { MadeImport } from './make-import.ts'
import { dropPlannedOf, makeJob, type PlanningContext, type RowRules } from './make-job.ts'
import { MovedOperations } from './moved-operations.ts'
import { dealsWithNotes } from './notes-of-deals.ts'
import type { PlanBuilder, Planned } from './plan-builder.ts'
import type { JobNoun, OperationHead, PlanOperation } from './plan-format.ts'
import { readNow } from './records-now.ts'
import {
  addUnseen,
  isChosen,
  refuseUnwritten,
  type Stayed,
  stayedLines,
  type Unseen,
  unseenLines,
} from './undo-members.ts'
import { type Conflict, changesSince, restore, showsChanges, writableOf } from './undo-record.ts'

const REASONS: Readonly<Record<LeftOut['code'], string>> = {
  empty_row: '',
  no_match: '',
  done_before: '',
  conflict: 'changed since, or not kept by the server',
  as_before: 'already as before the job',
  gone: 'it was deleted since',
  cannot: 'there is no way to delete it',
  in_doubt: 'in doubt, and may exist',
  ambiguous_match: '',
  same_key: '',
  beyond_limit: '',
}

/**
 * A job that reverts another one, as far as its records are unchanged since; the rest is named. With `only` these members of
 * changed records, and nothing of records that the job created or deleted.
 */
export async function makeUndo(
  context: PlanningContext,
  paths: JobPaths,
  only?: readonly string[],
): Promise<MadeImport> {
  if (only) refuseUnwritten(paths, only)
  const { state } = await readJobState(paths)
  if (state !== 'finished' && state !== 'cancelled') {
    const hint = `crm jobs resume ${paths.id}${typedProfile(context.command)}, or crm jobs cancel ${paths.id}`
    throw new CrmError('conflict', `${paths.id} has not ended`, { hint, job: paths.id })
  }
  const head = headOf(paths)
  refuseOtherAccount(head, context.account)
  await refusePartOfMerge(paths, context.command)
  await dropPlannedOf(context, 'undo', paths.id)
  const { held, before } = await earlierUndos(context, paths.id, only)
  if (held) return { type: 'same', job: held }
  let lines: readonly string[] = []
  let leftLines: readonly string[] = []
  const rules = await context.rowRules(head.noun)
  const asked = rules.ask(head.asked ?? [], mayDelete(paths) ? 'all' : undefined)
  const job = await makeJob(
    context,
    {
      ...{ kind: 'undo', noun: head.noun, run: undoRun(paths.id, only), of: paths.id },
      ...(only && { only }),
      ...(head.ordered && { ordered: head.ordered }),
      ...(head.updates === undefined ? {} : { updates: head.updates }),
      ...asked,
    },
    async (builder, draft) => {
      const { stayed, unseen, dropped } = await planUndo({ context, paths, builder, draft, before, rules, only })
      lines = [...stayedLines(stayed), ...unseenLines(unseen)]
      const isRestoring = head.unasked !== undefined && builder.counts.create > 0
      leftLines = [
        ...leftOutLines(builder.leftOut, `Not reverted by the undo of ${paths.id}:`),
        ...(isRestoring ? [`Not restored: ${unaskedText(head.unasked)}.`] : []),
        ...(dropped.size > 0 ? [`Not restored: ${[...dropped].join(', ')}, which no update sends.`] : []),
      ]
    },
  )
  return { type: 'made', job, lines, leftLines }
}

/** Records that the job created are deleted. */
function mayDelete(paths: JobPaths): boolean {
  const plan = openJob(paths)
  try {
    return plan.end.create > 0
  } finally {
    plan.close()
  }
}

interface UndoParts {
  readonly context: PlanningContext
  readonly paths: JobPaths
  readonly builder: PlanBuilder
  readonly draft: JobDraft
  /** Earlier undos of the same job that are not in effect. */
  readonly before: readonly EarlierJob[]
  readonly rules: RowRules
  readonly only: readonly string[] | undefined
}

/** Of the records that are gone, so many are asked for by their ids. */
const MOST_ASKED = 20

interface Findings {
  readonly stayed: Stayed
  readonly unseen: Unseen
  /** Members of deleted records that are not sent. */
  readonly dropped: Set<string>
}

async function planUndo({ context, paths, builder, draft, before, rules, only }: UndoParts): Promise<Findings> {
  const stayed: Stayed = { create: 0, delete: 0 }
  const unseen: Unseen = { count: 0, names: new Set() }
  const dropped = new Set<string>()
  const plan = openJob(paths)
  const ledger = before.length > 0 ? new Ledger(draft.folder, before) : undefined
  try {
    const results = resultsOf(plan)
    const { noun, asked = [] } = plan.head
    const isKept = (before: JsonObject, name: string) =>
      !rules.isSelecting || Object.hasOwn(before, name) || asked.includes(name)
    const isRestorable = context.restores(resourceOf(noun), context.nowMs() - (results.progress.firstMs ?? 0))
    const given = { noun, offers: context.offers, rules, isKept, isRestorable, only, unseen, dropped }
    const now = await readNow(context, { plan, results, draft })
    const withNotes = await dealsWithNotes(context, plan, results)
    const moved = new MovedOperations(builder, plan.head.ordered)
    const idNow = renewedIds(paths)
    for (const { operation, before } of inUndoOrder(plan)) {
      if (!isChosen(operation, only, stayed)) continue
      const parts = { ...given, operation, before, results, now, withNotes }
      const { planned, left = [] } = idNow ? revertRepoint(parts, idNow) : revert(parts)
      if (!planned && left.length === 0) continue
      if (!planned) builder.skip(left)
      else {
        builder.leftOut.add(left)
        moved.add(operation, planned, (digest, n) => ledger?.find(digest, n))
      }
    }
    now?.close()
    await checkGone(context, noun, builder.leftOut.first)
    return { stayed, unseen, dropped }
  } finally {
    ledger?.close()
    plan.close()
  }
}

/** A list that is short by its description lacks records that the server has. */
async function checkGone(context: PlanningContext, noun: JobNoun, left: readonly LeftOut[]): Promise<void> {
  const gone = left.flatMap(({ code, id }) => (code === 'gone' && id !== null ? [id] : []))
  for (const id of gone.slice(0, MOST_ASKED)) await context.checkGone(noun, id)
}

interface Imaged {
  readonly operation: PlanOperation
  readonly before: JsonObject | undefined
}

/** Of a plan whose operations wait for others, the last one first, and so all of it in memory. */
function* inUndoOrder(plan: JobFile): Generator<Imaged, void, undefined> {
  const imaged = (operation: PlanOperation) => ({ operation, before: plan.before(operation.op) })
  if (plan.head.ordered) yield* [...plan.all()].reverse().map(imaged)
  else for (const operation of plan.all()) yield imaged(operation)
}

interface RevertParts extends Omit<Findings, 'stayed'> {
  readonly noun: JobNoun
  readonly operation: PlanOperation
  readonly before: JsonObject | undefined
  readonly results: StoredResults
  readonly offers: Offers
  readonly rules: RowRules
  /** Whether a record before the job shows the value of a member that the job wrote. */
  readonly isKept: (before: JsonObject, name: string) => boolean
  readonly withNotes: ReadonlySet<string>
  /** The server still restores what the job deleted, under the same ids. */
  readonly isRestorable: boolean
  /** Undefined if nothing can be reverted. */
  readonly now: Existing | undefined
  readonly only: readonly string[] | undefined
}

/** Both are absent for an operation that was not done. */
interface Reverted {
  readonly planned?: Planned
  /** The members that stay unchanged. */
  readonly left?: readonly LeftOut[]
}

function revert(parts: RevertParts): Reverted {
  const { operation, results, now } = parts
  const { op, head } = operation
  if (head.do === 'fail') return {}
  const end = results.progress.endOf(op)
  if (end === 'doubt' || results.progress.isUnanswered(op)) {
    if (!now || head.do === 'create' || head.id === undefined) {
      return stays(operation, head.id ?? null, 'in_doubt')
    }
    // An existing record was not deleted; its values show whether it was changed.
    if (head.do === 'delete' && now.find(head.id).length > 0) return stays(operation, head.id, 'as_before')
    return revertDone({ ...parts, now }, head.id)
  }
  const result = results.of(op)
  const { id, wasGone } = result
  if (end !== 'done' || wasGone) return {}
  const existed = existedBefore(head.do, result)
  if (existed !== undefined) return stays(operation, id, 'cannot', existed)
  if (!now || id === null) return stays(operation, id, 'cannot', 'there is no way to delete it')
  return revertDone({ ...parts, now }, id)
}

/** A deal gets the contact that it had, under the id that this has now. */
function revertRepoint(parts: RevertParts, idNow: RenewedIds): Reverted {
  const { operation, before = {} } = parts
  const { head, body } = operation
  const written = parseExactJson(body?.toString('utf8') ?? '{}') as JsonObject
  const values = renewed(before, Object.keys(written), idNow)
  if ('before' in values) return revert({ ...parts, before: values.before })
  const { planned, left } = revert(parts)
  if (!planned) return { ...(left && { left }) }
  return stays(operation, head.id ?? null, 'cannot', `${values.gone}, which it named, does not exist any more`)
}

const NOT_KEPT = 'its earlier values were not kept'
const EXISTED = 'it existed before this row was sent, and its earlier values were not kept'
const MAY_HAVE_EXISTED = 'it may have existed before: the server answered 200 here, and 201 to other creates of the job'

function existedBefore(kind: OperationHead['do'], { existed, mayHaveExisted }: StoredResult): string | undefined {
  if (existed) return EXISTED
  return kind === 'create' && mayHaveExisted ? MAY_HAVE_EXISTED : undefined
}

/** For an operation that was done, or may have been. */
function revertDone(parts: WithNow, id: string): Reverted {
  const { operation, before, noun } = parts
  if (operation.head.do !== 'delete') return revertWrite(parts, id)
  if (parts.isRestorable) {
    if (parts.now.find(id).length > 0) return stays(operation, id, 'as_before')
    return { planned: { do: 'update', path: pathOfRecord(resourceOf(noun), id), id, body: {}, restores: true } }
  }
  if (!before) return stays(operation, id, 'cannot', NOT_KEPT)
  const resource = resourceOf(noun)
  const writable = writableOf(before, parts.rules)
  for (const [name, value] of Object.entries(before)) {
    if (value !== null && parts.rules.isDropped(name)) parts.dropped.add(name)
  }
  const { deal_id: dealId, ...others } = writable
  const [path, body] =
    resource === 'note' ? [collectionPath(resource, idText(dealId)), others] : [collectionPath(resource), writable]
  return { planned: { do: 'create', path, id, body } }
}

type WithNow = RevertParts & { readonly now: Existing }

function revertWrite(parts: WithNow, id: string): Reverted {
  const { noun, operation, results, now, offers, withNotes } = parts
  const { head, body } = operation
  const path = pathOfRecord(resourceOf(noun), id)
  const [match] = now.find(id)
  if (!match) return stays(operation, id, 'gone')
  if (head.restores) return { planned: { do: 'delete', path, id, before: match.record } }
  const written = parseExactJson(body?.toString('utf8') ?? '{}') as JsonObject
  if (head.do === 'create') {
    if (!offers(resourceOf(noun), 'delete')) return stays(operation, id, 'cannot')
    if (isOlder(match.record, results.progress.firstMs ?? 0)) return stays(operation, id, 'cannot', EXISTED)
    const changed = changesSince(written, match.record, results.of(operation.op).isRepeated)
    if (changed.length > 0) return { left: changed.map(conflictOf(operation, id)) }
    if (withNotes.has(id)) return stays(operation, id, 'cannot', 'it has notes, which would be deleted with it')
    if (!showsChanges(match.record)) addUnseen(parts.unseen, match.record, written)
    return { planned: { do: 'delete', path, id, before: match.record } }
  }
  return revertUpdate(parts, { id, written, record: match.record })
}

interface Updated {
  readonly id: string
  readonly written: JsonObject
  /** Its current state. */
  readonly record: CrmRecord
}

function revertUpdate(parts: WithNow, { id, written, record }: Updated): Reverted {
  const { noun, operation, before = {}, only } = parts
  const wanted = Object.keys(written).filter((name) => !only || only.includes(name))
  if (only && wanted.length === 0) return {}
  const unkept = wanted.filter((name) => !parts.isKept(before, name))
  const kept = Object.fromEntries(
    Object.entries(written).filter(([name]) => wanted.includes(name) && !unkept.includes(name)),
  )
  const { patch, conflicts } = restore(before, kept, record)
  const lost = (field: string) => ({ ...leftOf(operation, id, 'cannot', `${field}: ${NOT_KEPT}`), field })
  const left = [...conflicts.map(conflictOf(operation, id)), ...unkept.map(lost)]
  if (Object.keys(patch).length > 0)
    return {
      planned: { do: 'update', path: pathOfRecord(resourceOf(noun), id), id, body: patch, before: record },
      left,
    }
  return left.length > 0 ? { left } : stays(operation, id, 'as_before')
}

function conflictOf(operation: PlanOperation, id: string): (member: Conflict) => LeftOut {
  return (member) => ({ ...leftOf(operation, id, 'conflict'), ...member })
}

function stays(operation: PlanOperation, id: string | null, code: LeftOut['code'], reason?: string): Reverted {
  return { left: [leftOf(operation, id, code, reason)] }
}

/** Why an operation, or a member of its record, is not reverted. */
function leftOf(
  { op, head }: PlanOperation,
  id: string | null,
  code: LeftOut['code'],
  reason = REASONS[code],
): LeftOut {
  const line = head.line ?? null
  const text = id === null && line === null ? `operation ${op}: ${reason}` : reason
  return { line, id, code, field: null, reason: text, was: null, wrote: null, now: null }
}
