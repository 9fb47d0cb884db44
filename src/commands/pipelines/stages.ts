import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Act, Context } from '../../context.ts'
import { examples } from '../command-tree.ts'
import { addScopedFlags } from '../flags.ts'
import { listOf, printList } from '../print.ts'

export function addPipelinesStages(pipelines: CommandUnknownOpts, act: Act): void {
  const stages = pipelines
    .command('stages <pipeline-id>')
    .description('list the stages of a pipeline, in order')
    .addHelpText('after', examples('crm pipelines stages sales'))
    .action(act(listStages))
  addScopedFlags(stages, ['fields', 'where'])
}

async function listStages(ctx: Context, pipelineId: string): Promise<undefined> {
  const api = await ctx.api()
  await printList(ctx, { pages: api.stages(pipelineId).list(), ...listOf('stage') })
}
