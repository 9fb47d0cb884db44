import { isListUnreadable } from '../../api/pages/page-errors.ts'
import { changedMembers } from '../../core/changes.ts'
import { durationText } from '../../core/duration.ts'
import { idText, isJsonObject, type JsonObject, type JsonValue, parseExactJson } from '../../core/json.ts'
import { isMadeSince, MADE_UNKNOWN } from '../../core/record-time.ts'
import { type CrmRecord, isListed, resourceOf } from '../../core/resources/registry.ts'
import { recordDigest } from '../plan/digest.ts'
import { matchKey, membersText, naturalNames } from '../plan/match-keys.ts'
import type { JobFile } from '../store/job-file.ts'
import { STATES } from '../store/progress.ts'
import { type GoneAs, TAKEN } from './send-outcome.ts'
import type { SendingJob, Unsettled } from './services.ts'
import type { Task } from './tasks.ts'

/** A list may lag behind the writes; absent records are looked up again after this time. */
const SETTLE_MS = 2000

/**
 * Ends operations whose outcome only the records show: done or in doubt. Returns those that were proved absent, under a new
 * lease and a new generation; undefined if it was interrupted, and then they are unchanged.
 */
export async function resolveInDoubt(
  sending: SendingJob,
  unsettled: readonly Unsettled[],
  whyNoMore: string | undefined,
): Promise<readonly Task[] | undefined> {
  const { plan, journal, terms, services, clock, hooks } = sending
  if (!isReadable(sending)) {
    for (const { task, why } of unsettled)
      endInDoubt(sending, task, `${why}, and ${plan.head.noun} cannot be read back`)
    journal.sync()
    return []
  }
  const sleep = async (ms: number) => {
    await services.sleep(ms, services.signal)
    return !services.signal.aborted
  }
  const tasks = unsettled.map(({ task }) => task)
  // A request that is still in progress would create a record that was just proved absent.
  const waitMs = Math.max(0, ...unsettled.map((one) => quietMs(sending, one)))
  if (waitMs > 0) {
    const why = `earlier requests may still take effect, up to ${durationText(terms.lifeMs)} after they were sent`
    hooks.onPause({ why, untilMs: clock.nowMs() + waitMs })
  }
  if (waitMs > 0 && !(await sleep(waitMs))) return undefined
  const first = await look(sending, tasks)
  const absent = tasks.filter((task) => first.get(task)?.type === 'absent')
  // Written before the second lookup, so that an adopted record is not matched to another, equal row.
  const goneAs = new Map(unsettled.map((one) => [one.task, one.goneAs]))
  const keepOne = (task: Task, finding: LookUpResult) =>
    keep(sending, task, finding, { goneAs: goneAs.get(task), whyNoMore })
  for (const [task, finding] of first) if (finding.type !== 'absent') keepOne(task, finding)
  if (absent.length > 0 && !(await sleep(SETTLE_MS))) return undefined
  const second = absent.length > 0 ? await look(sending, absent) : new Map<Task, LookUpResult>()
  const raised: Task[] = []
  for (const [task, finding] of second) if (keepOne(task, finding)) raised.push(task)
  journal.sync()
  return raised
}

/** Not so for notes, and on servers without a list. */
function isReadable({ plan, services }: SendingJob): boolean {
  const resource = resourceOf(plan.head.noun)
  return isListed(resource) && services.offers(resource, 'list')
}

/** All are in doubt when the list cannot be read to its end. */
async function look(sending: SendingJob, tasks: readonly Task[]): Promise<ReadonlyMap<Task, LookUpResult>> {
  try {
    return await lookUp(sending, tasks)
  } catch (error) {
    if (!isListUnreadable(error)) throw error
    const why = `it cannot be looked up: ${error.message}`
    return new Map(tasks.map((task) => [task, { type: 'doubt', why }]))
  }
}

/** The time until no request of the operation can still be in progress. */
function quietMs({ terms, startedMs, services, clock }: SendingJob, { task, isAnswered }: Unsettled): number {
  if (isAnswered) return 0
  const { lifeMs } = terms
  const nowMs = services.clocks.steadyMs()
  const hereMs = task.lastSentMs === undefined ? 0 : task.lastSentMs + lifeMs - nowMs
  if (!task.isResumed) return hereMs
  // The earlier process may have sent until the end of the window that it assumed.
  const beforeMs = Math.min(startedMs + lifeMs - nowMs, task.windowEndMs - clock.nowMs())
  return Math.max(hereMs, beforeMs)
}

interface Ends {
  readonly goneAs: GoneAs | undefined
  /** The reason not to send an absent record again; undefined when it is sent. */
  readonly whyNoMore: string | undefined
}

function keep(sending: SendingJob, task: Task, finding: LookUpResult, { goneAs, whyNoMore }: Ends): boolean {
  const { journal, leases } = sending
  const { op } = task.operation
  if (goneAs && isThere(finding)) {
    journal.append(goneAs.ifThere)
    return false
  }
  switch (finding.type) {
    case 'done':
      journal.addResult(goneAs?.ifGone ?? [op, 0, finding.id, 'a'])
      return false
    case 'gone':
      journal.append({ t: 'failed', op, status: null, code: 'not_found', field: null, reason: GONE, request: null })
      return false
    case 'doubt':
      endInDoubt(sending, task, finding.why)
      return false
    case 'absent': {
      const why = task.isTaken ? `it is not there, and ${TAKEN}` : whyNoMore
      if (why !== undefined) {
        endInDoubt(sending, task, why)
        return false
      }
      leases.renew(task, true)
      task.isInDoubt = false
      task.isResumed = false
      task.tries = 0
      return true
    }
  }
}

/** Whether the record to delete still exists. */
function isThere(finding: LookUpResult): boolean {
  return finding.type === 'absent' || (finding.type === 'doubt' && finding.isThere === true)
}

const GONE = 'the record no longer exists'

function endInDoubt({ journal }: SendingJob, { operation: { op } }: Task, why: string): void {
  journal.append({ t: 'doubt', op, why })
}

/** What the records show about an operation with an unknown outcome. */
type LookUpResult =
  | { readonly type: 'done'; readonly id: string | null }
  | { readonly type: 'absent' }
  | { readonly type: 'gone' }
  /** `isThere`: the record to change or delete exists, with neither its old nor its intended values. */
  | { readonly type: 'doubt'; readonly why: string; readonly isThere?: true }

type Looking = Pick<SendingJob, 'plan' | 'services' | 'terms'>

/** One pass over the list, whatever the number of operations. */
async function lookUp(sending: Looking, tasks: readonly Task[]): Promise<ReadonlyMap<Task, LookUpResult>> {
  const creates = tasks.filter(({ operation }) => operation.head.do === 'create')
  const changes = Map.groupBy(
    tasks.filter(({ operation }) => operation.head.do !== 'create'),
    ({ operation }) => operation.head.id,
  )
  const matcher = new CreatedMatcher(creates, sending.plan.head.compared)
  const findings = new Map<Task, LookUpResult>()
  const list = new ListProof(creates.length > 0 ? recentRecordsIn(sending.plan) : new Set())
  for await (const { items } of listOf(sending)) {
    for (const record of items) {
      list.see(record)
      if (creates.length > 0) matcher.see(record)
      for (const task of changes.get(idText(record.id)) ?? []) findings.set(task, judgeRecord(task, record))
    }
  }
  judgeCreates(sending.plan, creates, { matcher, findings })
  await lookForPartly(
    sending,
    creates.filter((task) => isAbsent(findings, task)),
    { matcher, findings },
  )
  list.doubtAbsent(creates, findings, sending.terms.keys.isKept)
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

  /** A list that may hide created records leaves the absent ones in doubt. An unknown server may never list anything. */
  doubtAbsent(tasks: readonly Task[], findings: Map<Task, LookUpResult>, isEmptyBelieved: boolean): void {
    const why = this.#whyNoProof(isEmptyBelieved)
    if (why === undefined) return
    for (const task of tasks) if (isAbsent(findings, task)) findings.set(task, { type: 'doubt', why })
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

function listOf({ plan, services }: Looking): AsyncIterable<{ readonly items: readonly CrmRecord[] }> {
  return services.list(plan.head.noun)
}

function isAbsent(findings: ReadonlyMap<Task, LookUpResult>, task: Task): boolean {
  return (findings.get(task)?.type ?? 'absent') === 'absent'
}

interface Looked {
  readonly matcher: CreatedMatcher
  readonly findings: Map<Task, LookUpResult>
}

/**
 * A list may omit members that were sent. Then rows are compared by the members that it shows: no match proves that nothing
 * was made; a match does not prove that the record belongs to the row.
 */
async function lookForPartly(sending: Looking, absent: readonly Task[], { matcher, findings }: Looked): Promise<void> {
  const partly = absent.filter((task) => matcher.hiddenOf(task).length > 0)
  if (partly.length === 0) return
  const shown = new CreatedMatcher(partly, sending.plan.head.compared, matcher)
  for await (const { items } of listOf(sending)) for (const record of items) shown.see(record)
  const found = partly.map((task) => [task, [...shown.candidates(task), ...shown.near(task)]] as const)
  const claimed = claimedIn(sending.plan, new Set(found.flatMap(([, candidates]) => candidates.map(({ id }) => id))))
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

function withoutRecord({ operation: { head } }: Task): LookUpResult {
  if (head.do === 'create') return { type: 'absent' }
  return head.do === 'delete' ? { type: 'done', id: head.id ?? null } : { type: 'gone' }
}

/** Equal operations are interchangeable: each record counts for one of them, whichever created it. */
function judgeCreates(plan: JobFile, tasks: readonly Task[], { matcher, findings }: Looked): void {
  const ids = new Set(tasks.flatMap((task) => [...matcher.candidates(task), ...matcher.near(task)].map(({ id }) => id)))
  const claimed = ids.size === 0 ? ids : claimedIn(plan, ids)
  const names = comparedBy(plan)
  const taken = new Set<string>()
  const isFree = ({ id }: CreatedRecord) => !claimed.has(id) && !taken.has(id)
  for (const alike of Map.groupBy(tasks, (task) => matcher.textOf(task)).values()) {
    const [first] = alike
    const free = first ? matcher.candidates(first).filter(isFree) : []
    const isCompared = first !== undefined && wasCompared(first, names)
    for (const [index, task] of alike.entries())
      findings.set(task, judgeCandidates(free, { index, tasks: alike.length, isCompared }))
    for (const { id } of free) taken.add(id)
  }
  for (const task of tasks.filter((each) => isAbsent(findings, each))) {
    const near = matcher.near(task).find(isFree)
    if (near) findings.set(task, nearly(near))
    // A record that agrees with the row and has no id is never proof of absence.
    else if (matcher.isUnnamed(task)) findings.set(task, UNNAMED)
  }
}

/**
 * Members by which planning found no record equal to a row with values there: an equal record that shows no creation time was created
 * since. Without `--match`, an existing record leaves one equal row unchanged; it may be equal to another row, which is created.
 */
function comparedBy({ head, end }: JobFile): readonly string[] | undefined {
  const isMatched = (head.terms?.match.names.length ?? 0) > 0
  return isMatched || end.unchanged === 0 ? head.compared : undefined
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
    why: `${id} was created since, with the same email, name or member of --match, and differs from this row`,
  }
}

/** Someone may have deleted a few of the last records, but hardly all of them. */
const MOST_RECENT = 20

/** The records of done operations; statuses of a deletion have none, and 0 is a result from the list. */
const MADE = `SELECT text ->> 'id' FROM result WHERE state = ${STATES.done} AND text ->> 'id' IS NOT NULL`

/** Those of these ids that are the result of a done operation. */
function claimedIn(job: JobFile, ids: ReadonlySet<string>): ReadonlySet<string> {
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

/** A record that is equal to what an operation would have created. */
interface CreatedRecord {
  readonly id: string
  /** Undefined if the server does not state whether it was created since the lease. */
  readonly isSince: true | undefined
}

/** Finds, in one pass over a list, the records that operations may have created. */
class CreatedMatcher {
  /** By the names of the members that were sent, and then by their values. */
  readonly #groups = new Map<string, { names: readonly string[]; byText: Map<string, Task[]> }>()
  readonly #byName = new Map<string, Task[]>()
  readonly #found = new Map<Task, CreatedRecord[]>()
  readonly #near = new Map<Task, CreatedRecord[]>()
  /** Tasks that agree with a record without an id that crm can use: it can neither be adopted nor ruled out. */
  readonly #unnamed = new Set<Task>()
  readonly #sent = new Map<Task, readonly string[]>()
  readonly #texts = new Map<Task, string>()
  readonly #hidden = new Set<string>()
  #isAnySeen = false

  readonly #match: readonly string[]

  /** `match`: members by which planning compared its rows. `by` has seen the whole list; members that no record has are not compared. */
  constructor(tasks: readonly Task[], match: readonly string[] = [], by?: CreatedMatcher) {
    this.#match = match
    for (const task of tasks) this.#add(task, by ? by.#hidden : NONE)
  }

  /** Members that were sent and that no record of the list has: the list omits them. */
  hiddenOf(task: Task): readonly string[] {
    return this.#isAnySeen ? (this.#sent.get(task) ?? []).filter((name) => this.#hidden.has(name)) : []
  }

  /** The same for tasks that are interchangeable. */
  textOf(task: Task): string {
    return this.#texts.get(task) ?? ''
  }

  isCompared(task: Task): boolean {
    return (this.#sent.get(task) ?? []).length > 0
  }

  see(record: CrmRecord): void {
    const id = idText(record.id)
    const same = [...this.#groups.values()].flatMap(({ names, byText }) => byText.get(membersText(record, names)) ?? [])
    const near = new Set(naturalNames(record, this.#match).flatMap((name) => this.#byName.get(name) ?? []))
    if (id === undefined) {
      for (const task of [...same, ...near]) if (isMadeSince(record, task.leasedMs) !== false) this.#unnamed.add(task)
      return
    }
    this.#isAnySeen = true
    for (const name of this.#hidden) if (isShown(record[name])) this.#hidden.delete(name)
    keepIn(this.#found, same, { id, record })
    keepIn(this.#near, [...near], { id, record })
  }

  /** Whether a record without an id agrees with what was sent. */
  isUnnamed(task: Task): boolean {
    return this.#unnamed.has(task)
  }

  /** Records created since the lease with the same email, name or member of --match: the server may have trimmed values, or a person edited them. */
  near(task: Task): readonly CreatedRecord[] {
    return this.#near.get(task) ?? []
  }

  candidates(task: Task): readonly CreatedRecord[] {
    return this.#found.get(task) ?? []
  }

  #add(task: Task, hidden: ReadonlySet<string>): void {
    const sent = parseExactJson(task.operation.body?.toString('utf8') ?? '{}')
    if (!isJsonObject(sent)) return
    const body = Object.fromEntries(Object.entries(sent).filter(([name]) => !hidden.has(name)))
    const shown = Object.keys(body).filter((name) => isShown(body[name]))
    this.#sent.set(task, shown)
    for (const name of shown) this.#hidden.add(name)
    const names = Object.keys(body).sort()
    const key = JSON.stringify(names)
    const group = this.#groups.get(key) ?? { names, byText: new Map<string, Task[]>() }
    this.#groups.set(key, group)
    const text = membersText(body, names)
    this.#texts.set(task, `${key}${text}`)
    group.byText.set(text, [...(group.byText.get(text) ?? []), task])
    for (const name of naturalNames(body, this.#match))
      this.#byName.set(name, [...(this.#byName.get(name) ?? []), task])
  }
}

const NONE: ReadonlySet<string> = new Set()

function isShown(value: JsonValue | undefined): boolean {
  return value !== undefined && value !== null && value !== ''
}

interface Seen {
  readonly id: string
  readonly record: CrmRecord
}

/** Not for a task that was leased after the record was made. */
function keepIn(map: Map<Task, CreatedRecord[]>, tasks: readonly Task[], { id, record }: Seen): void {
  for (const task of tasks) {
    const isSince = isMadeSince(record, task.leasedMs)
    if (isSince !== false) map.set(task, [...(map.get(task) ?? []), { id, isSince }])
  }
}
