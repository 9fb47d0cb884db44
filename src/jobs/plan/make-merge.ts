import { hash } from 'node:crypto'
import { pathOfRecord } from '../../api/transport/call.ts'
import { isOptOut } from '../../core/consent.ts'
import { CrmError } from '../../core/errors.ts'
import { canonicalJson, idText, isSameJson, type JsonObject, type JsonValue, memberOf } from '../../core/json.ts'
import { foldedLine } from '../../core/nearest.ts'
import { isAlike, sentValueText } from '../../core/other-values.ts'
import { findByIds, idLike, listedId, namedIds } from '../../core/record-ids.ts'
import { recordTimeMs } from '../../core/record-time.ts'
import {
  type CrmRecord,
  counted,
  type ImportableResource,
  isReadOnly,
  type OpenResource,
  type PluralOf,
  RESOURCES,
  resourceOf,
  uniqueByOf,
} from '../../core/resources/registry.ts'
import { cellText } from '../../output/safe-text.ts'
import { undosInEffect } from '../history/earlier-jobs.ts'
import { allJobs } from '../history/find-jobs.ts'
import { type JobState, readJobState } from '../history/job-state.ts'
import { isBegun } from '../history/merges.ts'
import type { JobPaths } from '../store/job-folder.ts'
import { headOf } from '../store/open-job.ts'
import { dropPlanned, type MadeImport, type MadeJob, makeJob } from './make-job.ts'
import type { PlanBuilder, Planned } from './plan-builder.ts'
import type { JobNoun } from './plan-format.ts'
import type { PlanningContext, RowRules } from './planning.ts'

/** Records of which one is kept. */
export interface MergeGroup {
  readonly winner: string
  /** Without the winner. */
  readonly losers: readonly string[]
}

export interface MergeRequest {
  readonly noun: PluralOf<OpenResource & ImportableResource>
  readonly groups: readonly MergeGroup[]
  readonly rules: MergeRules
  /** The member of a loser that gets the id of the winner; undefined: losers are deleted. */
  readonly mark: string | undefined
  /** Members of which no two records have the same value, besides the one that is known for the resource. */
  readonly unique: readonly string[]
  /** The objects that name records of this resource. */
  readonly references: readonly Reference[]
  /** The records, if they are found faster than in the list. */
  readonly pages: AsyncIterable<{ readonly items: readonly CrmRecord[] }> | undefined
}

/**
 * A job that gives each winner what the rules choose, and deletes or marks its losers. A loser is sent only when its winner is done,
 * and both only while they have the version that was planned with. The same groups again are the same job. Records that name a loser are
 * given to its winner by jobs of their own, one for each object, which come first.
 */
export async function makeMerge(context: PlanningContext, given: MergeRequest): Promise<MadeImport> {
  const { noun, mark } = given
  const resource = resourceOf(noun)
  refuseReadOnly(mark)
  const { job: held, run, groupsRun } = await earlierMerge(context, given)
  if (held) return { type: 'same', job: held }
  if (mark === undefined) context.require(resource, 'delete')
  context.require(resource, 'update')
  const { earlier, made: first } = await makeRepoints(context, given, groupsRun)
  const rules = await context.rowRules(noun)
  // The winner has the links of all.
  const union = rules.linkFields.map((name) => [name, 'union'] as const)
  const request = { ...given, rules: new Map([...union, ...given.rules]) }
  const asked = rules.ask([...(mark === undefined ? [] : [mark])], mark === undefined ? 'all' : undefined)
  const needs = [...earlier, ...first.map(({ paths }) => paths.id)]
  const identity = {
    kind: 'merge',
    noun,
    run,
    of: undefined,
    ordered: true,
    ...(needs.length > 0 && { needs }),
    ...asked,
  } as const
  let lines: readonly string[] = []
  try {
    const job = await makeJob(context, identity, async (builder) => {
      const ids = request.groups.flatMap(({ winner, losers }) => [winner, ...losers])
      const found = await findByIds(request.pages ?? context.list(noun), ids)
      const missing = ids.filter((id) => !found.has(id))
      if (missing.length > 0) throw notThere(resource, missing)
      refuseWithoutTimes(request.rules, found)
      planGroups(builder, request, { found, rules })
      if (mark === undefined) lines = lostLines(request, { found, rules })
    })
    return { type: 'made', job: { ...job, first }, lines, leftLines: [] }
  } catch (error) {
    await dropPlanned(
      context,
      first.map((each) => each.paths),
    )
    throw error
  }
}

interface Known {
  readonly found: ReadonlyMap<string, CrmRecord>
  readonly rules: RowRules
}

/**
 * All winners first, so that their losers seldom wait; at the end what they take of a unique member, which the server may refuse
 * while a loser has it.
 */
function planGroups(builder: PlanBuilder, request: MergeRequest, known: Known): void {
  const { noun, groups, mark } = request
  const recordOf = (id: string) => known.found.get(id) ?? {}
  const staged = groups.map((group) => {
    const { first, last } = stagesOf(request, group, known)
    if (!first && last.length === 0) builder.leaveOut('unchanged')
    const place = first && builder.next
    if (first) builder.add(updateOf(request, group.winner, first, known))
    return { ...group, place, last }
  })
  for (const { winner, losers, place, last } of staged) {
    const start = builder.next
    for (const loser of losers) {
      const how =
        mark === undefined ? ({ do: 'delete' } as const) : ({ do: 'update', body: { [mark]: winner } } as const)
      builder.add({ ...how, ...changeOf(noun, loser, recordOf(loser)), ...(place !== undefined && { after: place }) })
    }
    for (const { patch, holder } of last) {
      builder.add({ ...updateOf(request, winner, patch, known), after: start + holder })
    }
  }
}

/** What no record has after the merge: values of losers that the rules do not choose. */
function lostLines({ groups, rules: chosen, noun }: MergeRequest, { found, rules }: Known): readonly string[] {
  const isSet = (name: string) => isReadOnly(name) || rules.isReadOnly(name)
  const lines = groups.slice(0, MOST_NAMED).flatMap((group) => {
    const [winner = {}, ...losers] = [group.winner, ...group.losers].map((id) => found.get(id) ?? {})
    const kept = { ...winner, ...winnerPatch({ winner, losers, rules: chosen, isSet }) }
    return losers.map((loser) => {
      const lost = Object.entries(loser).filter(([name, value]) => {
        const isUnion = (chosen.get(name) ?? chosen.get('*')) === 'union'
        return !isSet(name) && !isUnion && !isEmpty(value) && !isAlike(memberOf(kept, name), value)
      })
      const values = lost.map(([name, value]) => sentValueText(name, value)).join(', ')
      return `${group.winner} stays, ${listedId(loser)} is deleted; lost: ${values || 'nothing'}`
    })
  })
  const more = groups.length - MOST_NAMED
  return more > 0 ? [...lines, `and ${more} more groups of ${noun}`] : lines
}

function stagesOf(
  { noun, rules: chosen, mark, unique }: MergeRequest,
  group: MergeGroup,
  { found, rules }: Known,
): MergeStages {
  const [winner = {}, ...losers] = [group.winner, ...group.losers].map((id) => found.get(id) ?? {})
  const isSet = (name: string) => rules.isReadOnly(name)
  const patch = winnerPatch({ winner, losers, rules: chosen, isSet })
  // A marked loser keeps its values.
  const members = mark === undefined ? [...unique, uniqueByOf(resourceOf(noun)) ?? []].flat() : []
  return mergeStages(patch, losers, new Set(members))
}

/** As the server takes it. CrmError `invalid_input` for what it would refuse. */
function updateOf({ noun }: MergeRequest, id: string, patch: JsonObject, { found, rules }: Known): Planned {
  const record = found.get(id) ?? {}
  const body = rules.shown(patch, record)
  const fault = rules.faultIn(body, record)
  if (fault === undefined) return { do: 'update', ...changeOf(noun, id, record), body }
  throw new CrmError('invalid_input', `${id}: ${fault}; nothing was sent`, {
    hint: 'choose another --rule for that member',
  })
}

function changeOf(noun: JobNoun, id: string, record: CrmRecord): Omit<Planned, 'do'> {
  return { path: pathOfRecord(resourceOf(noun), id), id, before: record }
}

interface EarlierMerge {
  readonly run: string
  /** Without what tells repetitions of the run apart. */
  readonly groupsRun: string
  readonly job: JobState | undefined
}

/** The run of these groups, and its job if it is stopped, or done and not undone, or if records are being re-pointed for it. */
async function earlierMerge(
  context: PlanningContext,
  { noun, groups, rules, mark, unique }: MergeRequest,
): Promise<EarlierMerge> {
  const { jobsFolder, account } = context
  const what = canonicalJson([
    ...[account, noun, mark ?? null, Object.fromEntries(rules)],
    ...groups.map(({ winner, losers }) => [winner, ...losers]),
    ...(unique.length === 0 ? [] : [{ unique: [...unique] }]),
  ])
  const run = `merge.${hash('sha256', what, 'base64url').slice(0, 22)}`
  const own = allJobs(jobsFolder).filter((paths) => {
    const head = headOf(paths)
    return head.account === account && (head.run === run || head.run.startsWith(`${run}.`))
  })
  const undone = await undosInEffect(jobsFolder)
  let repetitions = own.length
  for (const paths of own.toReversed()) {
    const job = await readJobState(paths)
    if (job.state === 'planned' && !(await isBegun(jobsFolder, job))) {
      await dropPlanned(context, [paths])
      repetitions -= 1
    } else if (job.state !== 'cancelled' && job.head.kind === 'merge' && !undone.has(paths.id))
      return { run, groupsRun: run, job }
  }
  // The keys of an earlier job must not answer for this one.
  return { run: repetitions === 0 ? run : `${run}.${repetitions}`, groupsRun: run, job: undefined }
}

function refuseReadOnly(mark: string | undefined): void {
  if (mark === undefined || !isReadOnly(mark)) return
  throw new CrmError('usage', `--losers mark=${mark}: the server sets ${mark} itself`, {
    hint: 'name another member, such as --losers mark=merged_into',
  })
}

const MOST_NAMED = 5

function notThere(resource: OpenResource, missing: readonly string[]): CrmError {
  const more = missing.length > MOST_NAMED ? `, and ${missing.length - MOST_NAMED} more` : ''
  const what = `${counted(missing.length, resource)} of the groups ${missing.length === 1 ? 'does' : 'do'} not exist`
  return new CrmError('not_found', `${what}: ${missing.slice(0, MOST_NAMED).join(', ')}${more}; nothing was sent`, {
    hint: `find the groups again: crm ${RESOURCES[resource].plural} duplicates -o jsonl`,
  })
}

function refuseWithoutTimes(rules: MergeRules, found: ReadonlyMap<string, CrmRecord>): void {
  if (![...rules.values()].includes('newest')) return
  if ([...found.values()].some((record) => changedMs(record) !== Number.MIN_SAFE_INTEGER)) return
  throw new CrmError('not_supported', 'the records show no updated_at and no created_at, so none is the newest', {
    hint: 'use --rule MEMBER=winner, longest or union',
  })
}

/** The change of a winner. */
interface MergeStages {
  /** Undefined without members. */
  readonly first: JsonObject | undefined
  /** What a server with unique values takes only when the loser at `holder`, which has the value, is deleted; by holder. */
  readonly last: readonly LastChange[]
}

interface LastChange {
  readonly patch: JsonObject
  readonly holder: number
}

/** Splits the values of unique members off that the winner takes from a loser. */
function mergeStages(patch: JsonObject, losers: readonly CrmRecord[], unique: ReadonlySet<string>): MergeStages {
  const holderOf = (name: string) =>
    unique.has(name) ? losers.findIndex((loser) => isSameText(loser[name], patch[name])) : -1
  const held = losers.map((_, holder) => ({ patch: pick(patch, (name) => holderOf(name) === holder), holder }))
  return {
    first: ifAny(pick(patch, (name) => holderOf(name) < 0)),
    last: held.filter((change) => ifAny(change.patch)),
  }
}

function pick(patch: JsonObject, isChosen: (name: string) => boolean): JsonObject {
  return Object.fromEntries(Object.entries(patch).filter(([name]) => isChosen(name)))
}

function isSameText(one: JsonValue | undefined, other: JsonValue | undefined): boolean {
  return typeof one === 'string' && typeof other === 'string' && foldedLine(one) === foldedLine(other)
}

function ifAny(patch: JsonObject): JsonObject | undefined {
  return Object.keys(patch).length === 0 ? undefined : patch
}

/** How the records of an object name those of the merged resource. */
export interface Reference {
  readonly noun: JobNoun
  readonly members: readonly string[]
  /** Those that the server takes of a new record alone. */
  readonly fixed: readonly string[]
}

interface RepointRequest extends Reference {
  readonly run: string
  /** By the id of the loser. */
  readonly winners: ReadonlyMap<string, string>
}

interface Repoints {
  /** Jobs of the run that re-pointed records before, and were not undone. */
  readonly earlier: readonly string[]
  readonly made: readonly MadeJob[]
}

/** A job for each object whose records name losers. `run` is that of the merge, without what tells its repetitions apart. */
async function makeRepoints(
  context: PlanningContext,
  { references, groups, mark }: MergeRequest,
  run: string,
): Promise<Repoints> {
  if (references.length === 0) return { earlier: [], made: [] }
  const winners = new Map(groups.flatMap(({ winner, losers }) => losers.map((loser) => [loser, winner] as const)))
  const { jobs, earlier } = await earlierRepoints(context, run)
  const made: MadeJob[] = []
  try {
    for (const reference of references) {
      const own = `repoint.${run}.${jobs.length + made.length}`
      try {
        made.push(...(await makeRepoint(context, { ...reference, run: own, winners })))
      } catch (error) {
        // Losers that are marked can still be named.
        if (mark === undefined || !(error instanceof CrmError) || error.code !== 'not_supported') throw error
        context.note(`Not re-pointed: ${error.message}`)
      }
    }
  } catch (error) {
    await dropPlanned(
      context,
      made.map(({ paths }) => paths),
    )
    throw error
  }
  return { earlier, made }
}

/** None if no record names a loser. CrmError `not_supported` if records do that cannot change. */
async function makeRepoint(context: PlanningContext, request: RepointRequest): Promise<readonly MadeJob[]> {
  const { noun, members, run, winners } = request
  const rules = await context.rowRules(noun)
  const asked = rules.ask(members)
  const referring: CrmRecord[] = []
  for await (const { items } of context.list(noun)) {
    context.onRead(items.length)
    referring.push(...items.filter((record) => losersIn(record, members, winners).length > 0))
  }
  if (referring.length === 0) return []
  requireUpdate(context, request, referring)
  const made = await makeJob(context, { kind: 'repoint', noun, run, of: undefined, ...asked }, async (builder) => {
    for (const record of referring) {
      const body = rules.shown(repointed(record, request), record)
      const fault = rules.faultIn(body, record)
      if (fault !== undefined) throw refused(listedId(record), fault)
      builder.add({ do: 'update', ...changeOf(noun, listedId(record), record), body })
    }
  })
  return [made]
}

function losersIn(
  record: CrmRecord,
  members: readonly string[],
  winners: RepointRequest['winners'],
): readonly string[] {
  return members.flatMap((name) => namedIds(memberOf(record, name)).filter((id) => winners.has(id)))
}

/** With the winners in place of the losers; in a list, each once. */
function repointed(record: CrmRecord, { members, winners }: RepointRequest): JsonObject {
  const winnerOf = (id: JsonValue) => idLike(id, winners.get(idText(id) ?? '') ?? '')
  const moved = (id: JsonValue) => (winners.has(idText(id) ?? '') ? winnerOf(id) : id)
  const named = members.filter((name) => losersIn(record, [name], winners).length > 0)
  return Object.fromEntries(
    named.map((name) => {
      const value = memberOf(record, name) ?? null
      return [name, Array.isArray(value) ? [...new Set(value.map(moved))] : moved(value)]
    }),
  )
}

interface EarlierRepoints {
  readonly jobs: readonly JobPaths[]
  readonly earlier: readonly string[]
}

/** Those that were planned and not begun are removed. */
async function earlierRepoints(context: PlanningContext, run: string): Promise<EarlierRepoints> {
  const { jobsFolder } = context
  const jobs = allJobs(jobsFolder).filter((paths) => isRepointOf(paths, context.account, run))
  const undone = await undosInEffect(jobsFolder)
  const begun: JobPaths[] = []
  const earlier: string[] = []
  for (const paths of jobs) {
    const { state, account } = await readJobState(paths)
    if (state === 'planned') {
      await dropPlanned(context, [paths])
      continue
    }
    begun.push(paths)
    if (account.done + account.in_doubt > 0 && !undone.has(paths.id)) earlier.push(paths.id)
  }
  return { jobs: begun, earlier }
}

function isRepointOf(paths: JobPaths, account: string, run: string): boolean {
  const head = headOf(paths)
  return head.kind === 'repoint' && head.account === account && head.run.startsWith(`repoint.${run}.`)
}

function requireUpdate(context: PlanningContext, request: RepointRequest, referring: readonly CrmRecord[]): void {
  const { noun, fixed, winners } = request
  const held = referring.filter((record) => losersIn(record, fixed, winners).length > 0)
  if (held.length > 0)
    throw stillReferred(request, held, `this server does not let ${fixed.join(', ')} of a ${resourceOf(noun)} change`)
  try {
    context.require(resourceOf(noun), 'update')
  } catch (error) {
    if (!(error instanceof CrmError) || error.code !== 'not_supported') throw error
    throw stillReferred(request, referring, `this server changes no ${noun}`, error)
  }
}

function stillReferred(
  { noun, members, winners }: RepointRequest,
  referring: readonly CrmRecord[],
  why: string,
  cause?: CrmError,
): CrmError {
  const named = referring
    .slice(0, MOST_NAMED)
    .map((record) => `${listedId(record)} to ${losersIn(record, members, winners).join(', ')}`)
  const more = referring.length > named.length ? `, and ${referring.length - named.length} more` : ''
  const verb = referring.length === 1 ? 'refers' : 'refer'
  const what = `${counted(referring.length, resourceOf(noun))} ${verb} to losers (${members.join(', ')}), and ${why}`
  return new CrmError('not_supported', `${what}: ${named.join('; ')}${more}; nothing was sent`, {
    hint: '--losers mark=MEMBER keeps the losers',
    ...(cause && { cause }),
  })
}

function refused(id: string, fault: string): CrmError {
  return new CrmError('invalid_input', `${id}: ${fault}; nothing was sent`, {
    hint: 'correct that record, or leave the group that it names out',
  })
}

export const MERGE_RULES = ['winner', 'newest', 'longest', 'union'] as const

/** Which value of a member is kept of several records. */
export type MergeRule = (typeof MERGE_RULES)[number]

/** The rule of each member; `*` is that of all others. */
export type MergeRules = ReadonlyMap<string, MergeRule>

interface Merged {
  readonly winner: CrmRecord
  readonly losers: readonly CrmRecord[]
  readonly rules: MergeRules
  /** Whether the server sets a member. */
  readonly isSet: (name: string) => boolean
}

/** The change that gives the winner what the rules choose; empty if it has that already. */
function winnerPatch({ winner, losers, rules, isSet }: Merged): JsonObject {
  const newest = [winner, ...losers].toSorted((one, other) => changedMs(other) - changedMs(one))
  const names = new Set([winner, ...losers].flatMap((record) => Object.keys(record)))
  const patch: JsonObject = {}
  for (const name of names) {
    if (isReadOnly(name) || isSet(name)) continue
    const own = memberOf(winner, name)
    const others = newest.filter((record) => record !== winner).map((record) => memberOf(record, name))
    const values = [own, ...others].filter((value) => !isEmpty(value))
    const byTime = newest.map((record) => memberOf(record, name)).filter((value) => !isEmpty(value))
    const chosen = CHOICES[rules.get(name) ?? rules.get('*') ?? 'winner'](values, byTime)
    const kept = values.find((value) => isOptOut(name, value)) ?? chosen
    if (kept !== undefined && !isSameJson(kept, own)) patch[name] = kept
  }
  return patch
}

/** Of the values that are not empty: `values` has that of the winner first, and the others by time; `byTime` the newest first. */
type Choice = (values: readonly JsonValue[], byTime: readonly JsonValue[]) => JsonValue | undefined

const CHOICES: Readonly<Record<MergeRule, Choice>> = {
  winner: (values) => values[0],
  newest: (_, byTime) => byTime[0],
  longest: (values) => values.toSorted((one, other) => cellText(other).length - cellText(one).length)[0],
  union: unionOf,
}

const SEPARATOR = /\s*;\s*/

/** All entries of lists, and all texts with semicolons between them, each once; of other values the winner's. */
function unionOf(values: readonly JsonValue[]): JsonValue | undefined {
  if (values.length > 0 && values.every((value) => Array.isArray(value)))
    return [...new Map(values.flat().map((entry) => [canonicalJson(entry), entry])).values()]
  if (!values.every((value) => typeof value === 'string')) return values[0]
  const texts = new Map<string, string>()
  for (const text of values.flatMap((value) => value.split(SEPARATOR))) {
    if (text !== '' && !texts.has(foldedLine(text))) texts.set(foldedLine(text), text)
  }
  return [...texts.values()].join('; ') || undefined
}

function isEmpty(value: JsonValue): boolean {
  return (
    value === null || (typeof value === 'string' && value.trim() === '') || (Array.isArray(value) && value.length === 0)
  )
}

/** When a record was changed last; long ago if it does not say. */
function changedMs({ updated_at: updated, created_at: created }: CrmRecord): number {
  const time = updated ?? created
  const timeMs = typeof time === 'number' ? time : recordTimeMs(time)
  return Number.isNaN(timeMs) ? Number.MIN_SAFE_INTEGER : timeMs
}
