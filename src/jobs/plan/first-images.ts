import type { CrmRecord } from '../../core/resources/registry.ts'
import { allHeads } from '../history/find-jobs.ts'
import type { JobFile } from '../store/job-file.ts'
import { openJob } from '../store/open-job.ts'
import type { PlanningContext } from './planning.ts'
import type { Scratch } from './scratch.ts'

/** More than a job has operations. */
const PLACES = 2 ** 32

export interface FirstImages {
  of(id: string): CrmRecord | undefined
  close(): void
}

/**
 * Records as the first later job read them before it changed or deleted them. A job and its undo leave another version and another
 * time of change, and the values of this image.
 */
export function createFirstImages(
  { jobsFolder, account }: Pick<PlanningContext, 'jobsFolder' | 'account'>,
  scratch: Scratch,
  { head: { job, noun } }: JobFile,
): FirstImages {
  const opened: JobFile[] = []
  const read = () => {
    const places = scratch.keys('images')
    for (const { paths, head } of allHeads(jobsFolder)) {
      if (head.job <= job || head.noun !== noun || head.account !== account) continue
      const at = opened.push(openJob(paths)) - 1
      for (const { op, head } of opened[at]?.all() ?? [])
        if (head.id !== undefined) places.getOrSet(head.id, at * PLACES + op)
    }
    return places
  }
  let places: ReturnType<typeof read> | undefined
  return {
    of: (id) => {
      places ??= read()
      const place = places.getOrSet(id, -1) ?? -1
      return opened[Math.floor(place / PLACES)]?.before(place % PLACES)
    },
    close: () => {
      for (const each of opened) each.close()
    },
  }
}
