import { rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { namesIn } from '../../files/names-in.ts'
import { stateOrDamage } from './damaged-job.ts'
import { allJobs } from './find-jobs.ts'

/** A plan that takes longer than this is not being made any more. */
const DRAFT_LIFE_MS = 24 * 3_600_000

export interface Pruned {
  readonly id: string
  readonly state: string
  readonly endedMs: number
}

/** Jobs that came to their end before `beforeMs`; what can still be resumed stays. What planning left behind goes too. */
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

export function removeJobs(jobsFolder: string, ids: readonly string[], nowMs: number): void {
  for (const id of ids) rmSync(join(jobsFolder, id), { recursive: true, force: true })
  for (const name of namesIn(jobsFolder)) {
    const folder = join(jobsFolder, name)
    const stats = statSync(folder, { throwIfNoEntry: false })
    if (name.startsWith('.new-') && stats && nowMs - stats.mtimeMs > DRAFT_LIFE_MS)
      rmSync(folder, { recursive: true, force: true })
  }
}
