import { hash } from 'node:crypto'
import { collectionPath, pathOfRecord } from '../../api/transport/call.ts'
import { canonicalJson, idText, type JsonObject } from '../../core/json.ts'
import { parentMember } from '../../core/resources/parents.ts'
import { type CrmRecord, RESOURCES, resourceOf } from '../../core/resources/registry.ts'
import type { InputRow, RefusedRow, RowPlace } from '../input/row.ts'
import { dealInput } from '../send/deal-mutations.ts'
import { HEADER_ROW } from '../store/job-file.ts'
import type { JobDraft } from '../store/job-folder.ts'
import { InputCopy, JobWriter } from '../store/job-writer.ts'
import { DigestCounter, recordDigest, requestDigest } from './digest.ts'
import { type LeftOut, LeftOutRows, leftOutEntry } from './left-out.ts'
import {
  type JobNoun,
  type JobTotals,
  type KnownFailure,
  METHODS,
  type OperationHead,
  type OperationKind,
  type PlanHead,
  type PlanOperation,
  present,
} from './plan-format.ts'
import { FieldCounts, PreviewBuilder } from './preview.ts'
import type { Scratch } from './scratch.ts'

const MOST_NAMED = 10

/** One more than are named, to detect that there are more. */
export const MOST_MATCHES = MOST_NAMED + 1

export interface Planned {
  readonly do: OperationKind
  /** Encoded, from `/v1` on. */
  readonly path: string
  readonly body?: JsonObject
  /** What a new record is on, as the preview shows it; the path has it, too. */
  readonly on?: JsonObject
  readonly id?: string
  readonly line?: number
  readonly at?: readonly [number, number]
  readonly also?: readonly RowPlace[]
  /** The number of equal operations before it, if it is known. */
  readonly n?: number
  /** The record before the operation; kept for undo and drift. */
  readonly before?: CrmRecord
  /** An update that restores the record, which is deleted. */
  readonly restores?: true
  /** The version that the write requires; null: none. Undefined: that of `before`, unless an operation before it changes the record. */
  readonly ifMatch?: string | null
  /** The operation of the plan that must be done before it. */
  readonly after?: number
  /** The id of the record that a migration read. */
  readonly source?: string
  /** Of a retry: the operation of the job that it retries. */
  readonly of?: number
}

/** A row that fails without a request. */
export interface PlannedFailure {
  readonly do: 'fail'
  readonly path: string
  readonly line?: number
  readonly at?: readonly [number, number]
  readonly source?: string
  readonly of?: number
  readonly failed: KnownFailure
}

/** The result of an equal operation in an earlier job of the run. */
export interface EarlierOperation {
  readonly state: 'done' | 'failed' | 'sent' | 'unsent'
  readonly gen: number
  /** When it was first leased, if it may have been sent. */
  readonly since: number | undefined
  /** Whether the response was a 2xx that does not show the record. */
  readonly isTaken?: boolean
  /** Of the created record. */
  readonly id?: string | undefined
}

interface BuilderParts {
  readonly files: Pick<JobDraft, 'db' | 'input'>
  readonly scratch: Scratch
}

/** Plans a job: adds its operations in order, and finishes its file with `end`. */
export class PlanBuilder {
  readonly counts = {
    rows: 0,
    create: 0,
    update: 0,
    delete: 0,
    fail: 0,
    rejected: 0,
    unguarded: 0,
    already: 0,
    unchanged: 0,
    skipped: 0,
  }
  readonly fields = new FieldCounts()
  readonly preview = new PreviewBuilder()
  readonly leftOut: LeftOutRows
  /** The first rows that fail; the plan has all of them. */
  readonly failing = new LeftOutRows()
  readonly #writer: JobWriter
  readonly #input: InputCopy
  readonly #digests: DigestCounter
  readonly #updates: PlanHead['updates']
  /** The records that an ordered plan changes, which is one of few: their versions after that are not known. */
  readonly #changed: Set<string> | undefined
  readonly #limit: number
  readonly #sample: Sample<Parameters<PlanBuilder['add']>> | undefined

  constructor({ files: { db, input }, scratch }: BuilderParts, head: PlanHead, part?: Part) {
    this.#limit = part && 'limit' in part ? part.limit : Number.POSITIVE_INFINITY
    this.#sample = part && 'sample' in part ? new Sample(part.sample) : undefined
    this.#updates = head.updates
    this.#changed = head.ordered && new Set()
    this.#writer = new JobWriter(db, head)
    this.leftOut = new LeftOutRows((text) => this.#writer.leaveOut(text))
    this.#input = new InputCopy(input)
    this.#writer.addInput(HEADER_ROW, this.#input.header(head.input))
    this.#digests = new DigestCounter(scratch.keys('digests'))
  }

  /** The number of operations so far, which is the place of the next one. */
  get next(): number {
    return this.#writer.count
  }

  /** `earlier` finds the result of an equal operation in earlier jobs; undefined: there are none. */
  add(planned: Planned, earlier?: (digest: string, n: number) => EarlierOperation | undefined): void {
    if (this.#sample) this.#sample.offer(`${planned.path} ${planned.line ?? ''}`, [planned, earlier])
    else if (this.#changes >= this.#limit) this.#leaveBeyond(1)
    else this.#add(planned, earlier)
  }

  #add(planned: Planned, earlier: Parameters<PlanBuilder['add']>[1]): void {
    refuseUnchangeable(this.#updates, planned)
    const body = planned.body && canonicalJson(planned.body)
    const before = planned.before && recordDigest(planned.before)
    const digest = requestDigest(METHODS[planned.do], planned.path, body ?? '', before)
    const n = planned.n ?? this.#digests.next(digest)
    const known = earlier?.(digest, n)
    if (known?.state === 'done') {
      this.skip([leftOutEntry('done_before', 'an equal row was done before', { line: planned.line, id: known.id })])
      this.counts.already += 1
      return
    }
    this.counts.rows += 1
    const { do: kind, path, id, line, also, restores, after, source, of } = planned
    const place = { do: kind, path, ...present({ id, line, also, before, restores, after, source, of }) }
    const head = { ...place, ...this.#guardOf(planned), digest, n, ...traces(known) }
    const image = planned.before && JSON.stringify(planned.before)
    this.#writer.add({ head, body }, image, this.#input.rowsOf(planned))
    this.counts[planned.do] += 1
    if (planned.body) this.fields.add(planned.do, planned.body)
    this.preview.add(planned)
  }

  /** What a change of a record is sent under: its version, or else the values that it replaces, which are read again. */
  #guardOf(planned: Planned): Pick<OperationHead, 'ifMatch' | 'was'> {
    const { do: kind, id, before, restores, ifMatch } = planned
    if (kind === 'create' || restores) return {}
    const isChanged = id !== undefined && this.#changed?.has(id) === true
    if (id !== undefined) this.#changed?.add(id)
    const isGuarded = kind === 'delete' || !this.#updates || this.#updates.members.includes('ifVersion')
    const version = ifMatch === undefined && isGuarded && !isChanged ? versionOf(before) : ifMatch
    if (version) return { ifMatch: version }
    this.counts.unguarded += 1
    return before === undefined || isChanged ? {} : { was: JSON.stringify(replacedBy(planned, before)) }
  }

  fail(planned: PlannedFailure): void {
    const { failed, line = null } = planned
    this.counts.rows += 1
    this.counts.fail += 1
    const { at, ...head } = planned
    this.#writer.add({ head: { ...head, digest: '', n: 0 }, body: undefined }, undefined, this.#input.rowsOf(planned))
    if (failed.code !== 'ambiguous_match') this.counts.rejected += 1
    else this.failing.add([{ line, id: null, ...failed, code: failed.code, was: null, wrote: null, now: null }])
  }

  /** A row with errors, which fails with all of them. */
  reject(path: string, { line, offset, length, findings }: RefusedRow): void {
    const [{ code, column } = { code: 'not_allowed', column: undefined } as const] = findings
    const reason = [...new Set(findings.map(reasonOf))].join('; ')
    this.fail({ do: 'fail', path, line, at: [offset, length], failed: { code, field: column ?? null, reason } })
  }

  leaveOut(why: 'unchanged' | 'skipped', rows = 1): void {
    this.counts.rows += rows
    this.counts[why] += rows
  }

  /** A row of a retry that would change nothing: its record has these values. `of`: the operation that failed. */
  settle({ line }: InputRow, of: number): void {
    this.leaveOut('unchanged')
    this.#writer.leaveOut(JSON.stringify({ line, of }))
  }

  /** A row that is skipped, and why: one line, or one for each member. */
  skip(lines: readonly LeftOut[]): void {
    this.leaveOut('skipped')
    this.leftOut.add(lines)
  }

  get #changes(): number {
    return this.counts.create + this.counts.update + this.counts.delete
  }

  /** Not listed: a million records may be beyond a limit. */
  #leaveBeyond(rows: number): void {
    if (rows === 0) return
    this.leaveOut('skipped', rows)
    this.leftOut.count('beyond_limit', rows)
  }

  /** The file is synced to disk when it returns. */
  end(): JobTotals {
    for (const change of this.#sample?.chosen() ?? []) this.#add(...change)
    this.#leaveBeyond(this.#sample?.others ?? 0)
    this.#input.close()
    const { rejected, unguarded, already, ...counts } = this.counts
    const more = {
      ...(rejected > 0 && { rejected }),
      ...(unguarded > 0 && { unguarded }),
      ...(already > 0 && { already }),
    }
    return this.#writer.end({ ...counts, ...more })
  }

  /** May be called more than once. */
  close(): void {
    this.#input.close()
    this.#writer.close()
  }
}

function reasonOf({ value, column, message }: RefusedRow['findings'][number]): string {
  const shown = value === undefined ? '' : `${JSON.stringify(value)}: `
  return `${column ? `${column}: ` : ''}${shown}${message}`
}

/** What can stand in If-Match (RFC 9110, 8.8.3). Records have a version only where the connector says which member it is. */
const VERSION = /^(?:W\/)?(?:"[\x21\x23-\x7e]+"|[\x21\x23-\x29\x2b-\x7e][\x21\x23-\x7e]*)$/

function versionOf(record: CrmRecord | undefined): string | undefined {
  const version = idText(record?.version)
  return version !== undefined && VERSION.test(version) ? version : undefined
}

/** Of a deletion all members, else those that it writes. */
export function replacedBy({ body }: { readonly body?: JsonObject | undefined }, record: CrmRecord): JsonObject {
  if (!body) return record
  return Object.fromEntries(Object.keys(body).map((name) => [name, record[name] ?? null]))
}

/** A refused operation had no effect, so it gets a new key; one that may have been sent keeps its key and its time. */
function traces(known: EarlierOperation | undefined): Pick<OperationHead, 'gen' | 'since' | 'taken'> {
  if (!known) return {}
  const gen = known.state === 'failed' ? known.gen + 1 : known.gen
  return {
    ...(gen === 0 ? {} : { gen }),
    ...(known.state === 'sent' && known.since !== undefined ? { since: known.since } : {}),
    ...(known.state === 'sent' && known.isTaken ? { taken: true } : {}),
  }
}

/** CrmError `usage` for a member that the server cannot change, before every row would fail. */
function refuseUnchangeable(updates: PlanHead['updates'], { do: kind, id, body }: Planned): void {
  if (updates && kind === 'update' && id !== undefined && body) dealInput(updates.members, id, body)
}

interface Ambiguity {
  readonly names: readonly string[]
  readonly ids: readonly string[]
}

/** The operation that creates the record of a row. */
export function createOf(noun: JobNoun, row: InputRow): Planned {
  const { parent, fields: body } = row
  const on = parent && { [parentMember(parent.of)]: parent.id }
  return { do: 'create', path: collectionPath(resourceOf(noun), parent), body, ...(on && { on }), ...placeOf(row) }
}

export function updateOf(noun: JobNoun, row: InputRow, id: string, fields: JsonObject): Planned {
  return { do: 'update', path: pathOfRecord(resourceOf(noun), id), id, body: fields, ...placeOf(row) }
}

export function deleteOf(noun: JobNoun, row: InputRow, { id, record }: { id: string; record: CrmRecord }): Planned {
  return { do: 'delete', path: pathOfRecord(resourceOf(noun), id), id, before: record, ...placeOf(row) }
}

/** The failure of a row with several matches: a person has to choose the record. */
export function ambiguousOf(noun: JobNoun, row: InputRow, { names, ids }: Ambiguity): PlannedFailure {
  const [field, shown] = [names.join(', '), ids.slice(0, MOST_NAMED)]
  const [count, more] = ids.length > shown.length ? [`more than ${MOST_NAMED}`, ', …'] : [String(ids.length), '']
  const reason = `it matched ${count} ${noun} by ${field}: ${shown.join(', ')}${more}`
  return {
    do: 'fail',
    path: RESOURCES[resourceOf(noun)].path,
    ...placeOf(row),
    failed: { code: 'ambiguous_match', field, reason },
  }
}

function placeOf({ line, offset, length, also }: InputRow): Pick<Planned, 'line' | 'at' | 'also'> {
  return { line, at: [offset, length], ...(also && { also }) }
}

/** `--limit` or `--sample`: how many of the changes are planned. */
export type Part = { readonly limit: number } | { readonly sample: number } | undefined

interface Candidate<Change> {
  /** Of the record alone, so that a dry run and the run choose the same ones. */
  readonly rank: string
  readonly order: number
  readonly change: Change
}

/** The records of a sample: those with the lowest hashes. Memory grows with the size of the sample alone. */
export class Sample<Change> {
  readonly #size: number
  /** By rank. */
  readonly #kept: Candidate<Change>[] = []
  #offered = 0

  constructor(size: number) {
    this.#size = size
  }

  /** `name`: of the record. */
  offer(name: string, change: Change): void {
    const rank = hash('sha256', name)
    const order = this.#offered++
    const last = this.#kept.at(-1)
    if (last && this.#kept.length >= this.#size && rank >= last.rank) return
    const at = this.#placeOf(rank)
    this.#kept.splice(at, 0, { rank, order, change })
    if (this.#kept.length > this.#size) this.#kept.pop()
  }

  /** In the order in which they were offered. */
  chosen(): readonly Change[] {
    return this.#kept.toSorted((one, other) => one.order - other.order).map(({ change }) => change)
  }

  /** The number of changes that are left out. */
  get others(): number {
    return this.#offered - this.#kept.length
  }

  #placeOf(rank: string): number {
    let [low, high] = [0, this.#kept.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.#kept[middle]?.rank ?? '') < rank) low = middle + 1
      else high = middle
    }
    return low
  }
}

/** Adds operations of another plan to a new one, where they wait for each other as in the other plan. */
export class MovedOperations {
  readonly #places = new Map<number, number>()
  readonly #builder: Pick<PlanBuilder, 'add' | 'next'>
  readonly #isReverse: boolean

  /** `isReverse`: the last operation comes first, and what waited for another is done before it. */
  constructor(builder: Pick<PlanBuilder, 'add' | 'next'>, isReverse = false) {
    this.#builder = builder
    this.#isReverse = isReverse
  }

  add({ op, head: { after } }: PlanOperation, ...[planned, earlier]: Parameters<PlanBuilder['add']>): void {
    const [waits, noted] = this.#isReverse ? [op, after] : [after, op]
    const first = waits === undefined ? undefined : this.#places.get(waits)
    const place = this.#builder.next
    this.#builder.add({ ...planned, ...(first !== undefined && { after: first }) } satisfies Planned, earlier)
    // An operation that was done before is not in the plan.
    if (noted !== undefined && this.#builder.next > place) this.#places.set(noted, place)
  }
}
