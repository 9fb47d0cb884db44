import { hash } from 'node:crypto'
import type { KeyReader } from '../../api/keyed-reads.ts'
import { parentOfPath } from '../../api/transport/call.ts'
import { CrmError } from '../../core/errors.ts'
import { idText, isSameJson, type JsonValue, parseExactJson } from '../../core/json.ts'
import { RATE_SHARE } from '../../core/rate-share.ts'
import { type ParentRecord, parentIn } from '../../core/resources/parents.ts'
import { type CrmRecord, resourceOf } from '../../core/resources/registry.ts'
import { isPart, partText, type Selected, type UndoPart } from '../../core/undo-part.ts'
import type { Where } from '../../expr/expressions.ts'
import { type EarlierJob, startedMeanwhile, undosInEffect, withUndos } from '../history/earlier-jobs.ts'
import { allHeads, allJobs } from '../history/find-jobs.ts'
import { unendedHint } from '../history/job-errors.ts'
import type { StoredResults } from '../history/job-results.ts'
import { type JobState, readJobState } from '../history/job-state.ts'
import type { RenewedIds } from '../history/merges.ts'
import type { JobFile } from '../store/job-file.ts'
import type { JobPaths } from '../store/job-folder.ts'
import { headOf, withJob } from '../store/open-job.ts'
import { Existing, keyReaderFor } from './existing.ts'
import type { SelectionRequest } from './make-selection.ts'
import { byId } from './match-keys.ts'
import type { PlanOperation } from './plan-format.ts'
import type { PlanningContext } from './planning.ts'
import type { Scratch } from './scratch.ts'

export interface EarlierUndos {
  /** Of an undo of this part: another one after each that was undone itself, since the keys of its requests are used. */
  readonly run: string
  /** The undo that is resumed, or is done. */
  readonly held: JobState | undefined
  /** Those of the same part that were cancelled, with their undos. */
  readonly before: readonly EarlierJob[]
  /** Those of other parts, and those of this part that were undone, with their undos. */
  readonly others: readonly EarlierJob[]
  /** Those that have sent nothing. */
  readonly planned: readonly JobPaths[]
  /** CrmError `conflict` for an undo of the job that another process has made since. */
  readonly refuseNewer: () => void
}

/** CrmError `conflict` if an undo of another part has not ended. */
export async function earlierUndos(
  { jobsFolder, command }: PlanningContext,
  id: string,
  part: UndoPart,
): Promise<EarlierUndos> {
  const own = undosOf(jobsFolder, id)
  const planned: JobPaths[] = []
  const undone = await undosInEffect(jobsFolder)
  let [run, undos] = [undoRun(id, part), 0]
  for (const each of own) {
    const job = await readJobState(each)
    if (job.state === 'planned') planned.push(each)
    if (job.state === 'cancelled' || job.state === 'planned' || hasNoEffect(job)) continue
    if (job.state !== 'finished' && job.head.run !== run) throw unfinishedUndo(job, command)
    if (!takesBack(job.head, part)) continue
    if (!undone.has(each.id)) return { held: job, run, before: [], others: [], planned, refuseNewer: () => {} }
    undos += 1
    run = `${undoRun(id, part)}.${undos}`
  }
  const ofRun = (isSame: boolean): readonly JobPaths[] => own.filter((each) => (headOf(each).run === run) === isSame)
  const [before, others] = await Promise.all(
    [true, false].map((isSame) => withUndos(jobsFolder, ofRun(isSame), command)),
  )
  const known = new Set(own.map((each) => each.id))
  const refuseNewer = () => {
    const newer = undosOf(jobsFolder, id).find((each) => !known.has(each.id))
    if (newer) throw startedMeanwhile(newer.id)
  }
  return { held: undefined, run, before: before ?? [], others: others ?? [], planned, refuseNewer }
}

function undosOf(jobsFolder: string, id: string): readonly JobPaths[] {
  return allJobs(jobsFolder).filter((each) => {
    const { kind, of } = headOf(each)
    return kind === 'undo' && of === id
  })
}

/** Every record had changed since: they may be as the job left them by now. */
function hasNoEffect({ state, account: { done, in_doubt } }: JobState): boolean {
  return state === 'finished' && done + in_doubt === 0
}

/** Undos of different parts of one job are different runs, so that the keys of one do not answer for another. */
function undoRun(id: string, part: UndoPart): string {
  const { only, selected } = part
  if (!isPart(part)) return `undo.${id}`
  const text = selected ? JSON.stringify([only ?? null, selected]) : only?.join()
  return `undo.${id}.${hash('sha256', text ?? '', 'base64url').slice(0, 22)}`
}

/** Whether the undo of `done` has reverted all of `asked`. */
function takesBack(done: UndoPart, asked: UndoPart): boolean {
  const hasRows = !done.selected || isSameJson(done.selected as JsonValue, (asked.selected ?? null) as JsonValue)
  return hasRows && (done.only === undefined || (asked.only?.every((name) => done.only?.includes(name)) ?? false))
}

function unfinishedUndo(job: JobState, command: readonly string[]): CrmError {
  const { head } = job
  const { id } = job.paths
  const part = partText(head)
  const what = part === undefined ? head.of : `${part} of ${head.of}`
  return new CrmError('conflict', `${id}, which undoes ${what}, has not ended`, {
    hint: unendedHint(job, command),
    job: id,
    ...(job.sentBy !== undefined && { isBusy: true }),
  })
}

/** Which operations of a job an undo reverts. `rows` is a list such as `2-200,305`, of lines of the input. */
export type UndoSelection =
  | { readonly where: string; readonly keepAll: Where['keepAll']; readonly check: SelectionRequest['check'] }
  | { readonly rows: string }
  | { readonly ids: readonly string[] }

/** The selection as the head of the undo stores it; equal selections are stored alike. CrmError `usage` for invalid line numbers. */
export function selectedBy(selection: UndoSelection): Selected {
  if ('where' in selection) return { where: selection.where }
  if ('rows' in selection) return { rows: rangesText(rangesIn(selection.rows)) }
  const ids = [...new Set(selection.ids)].toSorted()
  return { ids: ids.length, sha256: hash('sha256', ids.join('\n')) }
}

/** The job whose operations are chosen. */
export interface ChosenOf {
  readonly plan: JobFile
  readonly results: StoredResults
  /** The current ids of its records, after earlier undos. */
  readonly idNow: RenewedIds
}

/** One byte for each operation of a job. */
export class ChosenOperations {
  readonly #chosen: Uint8Array
  count = 0

  constructor(operations: number) {
    this.#chosen = new Uint8Array(operations)
  }

  add(op: number): void {
    if (this.#chosen[op] === 0) this.count += 1
    this.#chosen[op] = 1
  }

  has(op: number): boolean {
    return this.#chosen[op] === 1
  }
}

/** All operations if `chosen` is undefined. */
export function* chosenIn(
  plan: JobFile,
  chosen: ChosenOperations | undefined,
): Generator<PlanOperation, void, undefined> {
  for (const operation of plan.all()) if (chosen?.has(operation.op) !== false) yield operation
}

/** Undefined for an expression, which needs the records. CrmError `usage` for a line or an id that does not occur in the job. */
export function chosenByPlan(selection: UndoSelection, of: ChosenOf): ChosenOperations | undefined {
  if ('rows' in selection) return chosenByLines(rangesIn(selection.rows), of)
  return 'ids' in selection ? chosenByIds(selection.ids, of) : undefined
}

/** Evaluates the expression on the current records, and on deleted ones as they were before the job. */
export async function chosenByRecords(
  { keepAll, check }: Extract<UndoSelection, { readonly where: string }>,
  of: ChosenOf,
  now: Existing | undefined,
): Promise<ChosenOperations> {
  const chosen = new ChosenOperations(of.plan.count)
  for (const page of of.plan.operations()) {
    const records = new Map<CrmRecord, number>()
    for (const operation of page) {
      const [match] = now?.find(idsOf(operation, of)[0]) ?? []
      const record = match?.record ?? of.plan.before(operation.op)
      if (record) records.set(record, operation.op)
    }
    const all = [...records.keys()]
    check.see(all)
    for (const record of await keepAll(all)) chosen.add(records.get(record) ?? -1)
  }
  await check.judge()
  return chosen
}

/** All ids that the record of an operation has had; the current one comes first. */
function idsOf(
  { op, head }: Pick<PlanOperation, 'op' | 'head'>,
  { results, idNow }: Omit<ChosenOf, 'plan'>,
): readonly string[] {
  const own = [head.do === 'create' ? results.of(op).id : null, head.id].filter((id) => id !== null && id !== undefined)
  const [first] = own
  const now = first === undefined ? undefined : idNow(first)
  return now === undefined ? own : [now, ...own]
}

function chosenByIds(ids: readonly string[], of: ChosenOf): ChosenOperations {
  const wanted = new Set(ids)
  const missing = new Set(ids)
  const chosen = new ChosenOperations(of.plan.count)
  for (const operation of of.plan.all()) {
    const own = idsOf(operation, of).filter((id) => wanted.has(id))
    if (own.length > 0) chosen.add(operation.op)
    for (const id of own) missing.delete(id)
  }
  const [first] = missing
  if (first === undefined) return chosen
  const more = missing.size > 1 ? `, nor ${missing.size - 1} more` : ''
  throw wrongPart(of.plan.id, `--ids: ${of.plan.id} did not touch ${JSON.stringify(first)}${more}`)
}

type Range = readonly [from: number, to: number]

function chosenByLines(ranges: readonly Range[], of: ChosenOf): ChosenOperations {
  const chosen = new ChosenOperations(of.plan.count)
  const found = new Set<Range>()
  let [first, last] = [Number.POSITIVE_INFINITY, 0]
  for (const { op, head } of of.plan.all()) {
    const lines = [head.line, ...(head.also ?? []).map(([line]) => line)].filter((line) => line !== undefined)
    for (const line of lines) {
      const own = ranges.filter(([from, to]) => from <= line && line <= to)
      if (own.length > 0) chosen.add(op)
      for (const range of own) found.add(range)
      first = Math.min(first, line)
      last = Math.max(last, line)
    }
  }
  const wrong = ranges.find((range) => !found.has(range))
  if (!wrong) return chosen
  const has = last === 0 ? 'its operations have no lines' : `they are from ${first} to ${last}`
  const what = wrong[0] === wrong[1] ? `line ${wrong[0]} is` : `lines ${rangesText([wrong])} are`
  throw wrongPart(of.plan.id, `--rows: ${what} none of the changes of ${of.plan.id}; ${has}`)
}

function wrongPart(job: string, message: string): CrmError {
  return new CrmError('usage', `${message}; nothing was sent`, { hint: `crm jobs show ${job}`, job })
}

function rangesIn(text: string): readonly Range[] {
  return text.split(',').map((part) => {
    const [, from, to = from] = /^\s*([1-9]\d{0,14})\s*(?:-\s*([1-9]\d{0,14})\s*)?$/.exec(part) ?? []
    const range = [Number(from), Number(to)] as const
    if (from !== undefined && range[0] <= range[1]) return range
    throw new CrmError('usage', `--rows: ${JSON.stringify(part)} names no lines of the input`, {
      hint: 'name lines and ranges, comma separated: --rows 2-200,305',
    })
  })
}

/** Sorted, with adjacent ranges joined. */
function rangesText(ranges: readonly Range[]): string {
  const joined: [number, number][] = []
  for (const [from, to] of ranges.toSorted(([one], [other]) => one - other)) {
    const last = joined.at(-1)
    if (last && from <= last[1] + 1) last[1] = Math.max(last[1], to)
    else joined.push([from, to])
  }
  return joined.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`)).join(',')
}

/** A request that was in progress when the job ended may still arrive; until then the records do not show its outcome. */
async function awaitQuiet({ nowMs, sleep, note }: PlanningContext, { progress }: StoredResults): Promise<void> {
  const { counts, unanswered, lastMs = 0, lastOpen } = progress
  if (counts.doubt + unanswered === 0) return
  const waitMs = lastMs + (lastOpen?.life ?? 0) - nowMs()
  if (waitMs <= 0) return
  note(`Earlier requests may still be in progress; rows in doubt are checked in ${Math.ceil(waitMs / 1000)} s.`)
  await sleep(waitMs)
}

interface NowParts {
  readonly plan: JobFile
  readonly results: StoredResults
  readonly scratch: Scratch
  /** The ids that earlier undos left of its records. */
  readonly idNow: RenewedIds
  /** Undefined: all. */
  readonly chosen: ChosenOperations | undefined
}

/** Undefined if nothing can be reverted. */
export async function readNow(context: PlanningContext, parts: NowParts): Promise<Existing | undefined> {
  const { head, end } = parts.plan
  const resource = resourceOf(head.noun)
  const canDelete = end.create + end.delete > 0 && context.offers(resource, 'delete')
  if (!canDelete && !context.offers(resource, 'update') && head.updates === undefined) return undefined
  if (end.update + end.delete > 0) await awaitQuiet(context, parts.results)
  const pages = await pagesNow(context, parts)
  return Existing.read({ scratch: parts.scratch, pages, keyOf: byId, onRead: context.onRead })
}

/** More images of one record are not looked at. */
const MOST_IMAGES = 100

/** The records as later jobs read them before they changed or deleted them. */
export function imagesSince(
  { jobsFolder, account }: PlanningContext,
  { head: { job, noun } }: JobFile,
  scratch: Scratch,
) {
  const read = () => {
    const images = new Existing(scratch, ({ id }) => [idText(id) ?? ''], 'images')
    for (const { paths, head } of allHeads(jobsFolder)) {
      if (head.job <= job || head.noun !== noun || head.account !== account) continue
      withJob(paths, (plan) => {
        for (const text of plan.befores()) images.add([parseExactJson(text) as CrmRecord])
      })
    }
    return images
  }
  let images: Existing | undefined
  return (id: string) => {
    images ??= read()
    return images.find(id, MOST_IMAGES)
  }
}

/** By their ids where the server can be asked so, else the whole list. */
async function pagesNow(context: PlanningContext, parts: NowParts): Promise<AsyncIterable<Page>> {
  const { noun } = parts.plan.head
  const resource = resourceOf(noun)
  if (resource === 'note') return context.listParts(parentsOf(context, parts.plan))
  const reader = await keyReaderFor(context, noun, ['id'])
  return reader ? pagesById(reader, parts, context.signal) : context.list(noun)
}

async function* pagesById(reader: KeyReader, parts: NowParts, signal: AbortSignal): AsyncGenerator<Page> {
  let ids: string[] = []
  const page = async () => ({ items: await reader.read(ids, { signal, rateShare: RATE_SHARE }) })
  for (const operation of chosenIn(parts.plan, parts.chosen)) {
    // A record that an undo created again has another id than the plan names.
    const [id] = idsOf(operation, parts)
    if (id !== undefined) ids.push(id)
    if (ids.length < reader.size) continue
    yield await page()
    ids = []
  }
  if (ids.length > 0) yield await page()
}

interface Page {
  readonly items: readonly CrmRecord[]
}

/** The deals that a job created and that have notes, which a deletion would take with it. A server without notes has none. */
export async function dealsWithNotes(
  context: PlanningContext,
  plan: JobFile,
  results: StoredResults,
  chosen: ChosenOperations | undefined,
): Promise<ReadonlySet<string>> {
  const ids = new Set<string>()
  if (plan.head.noun !== 'deals') return ids
  for (const { op, head } of chosenIn(plan, chosen)) {
    const id = head.do === 'create' && results.progress.endOf(op) === 'done' ? results.of(op).id : null
    if (id !== null) ids.add(id)
  }
  const found = new Set<string>()
  try {
    for await (const { items } of context.listParts([...ids].map((id) => ({ of: 'deal', id })))) {
      for (const note of items) found.add(idText(note.deal_id) ?? '')
    }
  } catch (error) {
    if (!(error instanceof CrmError) || error.code !== 'not_supported') throw error
  }
  return found
}

/** The records whose notes a job created or deleted. */
function parentsOf({ parents }: PlanningContext, plan: JobFile): Iterable<ParentRecord> {
  const all = new Map<string, ParentRecord>()
  for (const { op, head } of plan.all()) {
    const image = head.do === 'delete' ? plan.before(op) : undefined
    const parent = image ? parentIn(image, parents) : parentOfPath('note', head.path)
    if (parent) all.set(`${parent.of} ${parent.id}`, parent)
  }
  return all.values()
}
