import type { Offers } from '../../api/connectors/connector.ts'
import { collectionPath, pathOfRecord } from '../../api/transport/call.ts'
import { unaskedText } from '../../core/asked-members.ts'
import { CrmError } from '../../core/errors.ts'
import { idText, type JsonObject, parseExactJson } from '../../core/json.ts'
import { isOlder } from '../../core/made-at.ts'
import { type CrmRecord, resourceOf } from '../../core/resources/registry.ts'
import { typedProfile } from '../../core/shell-words.ts'
import type { EarlierJob } from '../history/earlier-jobs.ts'
import { refuseOtherAccount, unendedHint } from '../history/job-errors.ts'
import { resultsOf, type StoredResult, type StoredResults } from '../history/job-results.ts'
import { readJobState } from '../history/job-state.ts'
import {
  type IdsThrough,
  idsThrough,
  type RenewedIds,
  refusePartOfMerge,
  renewed,
  renewedIds,
} from '../history/merges.ts'
import type { JobFile } from '../store/job-file.ts'
import type { JobDraft, JobPaths } from '../store/job-folder.ts'
import { headOf, openJob } from '../store/open-job.ts'
import {
  type ChosenOf,
  type ChosenOperations,
  chosenByPlan,
  chosenByRecords,
  chosenIn,
  selectedBy,
  type UndoSelection,
} from './chosen-operations.ts'
import { earlierUndos, undoRun } from './earlier-undos.ts'
import type { Existing } from './existing.ts'
import { Ledger } from './ledger.ts'
import { type LeftOut, leftOutLines } from './left-out.ts'
import type { MadeImport } from './make-import.ts'
import { finishFirst, makeJob, type PlanningContext, type RowRules } from './make-job.ts'
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

export interface UndoRequest {
  /** The job to revert. */
  readonly paths: JobPaths
  /** These members of changed records, and nothing of records that the job created or deleted; undefined: all. */
  readonly only?: readonly string[] | undefined
  /** Undefined: all operations. */
  readonly selection?: UndoSelection | undefined
}

/** A job that reverts another one, or a part of it, as far as its records are unchanged since; the rest is named. */
export async function makeUndo(context: PlanningContext, { paths, only, selection }: UndoRequest): Promise<MadeImport> {
  if (only) refuseUnwritten(paths, only)
  const part = { ...(only && { only }), ...(selection && { selected: selectedBy(selection) }) }
  const undone = await readJobState(paths)
  if (undone.state !== 'finished' && undone.state !== 'cancelled') {
    const hint = unendedHint(undone, context.command)
    throw new CrmError('conflict', `${paths.id} has not ended`, { hint, job: paths.id })
  }
  const head = headOf(paths)
  refuseOtherAccount(head, context.account)
  if (selection && head.needs) throw notByRows(paths.id, context.command)
  await refusePartOfMerge(paths, context.command)
  const { held, before, others, ...first } = await earlierUndos(context, paths.id, part)
  if (held) return { type: 'same', job: held }
  let lines: readonly string[] = []
  let leftLines: readonly string[] = []
  const rules = await context.rowRules(head.noun)
  const asked = rules.ask(head.asked ?? [], mayDelete(paths) ? 'all' : undefined)
  const job = await makeJob(
    context,
    {
      ...{ kind: 'undo', noun: head.noun, run: undoRun(paths.id, part), of: paths.id },
      ...part,
      ...(head.ordered && { ordered: head.ordered }),
      ...(head.updates === undefined ? {} : { updates: head.updates }),
      ...asked,
    },
    async (builder, draft) => {
      const parts = { context, paths, builder, draft, before, others, rules, only, selection }
      const { stayed, unseen, dropped, chosenLine } = await planUndo(parts)
      lines = [...chosenLine, ...stayedLines(stayed), ...unseenLines(unseen)]
      const isRestoring = head.unasked !== undefined && builder.counts.create > 0
      leftLines = [
        ...leftOutLines(builder.leftOut, `Not reverted by the undo of ${paths.id}:`),
        ...(isRestoring ? [`Not restored: ${unaskedText(head.unasked)}.`] : []),
        ...(dropped.size > 0 ? [`Not restored: ${[...dropped].join(', ')}, which no update sends.`] : []),
      ]
    },
    { finish: (draft) => finishFirst(context, draft, first) },
  )
  return { type: 'made', job, lines, leftLines }
}

/** Deals would keep a winner of which a part was taken back. */
function notByRows(id: string, command: readonly string[]): CrmError {
  return new CrmError('conflict', `${id} is a merge that re-pointed deals, and is undone as a whole`, {
    hint: `crm jobs undo ${id}${typedProfile(command)}`,
    job: id,
  })
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

interface UndoParts extends UndoRequest {
  readonly context: PlanningContext
  readonly builder: PlanBuilder
  readonly draft: JobDraft
  /** Earlier undos of the same part that are not in effect. */
  readonly before: readonly EarlierJob[]
  /** Those of other parts. */
  readonly others: readonly EarlierJob[]
  readonly rules: RowRules
}

/** Of the records that are gone, so many are asked for by their ids. */
const MOST_ASKED = 20

interface Findings {
  readonly stayed: Stayed
  readonly unseen: Unseen
  /** Members of deleted records that are not sent. */
  readonly dropped: Set<string>
  /** How many operations are selected; none if all are. */
  readonly chosenLine: readonly string[]
}

async function planUndo(undo: UndoParts): Promise<Findings> {
  const { context, paths, builder, draft, before, others, rules, only } = undo
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
    const undone = idsThrough(others.map((each) => each.paths))
    const given = { noun, offers: context.offers, rules, isKept, isRestorable, only, unseen, dropped, undone }
    const { now, chosen } = await chooseNow(undo, { plan, results, idNow: undone.idNow })
    const withNotes = await dealsWithNotes(context, plan, results, chosen)
    const moved = new MovedOperations(builder, plan.head.ordered)
    const idNow = renewedIds(paths)
    for (const { operation, before } of inUndoOrder(plan, chosen)) {
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
    const chosenLine = chosen ? [`${chosen.count} of ${plan.count} operations of ${paths.id} are selected.`] : []
    return { stayed, unseen, dropped, chosenLine }
  } finally {
    ledger?.close()
    plan.close()
  }
}

/** The records as they are now, and the selected operations; undefined: all. */
async function chooseNow({ context, draft, selection }: UndoParts, of: ChosenOf) {
  const named = selection && chosenByPlan(selection, of)
  const now = await readNow(context, { ...of, draft, chosen: named })
  const chosen = selection && 'where' in selection ? await chosenByRecords(selection, of, now) : named
  return { now, chosen }
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
function* inUndoOrder(plan: JobFile, chosen: ChosenOperations | undefined): Generator<Imaged, void, undefined> {
  const imaged = (operation: PlanOperation) => ({ operation, before: plan.before(operation.op) })
  if (plan.head.ordered) yield* [...chosenIn(plan, chosen)].reverse().map(imaged)
  else for (const operation of chosenIn(plan, chosen)) yield imaged(operation)
}

interface RevertParts extends Pick<Findings, 'unseen' | 'dropped'> {
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
  /** By undos of other parts. */
  readonly undone: IdsThrough
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
  const { operation, undone, now } = parts
  const idNow = undone.idNow(id)
  if (operation.head.do !== 'delete')
    return idNow === undefined ? stays(operation, id, 'as_before') : revertWrite(parts, idNow)
  if (idNow !== undefined && idNow !== id)
    return stays(operation, idNow, now.find(idNow).length > 0 ? 'as_before' : 'gone')
  return undone.doubts.has(id) ? stays(operation, id, 'in_doubt') : revertDelete(parts, id)
}

function revertDelete(parts: WithNow, id: string): Reverted {
  const { operation, before, noun } = parts
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
