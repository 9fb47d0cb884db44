import { hash, randomUUID } from 'node:crypto'
import { pathOfRecord } from '../../api/transport/call.ts'
import { changedMembers } from '../../core/changes.ts'
import { CrmError } from '../../core/errors.ts'
import { isSameJson, type JsonObject } from '../../core/json.ts'
import { RATE_SHARE } from '../../core/rate-share.ts'
import { listedId } from '../../core/record-ids.ts'
import {
  type CrmRecord,
  type ImportableResource,
  type ListedResource,
  type PluralOf,
  resourceOf,
} from '../../core/resources/registry.ts'
import type { Where } from '../../expr/expressions.ts'
import { allHeads, allJobs, jobsOfChain } from '../history/find-jobs.ts'
import { readJobState } from '../history/job-state.ts'
import { wrongStage } from '../input/row-draft.ts'
import type { JobPaths } from '../store/job-folder.ts'
import { headOf } from '../store/open-job.ts'
import { keyReaderFor } from './existing.ts'
import type { GivenFields } from './given-fields.ts'
import { type ChainDraft, type MadeImport, makeJob } from './make-job.ts'
import type { Part, Planned } from './plan-builder.ts'
import type { PlanningContext, RowRules } from './planning.ts'

export interface SelectionRequest {
  readonly noun: PluralOf<ListedResource & ImportableResource>
  readonly kind: 'update' | 'delete'
  /** Selects the records. */
  readonly where: Pick<Where, 'keepAll' | 'failure'>
  /** Checks all records before anything is sent. */
  readonly check: {
    see(records: readonly CrmRecord[]): void
    judge(): Promise<void>
  }
  /** The change of each record; undefined deletes. */
  readonly patch: JsonObject | undefined
  /** See GivenFields. */
  readonly of?: GivenFields['of']
  readonly part: Part
  /** Valid names for the stage of a deal; undefined if they are unknown. */
  readonly stages: readonly string[] | undefined
  /** That the job belongs to; undefined: it is alone. */
  readonly chain?: ChainDraft
}

/**
 * Records that an expression selects. All of them are written to the plan, unchanged, before the first one is changed: changing
 * while paging would skip some. If the same command was stopped before, its job is returned instead.
 */
export async function makeSelection(context: PlanningContext, request: SelectionRequest): Promise<MadeImport> {
  const stopped = await stoppedJob(context, request.kind)
  if (stopped) return { type: 'same', job: stopped }
  const { noun, kind, where, check, patch } = request
  const identity = { kind, noun, run: newRun(context), of: undefined }
  context.require(resourceOf(noun), kind)
  const rules = await context.rowRules(noun)
  if (!rules.refersTo('stage')) refuseWrongStage(request)
  const asked = rules.ask(Object.keys(patch ?? {}), kind === 'delete' ? 'all' : undefined)
  const job = await makeJob(
    context,
    { ...identity, ...asked },
    async (builder) => {
      for await (const { items } of context.list(noun)) {
        context.onRead(items.length)
        check.see(items)
        for (const record of await where.keepAll(items)) {
          const planned = plannedFor(request, record, rules)
          if (planned === 'unchanged') builder.leaveOut(planned)
          else builder.add(planned)
        }
      }
      // First: a misspelt member is the usual reason why an expression fails.
      await check.judge()
      const failure = where.failure()
      if (failure) throw failure
    },
    { part: request.part, chain: request.chain },
  )
  return { type: 'made', job, lines: [], leftLines: [] }
}

/** The stage is the same for all records: the server would refuse each one. */
function refuseWrongStage({ patch, stages }: SelectionRequest): void {
  const wrong = wrongStage(patch?.stage, stages)
  if (!wrong) return
  throw new CrmError('invalid_input', `no pipeline has the stage ${JSON.stringify(wrong.shown)}: ${wrong.message}`, {
    hint: 'crm pipelines list',
  })
}

function plannedFor(
  { noun, patch, of, hint = 'correct --set' }: Pick<SelectionRequest, 'noun' | 'patch' | 'of'> & { hint?: string },
  record: CrmRecord,
  rules: RowRules,
): Planned | 'unchanged' {
  const id = listedId(record)
  const planned = { path: pathOfRecord(resourceOf(noun), id), id, before: record }
  if (!patch) return { do: 'delete', ...planned }
  const body = rules.shown(of?.(record) ?? patch, record)
  if (Object.keys(changedMembers(record, body)).length === 0) return 'unchanged'
  const fault = rules.faultIn(body, record)
  if (fault !== undefined) throw new CrmError('invalid_input', `${id}: ${fault}; nothing was sent`, { hint })
  return { do: 'update', ...planned, body }
}

/** A record as a person saw it, and its change; null deletes it. */
export interface ChosenChange {
  readonly row: CrmRecord
  readonly patch: JsonObject | null
}

export interface ChosenRequest extends Pick<SelectionRequest, 'noun' | 'kind'> {
  readonly changes: readonly ChosenChange[]
}

/** Records that a person chose on a screen: a change is refused where the record is not as they saw it. */
export async function makeChosen(
  context: PlanningContext,
  { noun, kind, changes }: ChosenRequest,
): Promise<MadeImport> {
  context.require(resourceOf(noun), kind)
  const rules = await context.rowRules(noun)
  const asked = rules.ask(
    changes.flatMap(({ patch }) => Object.keys(patch ?? {})),
    kind === 'delete' ? 'all' : undefined,
  )
  const isShort = kind === 'delete' && rules.isSelecting
  const whole = isShort ? await wholeRecords(context, noun, changes) : undefined
  const unasked = isShort && !whole && ({ unasked: 'unknown' } as const)
  const identity = { kind, noun, run: newRun(context), of: undefined, ...asked, ...unasked }
  const job = await makeJob(context, identity, async (builder) => {
    for (const { row, patch } of changes) {
      const record = whole?.get(listedId(row)) ?? row
      const isAsSeen = Object.keys(row).every((name) => isSameJson(row[name] ?? null, record[name] ?? null))
      const request = { noun, patch: patch ?? undefined, hint: 'give another value' }
      const planned = plannedFor(request, isAsSeen ? record : row, rules)
      if (planned === 'unchanged') builder.leaveOut(planned)
      else builder.add(planned)
    }
  })
  return { type: 'made', job, lines: [], leftLines: [] }
}

/** With every member that an undo restores, which a screen does not ask for; undefined where the server has no such request. */
async function wholeRecords(context: PlanningContext, noun: ChosenRequest['noun'], changes: readonly ChosenChange[]) {
  const reader = await keyReaderFor(context, noun, ['id'])
  if (!reader) return undefined
  const ids = changes.map(({ row }) => listedId(row))
  const found = new Map<string, CrmRecord>()
  for (let at = 0; at < ids.length; at += reader.size) {
    const terms = { signal: context.signal, rateShare: RATE_SHARE }
    for (const record of await reader.read(ids.slice(at, at + reader.size), terms)) found.set(listedId(record), record)
  }
  return found
}

async function stoppedJob({ jobsFolder, account, command }: PlanningContext, kind: string) {
  const words = meantBy(command)
  for (const paths of allJobs(jobsFolder).toReversed()) {
    const head = headOf(paths)
    if (head.kind !== kind || head.account !== account || head.input || meantBy(head.command) !== words) continue
    const job = await readJobState(paths)
    if (job.state === 'stopped' || job.state === 'running') return job
  }
  return undefined
}

/** The chain that the same command began before and did not end; none: undefined. */
export async function begunChain(
  jobsFolder: string,
  { account, command }: Pick<PlanningContext, 'account' | 'command'>,
): Promise<readonly JobPaths[] | undefined> {
  const words = meantBy(command)
  const own = allHeads(jobsFolder).filter(
    ({ head }) => head.kind === 'update' && head.account === account && meantBy(head.command) === words,
  )
  const chain = own.findLast(({ head }) => head.chain)
  if (!chain) return undefined
  const jobs = jobsOfChain(chain.paths)
  const states = await Promise.all(jobs.map(async (paths) => (await readJobState(paths)).state))
  const isBegun = states.some((state) => state !== 'planned')
  return isBegun && states.some((state) => state !== 'finished' && state !== 'cancelled') ? jobs : undefined
}

/** Flags for output and confirmation, which do not distinguish one command from another. */
const ASIDE: readonly string[] = ['--dry-run', '--exit-code', '--yes', '-y', '--quiet', '-q']

function meantBy(command: readonly string[]): string {
  return JSON.stringify(command.filter((word) => !ASIDE.includes(word)))
}

/** Records are selected each time, so each time is a run of its own. */
function newRun({ account, command }: PlanningContext): string {
  return hash('sha256', JSON.stringify([account, command, randomUUID()]), 'base64url').slice(0, 22)
}

export interface RestoreRequest {
  readonly noun: Exclude<PluralOf<ImportableResource>, 'notes'>
  readonly id: string
  /** The present record. */
  readonly record: CrmRecord
  /** Its earlier values; null for a member that it did not have. */
  readonly patch: JsonObject
}

/** A job of one change, which is sent only while the record has the version that was planned with. */
export async function makeRestore(context: PlanningContext, request: RestoreRequest): Promise<MadeImport> {
  const { noun, id, record, patch: body } = request
  context.require(resourceOf(noun), 'update')
  const run = hash('sha256', JSON.stringify([context.account, id, randomUUID()]), 'base64url').slice(0, 22)
  const identity = { kind: 'update', noun, run, of: undefined } as const
  const job = await makeJob(context, identity, async (builder) => {
    if (Object.keys(body).length === 0) builder.leaveOut('unchanged')
    else builder.add({ do: 'update', path: pathOfRecord(resourceOf(noun), id), id, before: record, body })
  })
  return { type: 'made', job, lines: [], leftLines: [] }
}
