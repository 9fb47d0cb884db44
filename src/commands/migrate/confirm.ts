import type { Context } from '../../context.ts'
import { CrmError } from '../../core/errors.ts'
import { counted } from '../../core/resources/registry.ts'
import type { ResourcePlan } from '../../migration/plan-jobs.ts'
import { askYesNo, canAsk } from '../../output/prompt.ts'
import { commandLine, withFlag } from '../command-line.ts'
import { confirmProtected, placeText } from '../confirm.ts'

interface Confirmation {
  readonly plans: readonly ResourcePlan[]
  readonly count: number
  /** `--expect`, as typed. */
  readonly expect: number | undefined
}

/** Returns only if the creates are confirmed. */
export async function confirmMigration(
  ctx: Context,
  to: Context,
  { plans, count, expect }: Confirmation,
): Promise<void> {
  const parts = plans.filter(({ create }) => create > 0).map(({ create, type }) => counted(create, type))
  const toDo = `create ${parts.join(', ')}`
  const target = await to.target()
  const place = placeText(target)
  if (expect !== undefined && expect !== count) {
    throw new CrmError('unconfirmed', `--expect ${expect}, but this would create ${count} records; nothing was sent`, {
      hint: withFlag(ctx.argv, '--expect', String(count)),
    })
  }
  if (target.isProtected) {
    await confirmProtected(to, { count, toDo, expect, isStdinFree: true })
    return
  }
  if (ctx.flags.isConfirmed) return
  if (!canAsk(ctx)) {
    throw new CrmError('unconfirmed', `this would ${toDo} at ${place}, and needs --yes`, {
      hint: commandLine([...ctx.argv, '--yes']),
    })
  }
  const isSure = await askYesNo(ctx.io, `This will ${toDo} at ${place}. Go on? [y/N] `, ctx.signal)
  if (!isSure) throw new CrmError('unconfirmed', 'not confirmed; nothing was sent', { hint: commandLine(ctx.argv) })
}
