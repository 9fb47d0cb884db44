import { renameSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { CrmError } from '../../core/errors.ts'
import { toMachineError } from '../../files/machine-error.ts'
import type { JobPaths } from '../journal/job-folder.ts'
import { type JobState, readJobState } from './job-state.ts'

/** A damaged job: only the reason is known. */
export interface DamagedJob {
  readonly paths: JobPaths
  readonly state: 'damaged'
  readonly reason: string
}

/** For commands that read all jobs: a damaged job must not make them fail. */
export async function stateOrDamage(paths: JobPaths): Promise<JobState | DamagedJob> {
  try {
    return await readJobState(paths)
  } catch (error) {
    if (!(error instanceof CrmError)) throw error
    return { paths, state: 'damaged', reason: error.message }
  }
}

/** Renames the folder of a damaged job, so that no command finds it, and returns the new path. CrmError `conflict` for any other job. */
export async function setAside(paths: JobPaths): Promise<string> {
  const { state } = await stateOrDamage(paths)
  if (state !== 'damaged') {
    const hint = `crm jobs show ${paths.id}`
    throw new CrmError('conflict', `${paths.id} is ${state}, not damaged, so it is not set aside`, { hint })
  }
  const aside = join(dirname(paths.folder), `.damaged-${paths.id}`)
  try {
    renameSync(paths.folder, aside)
  } catch (error) {
    throw toMachineError(error, aside)
  }
  return aside
}
