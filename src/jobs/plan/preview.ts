import { addDecimals, type Decimal, decimalJson, decimalOf, ZERO } from '../../core/decimal.ts'
import { isJsonObject, type JsonObject, type JsonValue, parseExactJson } from '../../core/json.ts'
import { jsonText } from '../../output/safe-text.ts'
import type { PlanFile } from './plan-file.ts'
import type { OperationHead, PlanHead, PlanOperation } from './plan-format.ts'

/** How many updates change a member from one value to another. */
export interface ValueChange {
  /** Null where the record has no value. */
  readonly was: JsonValue
  readonly now: JsonValue
  readonly count: number
}

export interface MemberPreview {
  readonly field: string
  /** The most frequent first. */
  readonly changes: readonly ValueChange[]
  /** Updates with other changes than these. */
  readonly others: number
  /** Of a number: the sum in the records that change, before and after, creates included; null for other members. */
  readonly sum: { readonly was: JsonValue; readonly now: JsonValue } | null
}

/** The members of one record that the plan writes, with their current and their planned values. */
export interface SampleChange {
  readonly do: 'create' | 'update' | 'delete'
  readonly id: string | null
  readonly line: number | null
  readonly was: JsonObject
  readonly now: JsonObject
}

export interface Preview {
  readonly members: readonly MemberPreview[]
  readonly samples: readonly SampleChange[]
  /** The names of records that values refer to, by field and id. */
  readonly names?: ReadonlyMap<string, string>
}

/** Different changes of one member that are counted. */
const MOST_CHANGES = 200
const MOST_SHOWN = 5
const MOST_MEMBERS = 100
const SAMPLES = 3
const MOST_NAMES = 1000
/** After so many updates without a repeated change, a member has a value of its own in each record. */
const GIVEN_UP_AFTER = 1000

interface Counts {
  readonly changes: Map<string, { was: JsonValue; now: JsonValue; count: number }>
  others: number
  sum: { was: Decimal; now: Decimal } | undefined
  hasNumber: boolean
}

interface Previewed extends Pick<OperationHead, 'id' | 'line'> {
  readonly do: OperationHead['do']
  readonly body?: JsonObject
  readonly before?: JsonObject
  /** What a new record is on. */
  readonly on?: JsonObject
}

/** Collects what a plan changes, as values; memory does not grow with the number of records. */
export class PreviewBuilder {
  readonly #members = new Map<string, Counts>()
  readonly #samples = new Map<string, SampleChange[]>()
  readonly #names = new Map<string, string>()

  /** What people call the record of an id. */
  name(field: string, id: string, name: string): void {
    if (this.#names.size < MOST_NAMES) this.#names.set(`${field} ${id}`, name)
  }

  add(planned: Previewed): void {
    const { do: kind, body = {}, before } = planned
    if (kind === 'fail') return
    this.#sample(kind, planned)
    for (const field of Object.keys(body)) {
      const counts = this.#countsOf(field)
      const [was, now] = [before?.[field] ?? null, body[field] ?? null]
      if (!counts) continue
      addToSum(counts, was, now)
      if (kind === 'update') addChange(counts, was, now)
    }
  }

  list(): Preview {
    const members = [...this.#members].map(([field, { changes, others, sum, hasNumber }]) => {
      const all = [...changes.values()].toSorted((one, other) => other.count - one.count)
      const shown = all.slice(0, MOST_SHOWN)
      const hidden = all.slice(MOST_SHOWN).reduce((count, each) => count + each.count, 0)
      const ends = sum && hasNumber ? { was: decimalJson(sum.was), now: decimalJson(sum.now) } : null
      return { field, changes: shown, others: others + hidden, sum: ends }
    })
    const samples = ['update', 'delete', 'create'].flatMap((kind) => this.#samples.get(kind) ?? [])
    return { members, samples: samples.slice(0, SAMPLES), names: this.#names }
  }

  #countsOf(field: string): Counts | undefined {
    const known = this.#members.get(field)
    if (known || this.#members.size >= MOST_MEMBERS) return known
    const counts: Counts = { changes: new Map(), others: 0, sum: { was: ZERO, now: ZERO }, hasNumber: false }
    this.#members.set(field, counts)
    return counts
  }

  #sample(kind: SampleChange['do'], { id, line, body = {}, before = {}, on }: Previewed): void {
    const samples = this.#samples.get(kind) ?? []
    if (samples.length >= SAMPLES) return
    const names = kind === 'delete' ? Object.keys(before).filter((name) => name !== 'id') : Object.keys(body)
    const was = Object.fromEntries(names.map((name) => [name, before[name] ?? null]))
    this.#samples.set(kind, [
      ...samples,
      { do: kind, id: id ?? null, line: line ?? null, was: kind === 'create' ? {} : was, now: { ...on, ...body } },
    ])
  }
}

function addChange(counts: Counts, was: JsonValue, now: JsonValue): void {
  const { changes } = counts
  if (changes.size >= MOST_CHANGES && counts.others >= GIVEN_UP_AFTER) {
    counts.others += 1
    return
  }
  const key = `${jsonText(was)}\n${jsonText(now)}`
  const change = changes.get(key)
  if (change) change.count += 1
  else if (changes.size < MOST_CHANGES) changes.set(key, { was, now, count: 1 })
  else counts.others += 1
}

/** A member with another value than a number, such as the text 0151, has no sum, nor has one without values. */
function addToSum(counts: Counts, was: JsonValue, now: JsonValue): void {
  if (!counts.sum) return
  const [before, after] = [amountOf(was), amountOf(now)]
  counts.hasNumber ||= was !== null || now !== null
  counts.sum = before && after && { was: addDecimals(counts.sum.was, before), now: addDecimals(counts.sum.now, after) }
}

function amountOf(value: JsonValue): Decimal | undefined {
  if (value === null) return ZERO
  return typeof value === 'string' ? undefined : decimalOf(value)
}

/** What an operation writes, as values. */
export interface OperationValues {
  readonly body: JsonObject | undefined
  /** As it was: the members of the body, or the whole record of a deletion; undefined if the plan does not have it. */
  readonly was: JsonObject | undefined
}

/** Parses the body, which takes seconds for a million operations. */
export function operationValues({ head: { was }, body }: Pick<PlanOperation, 'head' | 'body'>): OperationValues {
  return {
    body: body ? objectIn(body.toString('utf8')) : undefined,
    was: was === undefined ? undefined : objectIn(was),
  }
}

function objectIn(text: string): JsonObject | undefined {
  const value = parseExactJson(text)
  return isJsonObject(value) ? value : undefined
}

/** The members that a plan writes, and their values where it has those from before. */
export function contentsOfPlan(plan: PlanFile): { readonly fields: readonly FieldCount[]; readonly preview: Preview } {
  const [fields, preview] = [new FieldCounts(), new PreviewBuilder()]
  for (const operation of plan.all()) {
    const { head } = operation
    const { body, was } = operationValues(operation)
    if (body) fields.add(head.do, body)
    const isKnown = was !== undefined || head.do === 'create'
    if (isKnown) preview.add({ ...placeOf(operation), ...(body && { body }), ...(was && { before: was }) })
  }
  return { fields: fields.list(), preview: preview.list() }
}

function placeOf({ head: { do: kind, id, line } }: PlanOperation) {
  return { do: kind, ...(id !== undefined && { id }), ...(line !== undefined && { line }) }
}

/** That a create may change a record; undefined if it cannot. */
export function upsertText({ upsert, terms }: Pick<PlanHead, 'upsert' | 'terms'>): string | undefined {
  if (upsert !== undefined)
    return `Creates are upserts by ${upsert}: a record with the same ${upsert} is changed, and its current values are not known.`
  const [name, ...others] = terms?.match.mode === 'upsert' ? terms.match.names : []
  if (name === undefined || name === 'id' || others.length > 0) return undefined
  return `A create that the server refuses because a record has the same ${name} changes that record.`
}

/** The input chooses the member names, and could have a new one in every row. */
const MOST_FIELDS = 1000

/** The number of operations that write a member, by kind. */
export interface FieldCount {
  readonly field: string
  readonly create: number
  readonly update: number
  /** The number of updates that clear it. */
  readonly clear: number
}

/** Which members the operations of a plan write. */
export class FieldCounts {
  readonly #counts = new Map<string, { field: string; create: number; update: number; clear: number }>()

  add(kind: OperationHead['do'], body: JsonObject): void {
    if (kind === 'delete' || kind === 'fail') return
    for (const field of Object.keys(body)) {
      let count = this.#counts.get(field)
      if (!count) {
        if (this.#counts.size >= MOST_FIELDS) continue
        count = { field, create: 0, update: 0, clear: 0 }
        this.#counts.set(field, count)
      }
      count[kind] += 1
      if (kind === 'update' && body[field] === null) count.clear += 1
    }
  }

  /** Parses the body, which takes seconds for a million operations. */
  addFrom({ head, body }: PlanOperation): void {
    const parsed = body && parseExactJson(body.toString('utf8'))
    if (isJsonObject(parsed)) this.add(head.do, parsed)
  }

  /** The most written first. */
  list(): readonly FieldCount[] {
    return [...this.#counts.values()].toSorted((a, b) => b.create + b.update - a.create - a.update)
  }
}

/** Reads them from a plan. */
export function fieldsOfPlan(plan: { all(): Iterable<PlanOperation> }): readonly FieldCount[] {
  const fields = new FieldCounts()
  for (const operation of plan.all()) fields.addFrom(operation)
  return fields.list()
}
