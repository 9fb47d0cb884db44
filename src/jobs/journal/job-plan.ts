import { CrmError } from '../../core/errors.ts'
import { PlanFile } from '../plan/plan-file.ts'
import type { JobPaths } from './job-folder.ts'

/** The plan of a job that is kept here. CrmError `machine` where it is damaged: it cannot be made again. */
export function openJobPlan({ id, plan }: Pick<JobPaths, 'id' | 'plan'>): PlanFile {
  return asDamage(id, () => new PlanFile(plan))
}

/** Head and counts of a plan that matches its checksum; it is read to its end, and closed. */
export function readJobPlan(paths: Pick<JobPaths, 'id' | 'plan'>): Pick<PlanFile, 'head' | 'end' | 'count'> {
  const plan = openJobPlan(paths)
  try {
    verifyJobPlan(paths.id, plan)
    return plan
  } finally {
    plan.close()
  }
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
    throw new CrmError('machine', `${id} is damaged, and its rows are unknown: ${cause.message}`, {
      hint: `check the disk, and restore its folder from a backup; or set it aside: crm jobs cancel ${id} --damaged`,
      job: id,
      cause,
    })
  }
}
