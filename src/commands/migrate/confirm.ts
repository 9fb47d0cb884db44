import type { Context } from '../../context.ts'
import { CrmError } from '../../core/errors.ts'
import { counted } from '../../core/resources/registry.ts'
import type { ResourcePlan } from '../../migration/plan-jobs.ts'
import { withFlag } from '../command-line.ts'
import { confirmChange, confirmProtected } from '../confirm.ts'

interface Confirmation {
  readonly plans: readonly ResourcePlan[]
  readonly count: number
  /** `--expect`, as typed. */
  readonly expect: number | undefined
}

/** Returns only if the creates on the target are confirmed. */
export async function confirmMigration(to: Context, { plans, count, expect }: Confirmation): Promise<void> {
  const parts = plans.filter(({ create }) => create > 0).map(({ create, type }) => counted(create, type))
  const toDo = `create ${parts.join(', ')}`
  if (expect !== undefined && expect !== count) {
    throw new CrmError('unconfirmed', `--expect ${expect}, but this would create ${count} records; nothing was sent`, {
      hint: withFlag(to.argv, '--expect', String(count)),
    })
  }
  const { isProtected } = await to.target()
  if (isProtected) await confirmProtected(to, { count, toDo, expect, isStdinFree: true })
  else await confirmChange(to, { toDo, isStdinFree: true })
}
