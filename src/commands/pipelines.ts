import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Act, Context } from '../context.ts'
import { type CommandGroup, examples } from './command-tree.ts'
import { addScopedFlags } from './flags.ts'
import { listOf, printList, requestedLimit } from './print.ts'

export const PIPELINES_COMMANDS: CommandGroup = {
  description: 'pipelines and their stages',
  commands: {
    list: addPipelinesList,
    stages: addPipelinesStages,
  },
}

interface Options {
  readonly cursor?: string
}

function addPipelinesList(pipelines: CommandUnknownOpts, act: Act): void {
  const list = pipelines
    .command('list')
    .description('list the pipelines with their stages, where the server offers it')
    .option('--cursor <cursor>', 'continue an earlier list')
    .addHelpText('after', examples('crm pipelines list', 'crm pipelines list -o id'))
    .action(act(listPipelines))
  addScopedFlags(list, ['fields', 'where', 'limit'])
}

async function listPipelines(ctx: Context, options: Options): Promise<undefined> {
  const api = await ctx.api()
  const query = { limit: requestedLimit(ctx), cursor: options.cursor, filters: {} }
  await printList(ctx, { pages: api.pipelines.list(query), ...listOf('pipeline') })
}

function addPipelinesStages(pipelines: CommandUnknownOpts, act: Act): void {
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
