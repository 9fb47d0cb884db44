import { CrmError } from '../../core/errors.ts'
import { idText, type JsonObject, memberOf } from '../../core/json.ts'
import { idLike } from '../../core/record-ids.ts'
import { typedProfile } from '../../core/shell-words.ts'
import type { JobPaths } from '../store/job-folder.ts'
import { headOf, openJob } from '../store/open-job.ts'
import { undosInEffect } from './earlier-jobs.ts'
import { allJobs, keptJob } from './find-jobs.ts'
import { operationResults } from './job-results.ts'
import { readJobState } from './job-state.ts'

/** The id that a record has now; undefined if it was deleted and not made again. */
export type RenewedIds = (id: string) => string | undefined

/** Of the records that merges deleted after this job, or the job that it undoes, had re-pointed deals; undefined for another job. */
export function renewedIds(paths: JobPaths): RenewedIds | undefined {
  const root = rootOf(paths)
  if (headOf(root).kind !== 'repoint') return undefined
  const next = new Map<string, string>()
  const gone = new Set<string>()
  const known = new Set<string>()
  for (const job of allJobs(paths.jobsFolder)) {
    const { needs, kind, of } = headOf(job)
    const isUndo = kind === 'undo' && of !== undefined && known.has(of)
    if (!needs?.includes(root.id) && !isUndo) continue
    known.add(job.id)
    takeResults(job, next, gone)
  }
  return (id) => {
    let now = id
    for (let renewed = next.get(now); renewed !== undefined; renewed = next.get(now)) now = renewed
    return gone.has(now) ? undefined : now
  }
}

function takeResults(job: JobPaths, next: Map<string, string>, gone: Set<string>): void {
  const results = operationResults(job)
  const plan = openJob(job)
  try {
    for (const { op, head } of plan.all()) {
      const result = results[op]
      if (result?.type !== 'done' || head.id === undefined) continue
      if (head.do === 'delete') gone.add(head.id)
      else if (head.restores) gone.delete(head.id)
      else if (head.do === 'create' && result.id !== null) next.set(head.id, result.id)
    }
  } finally {
    plan.close()
  }
}

/** The job that it undoes, or whose undo it undoes, and so on; itself if it is no undo. */
function rootOf(paths: JobPaths): JobPaths {
  let root = paths
  for (let next = undoneBy(root); next; next = undoneBy(root)) root = next
  return root
}

/** The job that an undo reverts, unless that was pruned. */
function undoneBy(paths: JobPaths): JobPaths | undefined {
  const { kind, of } = headOf(paths)
  return kind === 'undo' && of !== undefined ? keptJob(paths.jobsFolder, of) : undefined
}

/** The values of these members, with the ids that their records have now; the id of one that is gone, in its place. */
export function renewed(
  before: JsonObject,
  names: Iterable<string>,
  idNow: RenewedIds,
): { readonly before: JsonObject } | { readonly gone: string } {
  const values: JsonObject = { ...before }
  for (const name of names) {
    const id = idText(memberOf(before, name))
    if (id === undefined) continue
    const now = idNow(id)
    if (now === undefined) return { gone: id }
    values[name] = idLike(memberOf(before, name), now)
  }
  return { before: values }
}

/**
 * CrmError `conflict` for the undo of one job of a merge that would leave deals with contacts that do not exist: that of a job that
 * re-pointed deals while its merge is in effect, and that of the undo of a merge while its deals have the losers again.
 */
export async function refusePartOfMerge(paths: JobPaths, command: readonly string[]): Promise<void> {
  const folder = paths.jobsFolder
  const head = headOf(paths)
  const undone = await undosInEffect(folder)
  if (head.kind === 'repoint') {
    for (const merge of allJobs(folder)) {
      if (!headOf(merge).needs?.includes(paths.id) || undone.has(merge.id)) continue
      const { account, state } = await readJobState(merge)
      if (account.done + account.in_doubt > 0 || state === 'running')
        throw partOf(paths.id, `${merge.id} merged the contacts of its deals`, [merge.id], command)
    }
  }
  const merge = undoneBy(paths)
  if (!merge) return
  const { needs = [] } = headOf(merge)
  const own = needs.flatMap((id) => undone.get(id)?.paths.id ?? [])
  if (own.length > 0) throw partOf(paths.id, 'deals have the contacts that it made again', own, command)
}

function partOf(id: string, why: string, first: readonly string[], command: readonly string[]): CrmError {
  const commands = first.map((job) => `crm jobs undo ${job}${typedProfile(command)}`)
  return new CrmError('conflict', `${id} cannot be undone alone: ${why}`, {
    hint: `first ${commands.join('; ')}`,
    job: id,
  })
}
