import { existsSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { CrmError } from '../../core/errors.ts'
import { ID_PREFIXES } from '../../core/ids.ts'
import { namesIn } from '../../files/folders.ts'
import { type JobPaths, jobPaths, openJobPlan } from '../journal/job-folder.ts'
import type { PlanHead } from '../plan/plan-head.ts'
import { stateOrDamage } from './damaged-job.ts'

/** The jobs of a folder, the oldest first; none if it does not exist. */
export function allJobs(jobsFolder: string): readonly JobPaths[] {
  const names = namesIn(jobsFolder).filter((name) => name.startsWith(ID_PREFIXES.job))
  return names.toSorted().map((id) => jobPaths(jobsFolder, id))
}

/** By id, or by a suffix of it that no other job has; CrmError `not_found`. */
export function findJob(jobsFolder: string, word: string): JobPaths {
  const exact = jobPaths(jobsFolder, word)
  if (word.startsWith(ID_PREFIXES.job) && !word.includes('/') && existsSync(exact.plan)) return exact
  const found = allJobs(jobsFolder).filter(({ id }) => word.length >= 3 && id.endsWith(word))
  if (found[0] && found.length === 1) return found[0]
  const reason =
    found.length > 1 ? `${found.length} jobs end in ${JSON.stringify(word)}` : `there is no job ${JSON.stringify(word)}`
  throw new CrmError('not_found', `${reason} in ${jobsFolder}`, { hint: 'crm jobs list' })
}

export function headOf(paths: JobPaths): PlanHead {
  const file = openJobPlan(paths)
  file.close()
  return file.head
}

/** An older draft belongs to a process that has ended. */
const DRAFT_LIFE_MS = 24 * 3_600_000

export interface Pruned {
  readonly id: string
  readonly state: string
  readonly endedMs: number
}

/** Jobs that ended before `beforeMs`; those that can be resumed are kept. */
export async function* prunable(jobsFolder: string, beforeMs: number): AsyncGenerator<Pruned, void, undefined> {
  for (const paths of allJobs(jobsFolder)) {
    const job = await stateOrDamage(paths)
    if (job.state === 'damaged') continue
    const { state, progress, head } = job
    if (state !== 'finished' && state !== 'cancelled') continue
    const endedMs = progress.lastMs ?? head.made_at
    if (endedMs < beforeMs) yield { id: paths.id, state, endedMs }
  }
}

/** Also removes what an interrupted planning left behind. */
export function removeJobs(jobsFolder: string, ids: readonly string[], nowMs: number): void {
  for (const id of ids) rmSync(join(jobsFolder, id), { recursive: true, force: true })
  for (const name of namesIn(jobsFolder)) {
    const folder = join(jobsFolder, name)
    const stats = statSync(folder, { throwIfNoEntry: false })
    if (name.startsWith('.new-') && stats && nowMs - stats.mtimeMs > DRAFT_LIFE_MS)
      rmSync(folder, { recursive: true, force: true })
  }
}
