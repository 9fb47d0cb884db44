import type { Context } from '../../context.ts'
import { CrmError } from '../../core/errors.ts'
import type { ListCheck } from '../member-check.ts'

/**
 * CrmError `usage` for a stage in `--filter` that no pipeline has, when the server lists pipelines. It is asked only about
 * stages without a deal.
 */
export function createStageCheck(ctx: Pick<Context, 'jobs'>, filters: Readonly<Record<string, string>>): ListCheck {
  const unseen = new Map((filters.stage?.split(',') ?? []).map((stage) => [stage.toLowerCase(), stage]))
  return {
    see: (deals) => {
      for (const { stage } of deals) if (typeof stage === 'string') unseen.delete(stage.toLowerCase())
    },
    judge: async () => {
      if (unseen.size === 0) return
      const wrong = await (await ctx.jobs()).unknownStage([...unseen.values()])
      if (!wrong) return
      const what = `--filter stage=${filters.stage}: no pipeline has the stage ${JSON.stringify(wrong.shown)}`
      throw new CrmError('usage', `${what}: ${wrong.message}`, { hint: 'crm pipelines list' })
    },
  }
}
