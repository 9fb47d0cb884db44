import { CrmError } from '../core/errors.ts'
import { type Resource, resourceOf } from '../core/resources/registry.ts'
import type { JobState } from '../jobs/history/job-state.ts'
import type { Jobs } from '../jobs/jobs.ts'
import type { JobPaths } from '../jobs/store/job-folder.ts'
import { headOf, openJob } from '../jobs/store/open-job.ts'
import type { IdMap } from './id-map.ts'
import type { Pair } from './pair.ts'

/** The jobs of a migration and their undos, the oldest first. */
export interface Chain {
  readonly jobs: readonly JobPaths[]
  readonly undos: readonly JobPaths[]
}

export function chainOf(jobs: Pick<Jobs, 'all'>, { run, to }: Pair): Chain {
  const own: JobPaths[] = []
  const undos: JobPaths[] = []
  const known = new Set<string>()
  for (const paths of jobs.all()) {
    const head = headOf(paths)
    if (head.account !== to) continue
    const isOwn = head.kind === 'migrate' && head.run.startsWith(`${run}.`)
    const isUndo = head.kind === 'undo' && head.of !== undefined && known.has(head.of)
    if (isOwn || isUndo) known.add(paths.id)
    if (isOwn) own.push(paths)
    if (isUndo) undos.push(paths)
  }
  return { jobs: own, undos }
}

/** Records of the source whose create is in doubt, by resource: they are not sent by another job. */
export type Doubtful = ReadonlyMap<Resource, ReadonlySet<string>>

/** Jobs of the chain that were stopped, or have rows in doubt. */
export async function unsettledJobs(jobs: Pick<Jobs, 'of'>, { jobs: own }: Chain): Promise<readonly JobPaths[]> {
  const found: JobPaths[] = []
  for (const paths of own) {
    const { state, account } = await jobs.of(paths).state()
    if (state === 'stopped' || (state === 'finished' && account.in_doubt > 0)) found.push(paths)
  }
  return found
}

/**
 * Adds the results of the jobs to the id map, and takes out what their undos deleted. Jobs that have sent nothing are removed. CrmError
 * `conflict` for a job that has not ended, or whose results are lost. `isTrial`: nothing is removed, and jobs may be stopped.
 */
export async function collectResults(jobs: Jobs, chain: Chain, ids: IdMap, isTrial: boolean): Promise<Doubtful> {
  const doubtful = new Map<Resource, Set<string>>()
  const ended = new Set<string>()
  const undone = new Set<string>()
  const inOrder = [...chain.jobs, ...chain.undos].toSorted((one, other) => (one.id < other.id ? -1 : 1))
  for (const paths of inOrder) {
    const state = await jobs.of(paths).state()
    ended.add(paths.id)
    if (state.state === 'planned') {
      if (!isTrial) await jobs.remove([paths.id])
      continue
    }
    refuseUnfinished(state, isTrial)
    takeJob(jobs, state, { ids, doubtful, undone })
  }
  const lost = [...ids.open].find((id) => !ended.has(id))
  if (lost !== undefined) throw lostJob(lost)
  for (const id of ended) ids.open.delete(id)
  return doubtful
}

interface Collected {
  readonly ids: IdMap
  readonly doubtful: Map<Resource, Set<string>>
  /** Undos so far; an undo of one of them makes records again. */
  readonly undone: Set<string>
}

function takeJob(jobs: Jobs, state: JobState, { ids, doubtful, undone }: Collected): void {
  const type = resourceOf(state.head.noun)
  if (state.head.kind === 'undo') takeUndo(jobs, state, { ids, type, undone })
  else takeResults(jobs, state.paths, { ids, type, doubtful })
}

type Results = Pick<Collected, 'ids' | 'doubtful'> & { readonly type: Resource }

function takeResults(jobs: Jobs, paths: JobPaths, { ids, type, doubtful }: Results): void {
  const results = jobs.of(paths).results()
  const inDoubt = doubtful.get(type) ?? new Set()
  doubtful.set(type, inDoubt)
  const plan = openJob(paths)
  try {
    for (const { op, head } of plan.all()) {
      const { source } = head
      const result = results[op]
      if (source === undefined || !result) continue
      inDoubt.delete(source)
      if (result.type === 'done' && result.id !== null) ids.set(type, source, result.id)
      else if (result.type === 'doubt' || result.type === 'done') inDoubt.add(source)
    }
  } finally {
    plan.close()
  }
}

type Undone = Pick<Collected, 'ids' | 'undone'> & { readonly type: Resource }

function takeUndo(jobs: Jobs, { paths, head }: JobState, { ids, type, undone }: Undone): void {
  if (head.of !== undefined && undone.has(head.of)) throw undoneUndo(paths.id, head.of)
  undone.add(paths.id)
  const results = jobs.of(paths).results()
  const plan = openJob(paths)
  const gone = new Set<string>()
  try {
    for (const { op, head: operation } of plan.all()) {
      if (operation.do === 'delete' && operation.id !== undefined && results[op]?.type === 'done')
        gone.add(operation.id)
    }
  } finally {
    plan.close()
  }
  ids.forget(type, gone)
}

function refuseUnfinished({ paths: { id }, state }: JobState, isTrial: boolean): void {
  if (state !== 'running' && (state !== 'stopped' || isTrial)) return
  const what = state === 'running' ? 'is running' : 'was stopped before its end'
  throw new CrmError('conflict', `${id} ${what}; it belongs to this migration`, {
    hint: `crm jobs resume ${id} -p PROFILE, with the profile of --to`,
    job: id,
  })
}

function lostJob(id: string): CrmError {
  return new CrmError('conflict', `${id} of this migration was removed before the ids of its records were kept`, {
    hint: 'its records exist, and would be created again; restore the folder of the job from a backup',
    job: id,
  })
}

/** The records that it made again have new ids, which only that job knows. */
function undoneUndo(id: string, of: string): CrmError {
  return new CrmError('conflict', `${id} made records of this migration again, which ${of} had deleted`, {
    hint: `crm jobs undo ${id} -p PROFILE deletes them, and then they can be migrated`,
    job: id,
  })
}
