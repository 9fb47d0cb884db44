import { join } from 'node:path'
import { CrmError } from '../../core/errors.ts'
import { parseExactJson } from '../../core/exact-json.ts'
import type { JsonObject } from '../../core/json.ts'
import { typedProfile } from '../../core/typed-profile.ts'
import { allJobs, headOf } from '../folder/find-jobs.ts'
import type { JobPaths } from '../folder/job-folder.ts'
import type { Operation } from '../plan/operation.ts'
import { PlanFile } from '../plan/plan-file.ts'
import { refuseOtherAccount } from '../run/job-errors.ts'
import { readJobState } from '../run/job-state.ts'
import { byId, Existing } from './existing.ts'
import { contactPath } from './import-row.ts'
import { type JobResults, readResults } from './job-results.ts'
import type { MadeImport } from './make-import.ts'
import { makeJob } from './make-job.ts'
import type { MakeWorld } from './make-world.ts'
import type { PlanBuilder, Planned } from './plan-builder.ts'
import { BeforeImages } from './read-before.ts'
import { openScratch } from './scratch.ts'
import { Staying, type Stays } from './staying.ts'
import { changesSince, restore, writableOf } from './undo-record.ts'

const STAYS = 'stays.ndjson'

/** A job that takes back what another one did, as far as nobody changed it since; what stays is named. */
export async function makeUndo(world: MakeWorld, paths: JobPaths): Promise<MadeImport> {
  const { state } = await readJobState(paths)
  if (state !== 'finished' && state !== 'cancelled') {
    const hint = `crm jobs resume ${paths.id}${typedProfile(world.command)}, or crm jobs cancel ${paths.id}`
    throw new CrmError('conflict', `${paths.id} has not come to its end`, { hint, job: paths.id })
  }
  const head = headOf(paths)
  refuseOtherAccount(head, world.account)
  const earlier = await undoOf(world, paths.id)
  if (earlier) return { is: 'same', job: earlier }
  const staying = new Staying()
  const job = await makeJob(
    world,
    { kind: 'undo', noun: head.noun, run: `undo.${paths.id}`, of: paths.id },
    async (builder, draft) => {
      staying.open(join(draft.folder, STAYS))
      await planUndo({ world, paths, builder, draft, staying }).finally(() => staying.close())
    },
  )
  const lines = staying.lines(paths.id)
  if (lines.length === 0) return { is: 'made', job, lines }
  const keptNote = `All that stays: ${join(job.paths.folder, STAYS)}`
  return { is: 'made', job: { ...job, keptNote }, lines }
}

async function undoOf({ jobsFolder }: MakeWorld, id: string) {
  for (const paths of allJobs(jobsFolder)) {
    const head = headOf(paths)
    if (head.kind === 'undo' && head.of === id) {
      const job = await readJobState(paths)
      if (job.state !== 'cancelled' && job.state !== 'planned') return job
    }
  }
  return undefined
}

interface UndoParts {
  readonly world: MakeWorld
  readonly paths: JobPaths
  readonly builder: PlanBuilder
  readonly draft: JobPaths
  readonly staying: Staying
}

async function planUndo({ world, paths, builder, draft, staying }: UndoParts): Promise<void> {
  const plan = new PlanFile(paths.plan)
  const scratch = openScratch(draft.folder, 'results')
  const images = new BeforeImages(paths.before)
  try {
    const results = readResults(paths, plan.count, scratch)
    const canRead = plan.head.noun === 'contacts'
    const now = canRead ? await readContacts(world, draft) : undefined
    for (const batch of plan.operations()) {
      for (const operation of batch) {
        const before = await images.of(operation.op)
        const planned = takeBack({ operation, before, results, now, staying })
        if (planned === 'skipped') builder.leaveOut(planned)
        else if (planned) builder.add(planned)
      }
    }
    now?.close()
  } finally {
    await images.close()
    scratch.close()
    plan.close()
  }
}

function readContacts({ list, onRead }: MakeWorld, { folder }: JobPaths): Promise<Existing> {
  return Existing.read({ folder, pages: list('contacts'), keyOf: byId, onRead })
}

interface TakeBack {
  readonly operation: Operation
  readonly before: JsonObject | undefined
  readonly results: JobResults
  /** Undefined where nothing can be taken back. */
  readonly now: Existing | undefined
  readonly staying: Staying
}

/** Undefined for what the job did not do. */
function takeBack({ operation, before, results, now, staying }: TakeBack): Planned | 'skipped' | undefined {
  const { op, head } = operation
  const { id, wasGone } = results.of(op)
  const { progress } = results
  if (progress.endOf(op) === 'doubt' || progress.isUnanswered(op)) return staying.add(doubtAbout(operation))
  if (progress.endOf(op) !== 'done' || wasGone) return undefined
  const stay = (why: Stays['why'], detail: string) => staying.add({ id, why, detail })
  if (!now || id === null) return stay('cannot', 'there is no way to delete it')
  if (head.do === 'delete') {
    if (!before) return stay('cannot', 'what it held was not kept')
    return { do: 'create', path: '/v1/contacts', id, body: writableOf(before) }
  }
  return takeBackWrite({ operation, before, now, staying }, id)
}

/** Of a create or an update that was done. */
function takeBackWrite(
  { operation: { head, body }, before, now, staying }: Omit<TakeBack, 'results' | 'now'> & { readonly now: Existing },
  id: string,
): Planned | 'skipped' {
  const stay = (why: Stays['why'], detail: string) => staying.add({ id, why, detail })
  const [match] = now.find(id)
  if (!match) return stay('gone', 'it was deleted since')
  const written = parseExactJson(body?.toString('utf8') ?? '{}') as JsonObject
  if (head.do === 'create') {
    const changed = changesSince(written, match.record)
    if (changed.length > 0) return stay('conflict', `changed since: ${changed.join(', ')}`)
    return { do: 'delete', path: contactPath(id), id, before: match.record }
  }
  const { patch, conflicts } = restore(before ?? {}, written, match.record)
  if (conflicts.length > 0) stay('conflict', `changed since: ${conflicts.join(', ')}`)
  if (Object.keys(patch).length === 0) return 'skipped'
  return { do: 'update', path: contactPath(id), id, body: patch, before: match.record }
}

function doubtAbout({ op, head: { id, line } }: Operation): Stays {
  return { id: id ?? null, why: 'doubt', detail: line === undefined ? `operation ${op}` : `line ${line}` }
}
