import { CrmError } from '../../core/errors.ts'
import { PlanFile } from '../plan/plan-file.ts'
import type { JobPaths } from './job-folder.ts'

/** The plan of a job that is kept here. CrmError `machine` where it is damaged: nobody can make that very job anew. */
export function openJobPlan({ id, plan }: Pick<JobPaths, 'id' | 'plan'>): PlanFile {
  return asDamage(id, () => new PlanFile(plan))
}

/** Also compares it with its checksum. */
export function verifyJobPlan(id: string, plan: PlanFile): void {
  asDamage(id, () => plan.verify())
}

function asDamage<Result>(id: string, work: () => Result): Result {
  try {
    return work()
  } catch (cause) {
    if (!(cause instanceof CrmError) || cause.code !== 'invalid_input') throw cause
    throw new CrmError('machine', `${id} is damaged, and what it was for cannot be told: ${cause.message}`, {
      hint: `check the disk, and restore its folder from a backup; or set it aside: crm jobs cancel ${id} --damaged`,
      job: id,
      cause,
    })
  }
}
