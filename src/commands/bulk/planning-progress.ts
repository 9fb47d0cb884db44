import type { Context } from '../../context.ts'
import type { PlanningHooks } from '../../jobs/plan/planning.ts'
import { createPlanningProgress } from '../../output/planning-progress.ts'

/** Shows how far reading and planning are, until the work ends. */
export async function withPlanningProgress<Made>(
  ctx: Context,
  work: (hooks: PlanningHooks) => Promise<Made>,
): Promise<Made> {
  const { io, now, flags } = ctx
  const progress = createPlanningProgress({ stderr: io.stderr, flag: flags.isQuiet ? 'none' : flags.progress, now })
  ctx.setWaits(progress.wait)
  try {
    return await work({ onStep: progress.step })
  } finally {
    ctx.setWaits(undefined)
    progress.end()
  }
}
