import { rmSync } from 'node:fs'
import { withLock } from '../../files/lock.ts'
import { allJobs, headOf } from '../history/find-jobs.ts'
import { readJobState } from '../history/job-state.ts'
import type { JobPaths } from '../journal/job-folder.ts'
import { readJournal } from '../journal/read-journal.ts'
import type { JobKind } from './plan-head.ts'
import type { PlanningContext } from './planning-context.ts'

/**
 * Removes plans that were not confirmed, or whose process ended before the first row: they have sent nothing, and records may
 * have changed since, so they are planned again. CrmError `machine` if another process is starting one of them.
 */
export async function dropPlanned(context: PlanningContext, planned: readonly JobPaths[]): Promise<void> {
  // A dry run changes nothing.
  if (context.draftsFolder !== context.jobsFolder) return
  for (const paths of planned) {
    await withLock(
      paths.lock,
      async () => {
        let isBegun = false
        readJournal(paths.journal, () => {
          isBegun = true
        })
        if (!isBegun) rmSync(paths.folder, { recursive: true, force: true })
      },
      0,
    )
  }
}

/** Removes unsent undos or retries of one job. */
export async function dropPlannedOf(context: PlanningContext, kind: JobKind, id: string): Promise<void> {
  for (const paths of allJobs(context.jobsFolder)) {
    const head = headOf(paths)
    if (head.kind !== kind || head.of !== id) continue
    if ((await readJobState(paths)).state === 'planned') await dropPlanned(context, [paths])
  }
}
