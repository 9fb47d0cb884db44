import type { Offers } from '../../api/connectors/connector.ts'
import { collectionPath, pathOfRecord } from '../../api/transport/call.ts'
import { type Asked, unaskedText } from '../../core/asked-members.ts'
import { changedMembers } from '../../core/changes.ts'
import { isOptOut } from '../../core/consent.ts'
import { CrmError } from '../../core/errors.ts'
import {
  canonicalJson,
  isJsonObject,
  isSameJson,
  type JsonObject,
  type JsonValue,
  memberOf,
  parseExactJson,
} from '../../core/json.ts'
import { linksIn, wholeLinks } from '../../core/links.ts'
import { isAlike } from '../../core/other-values.ts'
import { isOlder } from '../../core/record-time.ts'
import { parentIn, parentMember } from '../../core/resources/parents.ts'
import { type CrmRecord, isReadOnly, type Resource, resourceOf } from '../../core/resources/registry.ts'
import { typedProfile } from '../../core/shell-words.ts'
import { refuseOtherAccount, unendedHint } from '../history/job-errors.ts'
import { resultsOf, type StoredResults } from '../history/job-results.ts'
import { fieldsOfJob, readJobState } from '../history/job-state.ts'
import {
  type IdsThrough,
  idsThrough,
  type RenewedIds,
  refusePartOfMerge,
  renewed,
  renewedIds,
} from '../history/merges.ts'
import type { JobFile } from '../store/job-file.ts'
import type { JobPaths } from '../store/job-folder.ts'
import { openJob } from '../store/open-job.ts'
import type { Existing, Match } from './existing.ts'
import { Ledger } from './ledger.ts'
import { type LeftOut, leftOutEntry, leftOutLines } from './left-out.ts'
import { type ChainDraft, finishFirst, type MadeImport, makeJob } from './make-job.ts'
import { MovedOperations, type PlanBuilder, type Planned } from './plan-builder.ts'
import { type JobNoun, type PlanOperation, present } from './plan-format.ts'
import type { PlanningContext, RowRules } from './planning.ts'
import type { Scratch } from './scratch.ts'
import {
  type ChosenOperations,
  chosenByPlan,
  chosenByRecords,
  chosenIn,
  dealsWithNotes,
  type EarlierUndos,
  earlierUndos,
  imagesSince,
  readNow,
  selectedBy,
  type UndoSelection,
} from './undo-scope.ts'

const REASONS = {
  as_before: 'already as before the job',
  gone: 'it was deleted since',
  cannot: 'there is no way to delete it',
  in_doubt: 'in doubt, and may exist',
}

export interface UndoRequest {
  /** The job to revert. */
  readonly paths: JobPaths
  /** These members of changed records, and nothing of records that the job created or deleted; undefined: all. */
  readonly only?: readonly string[] | undefined
  /** Undefined: all operations. */
  readonly selection?: UndoSelection | undefined
  /** That the undo belongs to; undefined: it is alone. */
  readonly chain?: ChainDraft
}

/** A job that reverts another one, or a part of it, as far as its records are unchanged since; the rest is named. */
export async function makeUndo(context: PlanningContext, request: UndoRequest): Promise<MadeImport> {
  const { paths, only, selection } = request
  if (only) refuseUnwritten(paths, only)
  const part = { ...(only && { only }), ...(selection && { selected: selectedBy(selection) }) }
  const undone = await readJobState(paths)
  if (undone.state !== 'finished' && undone.state !== 'cancelled') {
    const hint = unendedHint(undone, context.command)
    throw new CrmError('conflict', `${paths.id} has not ended`, { hint, job: paths.id })
  }
  const { head } = undone
  refuseOtherAccount(head, context.account)
  // Records would keep a winner of which a part was taken back.
  if (selection && head.needs)
    throw new CrmError('conflict', `${paths.id} is a merge that re-pointed records, and is undone as a whole`, {
      hint: `crm jobs undo ${paths.id}${typedProfile(context.command)}`,
      job: paths.id,
    })
  await refusePartOfMerge(paths, context.command)
  const earlier = await earlierUndos(context, paths.id, part)
  if (earlier.held) return { type: 'same', job: earlier.held }
  const rules = await context.rowRules(head.noun)
  // Records that the job created are deleted.
  const asked = rules.ask(head.asked ?? [], undone.end.create > 0 ? 'all' : undefined)
  const { noun, ordered, updates } = head
  const identity = { noun, run: earlier.run, of: paths.id, ...part, ...present({ ordered, updates }) }
  const plan = openJob(paths)
  let said: Said = { lines: [], leftLines: [] }
  try {
    const job = await makeJob(
      context,
      { kind: 'undo', ...identity, ...asked },
      async (builder, { scratch }) => {
        said = await planUndo({ context, request, plan, builder, scratch, earlier, rules })
      },
      { finish: finishFirst(context, earlier), chain: request.chain },
    )
    return { type: 'made', job, ...said }
  } finally {
    plan.close()
  }
}

interface UndoParts {
  readonly context: PlanningContext
  readonly request: UndoRequest
  readonly plan: JobFile
  readonly builder: PlanBuilder
  readonly scratch: Scratch
  readonly earlier: Pick<EarlierUndos, 'before' | 'others'>
  readonly rules: RowRules
}

/** Lines for people. */
type Said = Pick<Extract<MadeImport, { readonly type: 'made' }>, 'lines' | 'leftLines'>

/** Of the records that are gone, so many are asked for by their ids. */
const MOST_ASKED = 20

async function planUndo({ context, request, plan, builder, scratch, earlier, rules }: UndoParts): Promise<Said> {
  const { paths, only, selection } = request
  const { others } = earlier
  const { noun, ordered, asked = [], unasked } = plan.head
  const stayed: Stayed = { create: 0, delete: 0 }
  const ledger = new Ledger(scratch, earlier.before)
  const results = resultsOf(plan)
  const undone = idsThrough(others.map((each) => each.paths))
  const of = { plan, results, idNow: undone.idNow }
  const named = selection && chosenByPlan(selection, of)
  const now = await readNow(context, { ...of, scratch, chosen: named })
  const chosen = selection && 'where' in selection ? await chosenByRecords(selection, of, now) : named
  const given = {
    ...{ noun, results, rules, now, only, undone, offers: context.offers },
    imagesOf: imagesSince(context, plan, scratch),
    isKept: (before: JsonObject, name: string) =>
      !rules.isSelecting || Object.hasOwn(before, name) || asked.includes(name),
    isRestorable: context.restores(resourceOf(noun), context.nowMs() - (results.progress.firstMs ?? 0)),
    withNotes: await dealsWithNotes(context, plan, results, chosen),
    parents: context.parents,
    unseen: { count: 0, names: new Set<string>() },
    dropped: new Set<string>(),
  }
  const moved = new MovedOperations(builder, ordered)
  const idNow = renewedIds(paths)
  for (const { operation, before } of inUndoOrder(plan, chosen)) {
    if (!isChosen(operation, only, stayed)) continue
    const parts = { ...given, operation, before }
    const { planned, left = [] } = idNow ? revertRepoint(parts, idNow) : revert(parts)
    if (planned) {
      builder.leftOut.add(left)
      moved.add(operation, planned, (digest, n) => ledger.find(digest, n))
    } else if (left.length > 0) builder.skip(left)
  }
  await checkGone(context, noun, builder.leftOut.first)
  return {
    lines: [
      ...(chosen ? [`${chosen.count} of ${plan.count} operations of ${paths.id} are selected.`] : []),
      ...stayedLines(stayed),
      ...unseenLines(given.unseen),
    ],
    leftLines: [
      ...leftOutLines(builder.leftOut, `Not reverted by the undo of ${paths.id}:`),
      ...notRestored(given.dropped, builder.counts.create > 0 ? unasked : undefined),
    ],
  }
}

function notRestored(dropped: ReadonlySet<string>, unasked: Asked['unasked'] | undefined): readonly string[] {
  const what = unasked ? [`${unaskedText(unasked)}.`] : []
  if (dropped.size > 0) what.push(`${[...dropped].join(', ')}, which no update sends.`)
  return what.map((each) => `Not restored: ${each}`)
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

interface RevertParts extends Imaged {
  readonly noun: JobNoun
  readonly results: StoredResults
  readonly offers: Offers
  readonly rules: RowRules
  /** Whether a record before the job shows the value of a member that the job wrote. */
  readonly isKept: (before: JsonObject, name: string) => boolean
  readonly withNotes: ReadonlySet<string>
  /** What the server takes notes on. */
  readonly parents: readonly Resource[]
  /** The server still restores what the job deleted, under the same ids. */
  readonly isRestorable: boolean
  /** Undefined if nothing can be reverted. */
  readonly now: Existing | undefined
  readonly only: readonly string[] | undefined
  readonly imagesOf: ReturnType<typeof imagesSince>
  /** By undos of other parts. */
  readonly undone: IdsThrough
  readonly unseen: Unseen
  /** Members of deleted records that are not sent. */
  readonly dropped: Set<string>
}

type WithNow = RevertParts & { readonly now: Existing }

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
  const { id, wasGone, existed, mayHaveExisted, isUnkept } = results.of(op)
  if (end === 'doubt' || isUnkept || results.progress.isUnanswered(op)) return revertDoubt(parts)
  if (end !== 'done' || wasGone) return {}
  if (existed) return stays(operation, id, 'cannot', EXISTED)
  if (head.do === 'create' && mayHaveExisted) return stays(operation, id, 'cannot', MAY_HAVE_EXISTED)
  if (!now || id === null) return stays(operation, id, 'cannot')
  return revertDone({ ...parts, now }, id)
}

function revertDoubt({ now, ...parts }: RevertParts): Reverted {
  const { operation } = parts
  const { do: kind, id } = operation.head
  if (!now || kind === 'create' || id === undefined) return stays(operation, id ?? null, 'in_doubt')
  // An existing record was not deleted; its values show whether it was changed.
  if (kind === 'delete' && now.find(id).length > 0) return stays(operation, id, 'as_before')
  return revertDone({ ...parts, now }, id)
}

/** A record names again what it did, by the ids that this has now. */
function revertRepoint(parts: RevertParts, idNow: RenewedIds): Reverted {
  const { operation, before = {} } = parts
  const values = renewed(before, Object.keys(writtenBy(operation)), idNow)
  if ('before' in values) return revert({ ...parts, before: values.before })
  const { planned, left } = revert(parts)
  if (!planned) return { ...(left && { left }) }
  const why = `${values.gone}, which it named, does not exist any more`
  return stays(operation, operation.head.id ?? null, 'cannot', why)
}

function writtenBy({ body }: PlanOperation): JsonObject {
  return parseExactJson(body?.toString('utf8') ?? '{}') as JsonObject
}

const NOT_KEPT = 'its earlier values were not kept'
const OPTED_OUT = 'it is an opt-out, which an undo does not reverse'
const EXISTED = 'it existed before this row was sent, and its earlier values were not kept'
const MAY_HAVE_EXISTED = 'it may have existed before: the server answered 200 here, and 201 to other creates of the job'

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
  const { operation, before, noun, rules, dropped } = parts
  const resource = resourceOf(noun)
  if (parts.isRestorable) {
    if (parts.now.find(id).length > 0) return stays(operation, id, 'as_before')
    return { planned: { do: 'update', path: pathOfRecord(resource, id), id, body: {}, restores: true } }
  }
  if (!before) return stays(operation, id, 'cannot', NOT_KEPT)
  const writable = writableOf(before, parts.rules)
  for (const [name, value] of Object.entries(before)) if (value !== null && rules.isDropped(name)) dropped.add(name)
  const parent = resource === 'note' ? parentIn(before, parts.parents) : undefined
  const { [parent ? parentMember(parent.of) : '']: _, ...body } = writable
  return { planned: { do: 'create', path: collectionPath(resource, parent), id, body } }
}

function revertWrite(parts: WithNow, id: string): Reverted {
  const { noun, operation, results, now, offers, withNotes } = parts
  const { head, op } = operation
  const path = pathOfRecord(resourceOf(noun), id)
  const [match] = now.find(id)
  if (!match) return stays(operation, id, 'gone')
  if (head.restores) return { planned: { do: 'delete', path, id, before: match.record } }
  const written = writtenBy(operation)
  if (head.do !== 'create') return revertUpdate(parts, { id, path, written, record: match.record })
  if (!offers(resourceOf(noun), 'delete')) return stays(operation, id, 'cannot')
  if (isOlder(match.record, results.progress.firstMs ?? 0)) return stays(operation, id, 'cannot', EXISTED)
  const changed = changesSince(written, match.record, results.of(op).isRepeated)
  if (changed.length > 0 && !isAsLeft(parts, written, match)) return { left: changed.map(conflictOf(operation, id)) }
  if (withNotes.has(id)) return stays(operation, id, 'cannot', 'it has notes, which would be deleted with it')
  if (!showsChanges(match.record)) addUnseen(parts.unseen, match.record, written)
  return { planned: { do: 'delete', path, id, before: match.record } }
}

/** Whether a created record is as this job left it, because the later jobs that changed it were undone. */
function isAsLeft({ imagesOf, rules }: RevertParts, written: JsonObject, { id, record }: Match): boolean {
  return imagesOf(id).some(({ record: image }) => {
    if (changesSince(written, image).length > 0) return false
    const names = Object.keys({ ...image, ...record }).filter((name) => !isReadOnly(name) && !rules.isReadOnly(name))
    return names.every((name) => isSame(memberOf(image, name), memberOf(record, name)))
  })
}

interface Updated {
  readonly id: string
  readonly path: string
  readonly written: JsonObject
  /** Its current state. */
  readonly record: CrmRecord
}

function revertUpdate(parts: WithNow, { id, path, written, record }: Updated): Reverted {
  const { operation, before = {}, only } = parts
  const chosen = Object.keys(written).filter((name) => !only || only.includes(name))
  if (only && chosen.length === 0) return {}
  const optOuts = chosen.filter((name) => isOptOut(name, memberOf(written, name)))
  const wanted = chosen.filter((name) => !optOuts.includes(name))
  const unkept = wanted.filter((name) => !parts.isKept(before, name))
  const kept = wanted.filter((name) => !unkept.includes(name))
  const [links, plain] = [true, false].map((isLink) =>
    kept.filter((name) => parts.rules.linkFields.includes(name) === isLink),
  )
  const { patch, conflicts } = restore(before, pick(written, plain), record)
  const body = { ...patch, ...revertedLinks(before, pick(written, links), record) }
  const cannot = (why: string) => (field: string) => ({ ...leftOf(operation, id, 'cannot', `${field}: ${why}`), field })
  const stayed = [...unkept.map(cannot(NOT_KEPT)), ...optOuts.map(cannot(OPTED_OUT))]
  const left = [...conflicts.map(conflictOf(operation, id)), ...stayed]
  if (Object.keys(body).length > 0) return { planned: { do: 'update', path, id, body, before: record }, left }
  return left.length > 0 ? { left } : stays(operation, id, 'as_before')
}

function pick(values: JsonObject, names: readonly string[] = []): JsonObject {
  return Object.fromEntries(names.map((name) => [name, memberOf(values, name)]))
}

/** The links of now without those that the job made, and with those that it took away, as far as that changes them. */
function revertedLinks(before: JsonObject, written: JsonObject, record: CrmRecord): JsonObject {
  const links = Object.keys(written).flatMap((name) => {
    const [had = [], made = [], now = []] = [before, written, record].map((values) => linksIn(memberOf(values, name)))
    const left = now.filter((value) => !made.includes(value) || had.includes(value))
    const wanted = wholeLinks([...left, ...had.filter((value) => !made.includes(value))])
    return isSameJson(wanted, [...now]) ? [] : [[name, wanted] as const]
  })
  return Object.fromEntries(links)
}

function conflictOf(operation: PlanOperation, id: string): (member: Conflict) => LeftOut {
  return (member) => ({ ...leftOf(operation, id, 'conflict', CONFLICT), ...member })
}

const CONFLICT = 'changed since, or not kept by the server'

function stays(
  operation: PlanOperation,
  id: string | null,
  code: keyof typeof REASONS,
  reason = REASONS[code],
): Reverted {
  return { left: [leftOf(operation, id, code, reason)] }
}

/** Why an operation, or a member of its record, is not reverted. */
function leftOf({ op, head: { line } }: PlanOperation, id: string | null, code: LeftOut['code'], reason: string) {
  return leftOutEntry(code, id === null && line === undefined ? `operation ${op}: ${reason}` : reason, { line, id })
}

/** CrmError `usage` for a member that the job did not write. */
function refuseUnwritten(paths: JobPaths, only: readonly string[]): void {
  const written = fieldsOfJob(paths)
  const wrong = only.find((name) => !written.includes(name))
  if (wrong === undefined) return
  const what = written.length === 0 ? 'it wrote none' : `it wrote ${written.join(', ')}`
  throw new CrmError('usage', `--fields: ${paths.id} did not write ${wrong}; ${what}`, {
    hint: `name members that it wrote, or leave out --fields`,
    job: paths.id,
  })
}

/** Operations of the job of which an undo of some members reverts nothing. */
export interface Stayed {
  create: number
  delete: number
}

/** With `only` the changes of records alone; what the job created or deleted is counted. */
function isChosen({ head: { do: kind } }: PlanOperation, only: readonly string[] | undefined, stayed: Stayed): boolean {
  if (!only) return true
  if (kind === 'create' || kind === 'delete') stayed[kind]++
  return kind === 'update'
}

function stayedLines({ create, delete: deleted }: Stayed): readonly string[] {
  const parts = [create > 0 ? `${create} created` : '', deleted > 0 ? `${deleted} deleted` : ''].filter(Boolean)
  return parts.length === 0 ? [] : [`Left unchanged because of --fields: ${parts.join(', ')}.`]
}

/** Records to be deleted that show neither a version nor a time of change. */
export interface Unseen {
  count: number
  /** Members that have values which the job did not write. */
  readonly names: Set<string>
}

const MOST_NAMED = 5

function addUnseen(unseen: Unseen, record: CrmRecord, written: JsonObject): void {
  unseen.count += 1
  for (const [name, value] of Object.entries(record)) {
    // An object may have members that the job wrote by the names of fields.
    const isOther = value !== null && value !== '' && !isJsonObject(value)
    if (isOther && !isReadOnly(name) && !Object.hasOwn(written, name)) unseen.names.add(name)
  }
}

function unseenLines({ count, names }: Unseen): readonly string[] {
  if (count === 0) return []
  const [records, show] = count === 1 ? ['1 record', 'shows'] : [`${count} records`, 'show']
  const others = [...names].slice(0, MOST_NAMED).join(', ')
  const values = names.size === 0 ? '' : `; values that the job did not write: ${others}`
  return [
    `${records} to delete ${show} neither a version nor a time of change, so that changes by others are not seen${values}.`,
  ]
}

/** A member that someone else changed since, with its three values. */
export interface Conflict {
  readonly field: string
  readonly was: JsonValue
  readonly wrote: JsonValue
  readonly now: JsonValue
}

export interface Restored {
  /** A merge patch that restores the old values; empty if there is nothing to restore. */
  readonly patch: JsonObject
  /** Members that someone else changed since; they stay unchanged. */
  readonly conflicts: readonly Conflict[]
}

/** Compares the old, the written and the current value. A member is reverted only if it still has the written value. */
export function restore(before: CrmRecord, written: JsonObject, now: CrmRecord): Restored {
  const patch: JsonObject = {}
  const conflicts: Conflict[] = []
  for (const [name, value] of Object.entries(written)) {
    const old = memberOf(before, name)
    if (changedSince(now, { [name]: value }).length > 0) {
      // Unless it already has the old value.
      if (!isSame(old, memberOf(now, name)))
        conflicts.push({ field: name, was: old, wrote: value, now: memberOf(now, name) })
    } else if (!isSame(old, memberOf(now, name))) {
      patch[name] = patchTo(memberOf(now, name), old)
    }
  }
  return { patch, conflicts }
}

/**
 * Members that someone changed in a record that a job created; none if the record may be deleted. `isRepeated`: the job itself sent
 * the values again, so that a version or a time of change shows no other's change.
 */
export function changesSince(written: JsonObject, now: CrmRecord, isRepeated = false): readonly Conflict[] {
  const sides = (field: string) => ({ field, was: null, wrote: memberOf(written, field), now: memberOf(now, field) })
  const changed = changedSince(now, written)
  if (changed.length > 0 || isRepeated) return changed.map(sides)
  // A version or a time of change also shows changes of other members.
  if (typeof now.version === 'number') return now.version === 1 ? [] : [sides('version')]
  const { created_at, updated_at } = now
  // Some servers state a time of change from the first change on.
  const isStated = updated_at !== undefined && updated_at !== null
  const isTouched = isStated && updated_at !== created_at && !isOneMoment(created_at, updated_at)
  return isTouched ? [sides('updated_at')] : []
}

/** The written members that have other values now; a value that the server only writes in another form counts as the same. */
function changedSince(now: CrmRecord, written: JsonObject): readonly string[] {
  const names = Object.keys(changedMembers(now, written))
  return names.filter((name) => !isAlike(memberOf(now, name), memberOf(written, name)))
}

/** Django and others ask the clock once for each of the two times of a new record. */
const MOST_APART_MS = 100

function isOneMoment(created: JsonValue | undefined, updated: JsonValue): boolean {
  if (typeof created !== 'string' || typeof updated !== 'string') return false
  return Math.abs(Date.parse(updated) - Date.parse(created)) <= MOST_APART_MS
}

/** Whether the record has a version or a time of change. */
function showsChanges({ version, updated_at }: CrmRecord): boolean {
  return typeof version === 'number' || (updated_at !== undefined && updated_at !== null)
}

/** The members of a deleted record that can be sent to create it again. */
export function writableOf(record: CrmRecord, rules: Pick<RowRules, 'isReadOnly' | 'isDropped'>): JsonObject {
  const isSet = (name: string) => isReadOnly(name) || rules.isReadOnly(name) || rules.isDropped(name)
  return Object.fromEntries(Object.entries(record).filter(([name, value]) => !isSet(name) && value !== null))
}

/** RFC 7396 merges objects, so members to remove must be named. */
function patchTo(now: JsonValue, wanted: JsonValue): JsonValue {
  if (!isJsonObject(now) || !isJsonObject(wanted)) return wanted
  const names = new Set([...Object.keys(now), ...Object.keys(wanted)])
  const patch: JsonObject = {}
  for (const name of names) {
    if (!isSame(memberOf(now, name), memberOf(wanted, name)))
      patch[name] = patchTo(memberOf(now, name), memberOf(wanted, name))
  }
  return patch
}

function isSame(one: JsonValue, other: JsonValue): boolean {
  return canonicalJson(one) === canonicalJson(other)
}
