import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Act, Context } from '../../context.ts'
import { type PlainResource, RESOURCES } from '../../core/resources/registry.ts'
import { examples, type PlainRecordCommand } from '../command-tree.ts'
import { addScopedFlags } from '../flags.ts'
import { printChosen } from '../kept-list.ts'
import { listOf, requestedLimit } from '../print.ts'
import { addSummaryFlags, refuseWithoutSummary, type SummaryFlags } from '../summary/print-summary.ts'

interface Options extends SummaryFlags {
  readonly cursor?: string
}

export function addList(parent: CommandUnknownOpts, act: Act, { resource, examples: lines }: PlainRecordCommand): void {
  const { plural } = RESOURCES[resource]
  const list = parent
    .command('list')
    .description(`list ${plural}; crm serve lists the newest first`)
    .option('--cursor <cursor>', 'continue an earlier list')
    .addHelpText('after', examples(...lines))
    .action(act((ctx, options: Options) => listRecords(ctx, resource, options)))
  addSummaryFlags(list, resource)
  addScopedFlags(list, ['fields', 'where', 'limit'])
}

async function listRecords(ctx: Context, resource: PlainResource, options: Options): Promise<undefined> {
  refuseWithoutSummary(options)
  const api = await ctx.api()
  const limit = options.sort === undefined ? requestedLimit(ctx) : undefined
  const pages = api[RESOURCES[resource].plural].list({ limit, cursor: options.cursor })
  const list = { pages, ...listOf(resource), resource, cursor: options.cursor }
  return printChosen(ctx, list, options)
}
