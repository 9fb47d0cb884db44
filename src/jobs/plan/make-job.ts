import { hash } from 'node:crypto'
import { join, normalize } from 'node:path'
import type { Api } from '../../api/api.ts'
import type { Connector, Offers } from '../../api/connectors/connector.ts'
import type { Asked } from '../../core/asked-members.ts'
import { CrmError } from '../../core/errors.ts'
import type { JsonObject, JsonValue } from '../../core/json.ts'
import type { CrmRecord, Resource } from '../../core/resources/registry.ts'
import type { InputStream } from '../../core/streams.ts'
import type { UndoPart } from '../../core/undo-part.ts'
import { withLock } from '../../files/lock.ts'
import { type Earlier, refuseNewerJobs, startedMeanwhile } from '../history/earlier-jobs.ts'
import { readJobState } from '../history/job-state.ts'
import type { ServerMembers } from '../input/row.ts'
import {
  dropDraft,
  finishDraft,
  isJob,
  type JobDraft,
  type JobPaths,
  openDraft,
  removeJob,
} from '../store/job-folder.ts'
import { withJobLock } from '../store/job-lock.ts'
import type { Matching } from './key-requests.ts'
import type { LeftOut } from './left-out.ts'
import type { Part } from './part-of-plan.ts'
import { PlanBuilder } from './plan-builder.ts'
import type { JobNoun, JobTotals, PlanHead } from './plan-format.ts'
import type { FieldCount } from './plan-writer.ts'
import type { Preview } from './preview.ts'

/** What a connector allows in a row. */
export interface RowRules {
  /** Of the connector, and those that the server lists, or that its first record has; undefined where records may have any. */
  members(): Promise<ServerMembers | undefined>
  /** Whether records show only the members that they are asked for. */
  readonly isSelecting: boolean
  /** From now on lists show these members, too; with `all`, each one that can be restored after a deletion. */
  ask(names: Iterable<string>, all?: 'all'): Asked
  /** Whether the server sets this member, so that a new record cannot have it. */
  isReadOnly(name: string): boolean
  /** Whether a connector file of one's own says where records have this field. */
  isOwnField(name: string): boolean
  /** Whether updates leave this member out on purpose, and no field of crm has it. */
  isDropped(name: string): boolean
  /** All values of a field in a record of a list, where it shows one of several; else none. */
  valuesOf(record: CrmRecord, name: string): readonly JsonValue[]
  /** Whether the connector finds the id of this resource by its name, and refuses unknown ones. */
  refersTo(resource: Resource): boolean
  /** The values as a record shows them: the name of a stage in place of its id. */
  shown(fields: JsonObject, record?: CrmRecord): JsonObject
  /** Members under the server's own names that contradict a field of crm in the same row, with its name. */
  overruled(fields: JsonObject): ReadonlyMap<string, string>
  /** Why the server could not keep these values, in lower case; undefined if it can. `record`: undefined for a new one. */
  faultIn(fields: JsonObject, record: CrmRecord | undefined): string | undefined
}

/** What a command is shown while it plans. */
export interface PlanningHooks {
  onStep(step: PlanningStep): void
}

/** How far one part of the planning is. */
export interface PlanningStep {
  /** The name of the input, or of the records of the server. */
  readonly what: string
  readonly unit: 'records' | 'bytes'
  readonly done: number
  /** In the unit; undefined if it is unknown. */
  readonly total: number | undefined
}

/** What planning needs. */
export interface PlanningContext {
  /** The folder of existing jobs; in a dry run it may not exist. */
  readonly jobsFolder: string
  /** The folder in which a new job is made. */
  readonly draftsFolder: string
  readonly account: string
  readonly stdin: () => InputStream
  readonly signal: AbortSignal
  readonly version: string
  /** The words after `crm`. */
  readonly command: readonly string[]
  /** All records, a page at a time. */
  readonly list: (noun: JobNoun) => AsyncIterable<{ readonly items: readonly CrmRecord[] }>
  /** The notes of these deals, a page at a time. */
  readonly listParts: (
    resource: 'note',
    parentIds: Iterable<string>,
  ) => AsyncIterable<{ readonly items: readonly CrmRecord[] }>
  /** The most records on a page of a list, where the connector says it. */
  readonly pageSize: (resource: Resource) => number | undefined
  /** Undefined if the server cannot be asked for records by this field. */
  readonly keyReader: Api['keyReader']
  /** Whether the server has an upsert by this field. */
  readonly upserts: Connector['upserts']
  readonly offers: Offers
  /** CrmError `bad_answer` for a record that the list lacks and the server has; nothing where it cannot be asked for one. */
  readonly checkGone: (noun: JobNoun, id: string) => Promise<void>
  /** Whether the server restores a record that was deleted this long ago, under its id. */
  readonly restores: Connector['restores']
  /** CrmError `not_supported` if the server does not have an operation. */
  readonly require: Api['require']
  /** What the connector allows in rows. */
  readonly rowRules: (noun: JobNoun) => Promise<RowRules>
  /** Called with the number of further records read from the list. */
  readonly onRead: (count: number) => void
  readonly onStep: PlanningHooks['onStep']
  readonly nowMs: () => number
  /** Ends early, with an error, when the command is interrupted. */
  readonly sleep: (ms: number) => Promise<void>
  /** A line for people. */
  readonly note: (line: string) => void
}

/** A job that was planned and not started. */
export interface MadeJob {
  readonly paths: JobPaths
  readonly head: PlanHead
  readonly end: JobTotals
  /** The members that it writes. */
  readonly fields: readonly FieldCount[]
  /** What it changes, as values. */
  readonly preview: Preview
  /** The first rows and members that are left out. */
  readonly leftOut: readonly LeftOut[]
  /** The first of the rows that fail without a request. */
  readonly failing: readonly LeftOut[]
  /** The number of requests of the recheck of an upsert; undefined when there is none. */
  readonly recheckRequests?: number | undefined
  /** How the records of an import were found; undefined if none were looked for. */
  readonly matching?: Matching | undefined
  /** Of a merge: the job that re-points deals before it; undefined if no deal names a loser. */
  readonly first?: MadeJob | undefined
  /** A question that must be confirmed, beside the changes. */
  readonly question?: string | undefined
}

type Kept =
  | 'kind'
  | 'noun'
  | 'run'
  | 'of'
  | keyof UndoPart
  | 'ordered'
  | 'needs'
  | 'updates'
  | 'upsert'
  | 'terms'
  | keyof Asked

export type JobIdentity = Pick<PlanHead, Kept>

interface MakeOptions {
  readonly part?: Part
  readonly finish?: (draft: JobDraft) => Promise<JobPaths>
}

/** Makes a job of the operations that `fill` adds; if it throws, nothing is left of the job. */
export async function makeJob(
  context: PlanningContext,
  identity: JobIdentity,
  fill: (builder: PlanBuilder, draft: JobDraft) => Promise<void>,
  { part, finish = finishDraft }: MakeOptions = {},
): Promise<MadeJob> {
  const draft = openDraft(context.draftsFolder, context.nowMs())
  let builder: PlanBuilder | undefined
  try {
    const head = planHead(context, identity, draft.id)
    builder = new PlanBuilder(draft, head, part)
    await fill(builder, draft)
    const end = builder.end()
    const { fields, leftOut, failing, preview } = builder
    builder = undefined
    const left = { leftOut: leftOut.first, failing: failing.first }
    return { paths: await finish(draft), head, end, fields: fields.list(), preview: preview.list(), ...left }
  } catch (error) {
    builder?.drop()
    dropDraft(draft)
    throw error
  }
}

function planHead(
  context: PlanningContext,
  { kind, noun, run, of, only, selected, ordered, needs, updates, upsert, terms, asked, unasked }: JobIdentity,
  job: string,
): PlanHead {
  return {
    ...{ crm_plan: 1, job, kind, noun, run },
    account: context.account,
    command: context.command,
    input: undefined,
    of,
    ...(only === undefined ? {} : { only }),
    ...(selected && { selected }),
    ...(ordered && { ordered }),
    ...(needs && needs.length > 0 && { needs }),
    ...(updates === undefined ? {} : { updates }),
    ...(upsert === undefined ? {} : { upsert }),
    ...(terms === undefined ? {} : { terms }),
    ...(asked && { asked }),
    ...(unasked && { unasked }),
    made_at: context.nowMs(),
    version: context.version,
  }
}

/**
 * Removes plans that were not confirmed, or whose process ended before the first row: they have sent nothing, and records may
 * have changed since, so they are planned again. CrmError `machine` if another process is starting one of them, `conflict` if one
 * has started since.
 */
export async function dropPlanned(context: PlanningContext, planned: readonly JobPaths[]): Promise<void> {
  // A dry run changes nothing.
  if (context.draftsFolder !== context.jobsFolder) return
  for (const paths of planned) {
    await withJobLock(paths, async () => {
      if (!isJob(paths)) return
      if ((await readJobState(paths)).progress.lastOpen) throw startedMeanwhile(paths.id)
      removeJob(paths)
    })
  }
}

interface Planned {
  readonly run: string
  readonly earlier: Extract<Earlier, { readonly type: 'before' }>
}

/** Two processes that plan the same rows at once each see no job of the other: only the first one makes a job. */
export function finishAlone(context: PlanningContext, draft: JobDraft, { run, earlier }: Planned): Promise<JobPaths> {
  const known = [...earlier.jobs.map(({ paths }) => paths), ...earlier.known]
  const { account, jobsFolder } = context
  return finishFirst(context, draft, {
    planned: earlier.planned,
    refuseNewer: () => refuseNewerJobs(jobsFolder, { account, run }, known),
  })
}

interface First {
  /** Jobs that were known when planning began and had sent nothing; they are removed. */
  readonly planned: readonly JobPaths[]
  /** Throws if another process has made a job since. */
  readonly refuseNewer: () => void
}

export async function finishFirst(
  context: PlanningContext,
  draft: JobDraft,
  { planned, refuseNewer }: First,
): Promise<JobPaths> {
  const { jobsFolder, draftsFolder } = context
  if (draftsFolder !== jobsFolder) return finishDraft(draft)
  return withLock(join(jobsFolder, '.starting'), async () => {
    refuseNewer()
    await dropPlanned(context, planned)
    return finishDraft(draft)
  })
}

const RUN_CHARS = 22

interface RunParts {
  readonly account: string
  readonly kind: string
  readonly noun: JobNoun
  /** Flags that change the operation of a row. */
  readonly mapping: readonly (readonly [flag: string, value: string | readonly string[] | undefined])[]
  /** As typed. */
  readonly inputName: string
}

/**
 * The id of a run: the same command with the same file is the same run, also on another machine, so that its rows have the
 * same keys. Input from stdin has no name, so it needs one.
 */
export function runId({ account, kind, noun, mapping, inputName }: RunParts): string {
  if (inputName === '-') {
    throw new CrmError('usage', 'input from stdin needs --run-id, so that a second run can be recognised', {
      hint: 'add --run-id NAME, and the same one when you run it again',
    })
  }
  const parts = JSON.stringify([
    account,
    kind,
    noun,
    mapping.filter(([, value]) => value !== undefined),
    normalize(inputName),
  ])
  return hash('sha256', parts, 'base64url').slice(0, RUN_CHARS)
}
