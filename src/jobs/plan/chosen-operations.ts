import { hash } from 'node:crypto'
import { CrmError } from '../../core/errors.ts'
import type { CrmRecord } from '../../core/resources/registry.ts'
import type { Selected } from '../../core/undo-part.ts'
import type { Where } from '../../expr/expressions.ts'
import type { StoredResults } from '../history/job-results.ts'
import type { RenewedIds } from '../history/merges.ts'
import type { JobFile } from '../store/job-file.ts'
import type { Existing } from './existing.ts'
import type { SelectionRequest } from './make-selection.ts'
import type { PlanOperation } from './plan-format.ts'

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
export function idsOf(
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
