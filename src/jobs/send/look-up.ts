import { changedMembers } from '../../core/changes.ts'
import { idText, isJsonObject, type JsonObject, parseExactJson } from '../../core/json.ts'
import { MADE_UNKNOWN } from '../../core/made-at.ts'
import type { CrmRecord } from '../../core/resources/registry.ts'
import { recordDigest } from '../plan/digest.ts'
import { matchKey } from '../plan/match-keys.ts'
import type { JobFile } from '../store/job-file.ts'
import { STATES } from '../store/progress.ts'
import { CreatedMatcher, type CreatedRecord } from './match-created.ts'
import type { Task } from './task-queue.ts'

/** What the records show about an operation with an unknown outcome. */
export type LookUpResult =
  | { readonly type: 'done'; readonly id: string | null }
  | { readonly type: 'absent' }
  | { readonly type: 'gone' }
  /** `isThere`: the record to change or delete exists, with neither its old nor its intended values. */
  | { readonly type: 'doubt'; readonly why: string; readonly isThere?: true }

export interface ListedRecords {
  /** All records, from the first page on. */
  list(): AsyncIterable<{ readonly items: readonly CrmRecord[] }>
  /** Those of these ids that belong to other operations. */
  claimed(ids: ReadonlySet<string>): ReadonlySet<string>
  /** Some records that this job created or changed: a list without any of them proves nothing. */
  recentRecords(): ReadonlySet<string>
  /** Whether an empty list proves absence without recentRecords: an unknown server may never list anything. */
  readonly isEmptyBelieved: boolean
  /**
   * Members by which planning found no record equal to a row with values there: an equal record that shows no creation time was
   * created since. Undefined: planning proves nothing.
   */
  readonly comparedBy: readonly string[] | undefined
}

/** One pass over the list, whatever the number of operations. */
export async function lookUp(records: ListedRecords, tasks: readonly Task[]): Promise<ReadonlyMap<Task, LookUpResult>> {
  const creates = tasks.filter(({ operation }) => operation.head.do === 'create')
  const changes = Map.groupBy(
    tasks.filter(({ operation }) => operation.head.do !== 'create'),
    ({ operation }) => operation.head.id,
  )
  const matcher = new CreatedMatcher(creates)
  const findings = new Map<Task, LookUpResult>()
  const list = new ListProof(creates.length > 0 ? records.recentRecords() : new Set())
  for await (const { items } of records.list()) {
    for (const record of items) {
      list.see(record)
      if (creates.length > 0) matcher.see(record)
      for (const task of changes.get(idText(record.id)) ?? []) findings.set(task, judgeRecord(task, record))
    }
  }
  judgeCreates(creates, matcher, records, findings)
  doubtUnnamed(creates, matcher, findings)
  await lookForPartly(
    records,
    creates.filter((task) => (findings.get(task)?.type ?? 'absent') === 'absent'),
    { matcher, findings },
  )
  list.doubtAbsent(creates, findings, records.isEmptyBelieved)
  for (const task of tasks) if (!findings.has(task)) findings.set(task, list.whyUnnamed(task) ?? withoutRecord(task))
  return findings
}

/** Decides whether absence from a list proves that a record does not exist. */
class ListProof {
  readonly #recentRecords: ReadonlySet<string>
  #isAnySeen = false
  #isAnyNamed = false
  #isAnyUnnamed = false
  #isRecentSeen = false

  constructor(recentRecords: ReadonlySet<string>) {
    this.#recentRecords = recentRecords
  }

  see({ id }: CrmRecord): void {
    const text = idText(id)
    this.#isAnySeen = true
    if (text === undefined) this.#isAnyUnnamed = true
    else this.#isAnyNamed = true
    this.#isRecentSeen ||= this.#recentRecords.has(text ?? '')
  }

  /** The record to change or delete may be one of those without an id. */
  whyUnnamed({ operation: { head } }: Task): LookUpResult | undefined {
    if (head.do === 'create' || !this.#isAnyUnnamed) return undefined
    return { type: 'doubt', why: `${head.id} may be among the records without an "id" in the list` }
  }

  /** A list that may hide created records leaves the absent ones in doubt. */
  doubtAbsent(tasks: readonly Task[], findings: Map<Task, LookUpResult>, isEmptyBelieved: boolean): void {
    const why = this.#whyNoProof(isEmptyBelieved)
    if (why === undefined) return
    for (const task of tasks) {
      if ((findings.get(task)?.type ?? 'absent') === 'absent') findings.set(task, { type: 'doubt', why })
    }
  }

  #whyNoProof(isEmptyBelieved: boolean): string | undefined {
    if (this.#isAnyUnnamed && !this.#isAnyNamed) return 'no record of the list has an "id"'
    const { size } = this.#recentRecords
    if (size > 0)
      return this.#isRecentSeen ? undefined : 'the list shows none of the last records that this job created'
    return this.#isAnySeen || isEmptyBelieved ? undefined : 'the list is empty, and may always be'
  }
}

function judgeRecord({ operation: { head, body } }: Task, record: CrmRecord): LookUpResult {
  const patch = body && (parseExactJson(body.toString('utf8')) as JsonObject)
  if (patch && Object.keys(changedMembers(record, patch)).length === 0) return { type: 'done', id: head.id ?? null }
  if (head.before === undefined || recordDigest(record) === head.before) return { type: 'absent' }
  const why = `${head.id} was changed since it was planned, and not to the values of this row`
  return { type: 'doubt', why, isThere: true }
}

interface Looked {
  readonly matcher: CreatedMatcher
  readonly findings: Map<Task, LookUpResult>
}

/**
 * A list may omit members that were sent. Then rows are compared by the members that it shows: no match proves that nothing
 * was made; a match does not prove that the record belongs to the row.
 */
async function lookForPartly(
  records: ListedRecords,
  absent: readonly Task[],
  { matcher, findings }: Looked,
): Promise<void> {
  const partly = absent.filter((task) => matcher.hiddenOf(task).length > 0)
  if (partly.length === 0) return
  const shown = new CreatedMatcher(partly, matcher)
  for await (const { items } of records.list()) for (const record of items) shown.see(record)
  const found = partly.map((task) => [task, [...shown.candidates(task), ...shown.near(task)]] as const)
  const claimed = records.claimed(new Set(found.flatMap(([, candidates]) => candidates.map(({ id }) => id))))
  for (const [task, candidates] of found) {
    const free = candidates.find(({ id }) => !claimed.has(id))
    const hidden = matcher.hiddenOf(task).join(', ')
    if (shown.isUnnamed(task)) findings.set(task, UNNAMED)
    else if (!shown.isCompared(task))
      findings.set(task, { type: 'doubt', why: `the list shows none of the members of this row` })
    else if (free)
      findings.set(task, { type: 'doubt', why: `${free.id} may be the record: the list does not show ${hidden}` })
  }
}

const UNNAMED: LookUpResult = { type: 'doubt', why: 'a record of the list agrees with this row and has no "id"' }

/** A record that agrees with the row and has no id is never proof of absence. */
function doubtUnnamed(creates: readonly Task[], matcher: CreatedMatcher, findings: Map<Task, LookUpResult>): void {
  for (const task of creates) {
    if ((findings.get(task)?.type ?? 'absent') === 'absent' && matcher.isUnnamed(task)) findings.set(task, UNNAMED)
  }
}

function withoutRecord({ operation: { head } }: Task): LookUpResult {
  if (head.do === 'create') return { type: 'absent' }
  return head.do === 'delete' ? { type: 'done', id: head.id ?? null } : { type: 'gone' }
}

/** Equal operations are interchangeable: each record counts for one of them, whichever created it. */
function judgeCreates(
  tasks: readonly Task[],
  matcher: CreatedMatcher,
  records: ListedRecords,
  findings: Map<Task, LookUpResult>,
): void {
  const ids = new Set(tasks.flatMap((task) => [...matcher.candidates(task), ...matcher.near(task)].map(({ id }) => id)))
  if (ids.size === 0) return
  const claimed = records.claimed(ids)
  const taken = new Set<string>()
  for (const alike of groupByDigest(tasks)) {
    const [first] = alike
    const free = first ? matcher.candidates(first).filter(({ id }) => !claimed.has(id) && !taken.has(id)) : []
    const isCompared = first !== undefined && wasCompared(first, records.comparedBy)
    for (const [index, task] of alike.entries())
      findings.set(task, judgeCandidates(free, { index, tasks: alike.length, isCompared }))
    for (const { id } of free) taken.add(id)
  }
  for (const task of tasks) {
    const near = matcher.near(task).find(({ id }) => !claimed.has(id) && !taken.has(id))
    if (near && findings.get(task)?.type === 'absent') findings.set(task, nearly(near))
  }
}

function wasCompared({ operation: { body } }: Task, names: readonly string[] | undefined): boolean {
  const sent = body && names ? parseExactJson(body.toString('utf8')) : undefined
  return names !== undefined && isJsonObject(sent) && matchKey(sent, names) !== undefined
}

interface Alike {
  readonly index: number
  readonly tasks: number
  readonly isCompared: boolean
}

function judgeCandidates(free: readonly CreatedRecord[], { index, tasks, isCompared }: Alike): LookUpResult {
  if (free.length > tasks) return { type: 'doubt', why: `${free.length} records are equal to this row` }
  const candidate = free[index]
  if (!candidate) return { type: 'absent' }
  if (candidate.isSince || isCompared) return { type: 'done', id: candidate.id }
  return {
    type: 'doubt',
    why: `${candidate.id} is equal to this row, and ${MADE_UNKNOWN}`,
  }
}

/** If it were sent again, it might exist twice. */
function nearly({ id }: CreatedRecord): LookUpResult {
  return {
    type: 'doubt',
    why: `${id} was created since, with the same email or name, and differs from this row`,
  }
}

function groupByDigest(tasks: readonly Task[]): Iterable<readonly Task[]> {
  return Map.groupBy(tasks, ({ operation }) => operation.head.digest).values()
}

/** Someone may have deleted a few of the last records, but hardly all of them. */
const MOST_RECENT = 20

/** The records of done operations; statuses of a deletion have none, and 0 is a result from the list. */
const MADE = `SELECT text ->> 'id' FROM result WHERE state = ${STATES.done} AND text ->> 'id' IS NOT NULL`

/** Those of these ids that are the result of a done operation. */
export function claimedIn(job: JobFile, ids: ReadonlySet<string>): ReadonlySet<string> {
  const rows = job.rows(`${MADE} AND text ->> 'id' IN (SELECT value FROM json_each(?))`, JSON.stringify([...ids]))
  return new Set(rows.map(([id]) => String(id)))
}

/** Some of the last records that the job created or changed: the account of the job has them. */
export function recentRecordsIn(job: JobFile): ReadonlySet<string> {
  const rows = job.rows(`${MADE} AND text ->> 'status' NOT IN (0, 204, 404, 410) ORDER BY op DESC LIMIT ${MOST_RECENT}`)
  return new Set(rows.map(([id]) => String(id)))
}

/** The ids of the last creates, at most so many, the first ones first. */
export function createdIdsIn(job: JobFile, most: number): readonly string[] {
  const rows = job.rows(`${MADE} AND text ->> 'status' = 201 ORDER BY op DESC LIMIT ?`, most)
  return rows.map(([id]) => String(id)).reverse()
}
