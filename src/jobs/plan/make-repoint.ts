import { pathOfRecord } from '../../api/transport/call.ts'
import { CrmError } from '../../core/errors.ts'
import { idText, type JsonObject, memberOf } from '../../core/json.ts'
import { idLike, listedId } from '../../core/record-ids.ts'
import { type CrmRecord, counted, resourceOf } from '../../core/resources/registry.ts'
import { undosInEffect } from '../history/earlier-jobs.ts'
import { allJobs } from '../history/find-jobs.ts'
import { readJobState } from '../history/job-state.ts'
import type { JobPaths } from '../store/job-folder.ts'
import { headOf } from '../store/open-job.ts'
import { dropPlanned, type MadeJob, makeJob, type PlanningContext } from './make-job.ts'
import type { Planned } from './plan-builder.ts'

/** The records that name others. */
const REPOINTED = 'deals'

/** The member of deals that names a record of the merged resource. */
export interface Reference {
  readonly member: string
  /** The server takes it of a new deal alone. */
  readonly isFixed: boolean
}

interface RepointRequest {
  readonly reference: Reference
  /** The run of the merge, without what tells its repetitions apart. */
  readonly run: string
  /** By the id of the loser. */
  readonly winners: ReadonlyMap<string, string>
}

export interface Repoints {
  /** Jobs of the run that re-pointed deals before, and were not undone. */
  readonly earlier: readonly string[]
  readonly made: MadeJob | undefined
}

/** A job that gives the deals of the losers to their winners. CrmError `not_supported` if deals name losers and cannot change. */
export async function makeRepoints(context: PlanningContext, request: RepointRequest): Promise<Repoints> {
  const { jobs, earlier } = await earlierRepoints(context, request.run)
  const { member } = request.reference
  const rules = await context.rowRules(REPOINTED)
  const asked = rules.ask([member])
  const referring: CrmRecord[] = []
  for await (const { items } of context.list(REPOINTED)) {
    context.onRead(items.length)
    referring.push(...items.filter((deal) => request.winners.has(idText(deal[member]) ?? '')))
  }
  if (referring.length === 0) return { earlier, made: undefined }
  requireUpdate(context, request, referring)
  const run = `repoint.${request.run}.${jobs.length}`
  const identity = {
    kind: 'repoint',
    noun: REPOINTED,
    run,
    of: undefined,
    ...asked,
  } as const
  const made = await makeJob(context, identity, async (builder) => {
    for (const deal of referring) {
      const planned = repointed(deal, request)
      const body = rules.shown(planned.body, deal)
      const fault = rules.faultIn(body, deal)
      if (fault !== undefined) throw refused(planned.id ?? '', fault)
      builder.add({ ...planned, body })
    }
  })
  return { earlier, made }
}

function repointed(
  deal: CrmRecord,
  { reference: { member }, winners }: RepointRequest,
): Planned & { readonly body: JsonObject } {
  const id = listedId(deal)
  const value = memberOf(deal, member)
  const winner = winners.get(idText(value) ?? '') ?? ''
  const body = { [member]: idLike(value, winner) }
  return { do: 'update', path: pathOfRecord(resourceOf(REPOINTED), id), id, before: deal, body }
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
  if (request.reference.isFixed)
    throw stillReferred(request, referring, 'this server does not let the contact of a deal change')
  try {
    context.require(resourceOf(REPOINTED), 'update')
  } catch (error) {
    if (!(error instanceof CrmError) || error.code !== 'not_supported') throw error
    throw stillReferred(request, referring, 'this server changes no deals', error)
  }
}

const MOST_NAMED = 5

function stillReferred(
  { reference: { member } }: RepointRequest,
  referring: readonly CrmRecord[],
  why: string,
  cause?: CrmError,
): CrmError {
  const named = referring.slice(0, MOST_NAMED).map((deal) => `${listedId(deal)} to ${idText(deal[member])}`)
  const more = referring.length > named.length ? `, and ${referring.length - named.length} more` : ''
  const verb = referring.length === 1 ? 'refers' : 'refer'
  const what = `${counted(referring.length, 'deal')} ${verb} to losers (${member}), and ${why}`
  return new CrmError('not_supported', `${what}: ${named.join(', ')}${more}; nothing was sent`, {
    hint: '--losers mark=MEMBER keeps the losers',
    ...(cause && { cause }),
  })
}

function refused(id: string, fault: string): CrmError {
  return new CrmError('invalid_input', `${id}: ${fault}; nothing was sent`, {
    hint: 'correct that deal, or leave the group of its contact out',
  })
}
