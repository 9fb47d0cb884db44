import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Act, Context } from '../../context.ts'
import { type OpenResource, RESOURCES } from '../../core/resources/registry.ts'
import { examples, type OpenRecordCommand } from '../command-tree.ts'
import { collect } from '../fields-input.ts'
import { createFilterCheck, withWhereHint } from '../filter-check.ts'
import { addScopedFlags, parseFilters } from '../flags.ts'
import { listOf, requestedLimit } from '../print.ts'
import { printChosen } from '../print-chosen.ts'
import { addSummaryFlags, refuseWithoutSummary, type SummaryFlags } from '../summary/print-summary.ts'
import { addWithFlag, type WithFlag } from '../with-linked.ts'

interface Options extends SummaryFlags, WithFlag {
  readonly cursor?: string
  readonly filter?: readonly string[]
}

export function addList(parent: CommandUnknownOpts, act: Act, { resource, examples: lines }: OpenRecordCommand): void {
  const { plural } = RESOURCES[resource]
  const list = parent
    .command('list')
    .description(`list ${plural}; crm serve lists the newest first`)
    .option('--filter <key=value>', `only ${plural} that match this filter of the server (repeatable)`, collect)
    .option('--cursor <cursor>', 'continue an earlier list')
    .addHelpText('after', examples(...lines))
    .action(act((ctx, options: Options) => listRecords(ctx, resource, options)))
  addSummaryFlags(list, resource)
  addWithFlag(list)
  addScopedFlags(list, ['fields', 'where', 'limit'])
}

async function listRecords(ctx: Context, resource: OpenResource, options: Options): Promise<undefined> {
  refuseWithoutSummary(options)
  const api = await ctx.api()
  const limit = options.sort === undefined ? requestedLimit(ctx) : undefined
  const { cursor } = options
  const filters = parseFilters(options.filter ?? [])
  const pages = withWhereHint(api[RESOURCES[resource].plural].list({ limit, cursor, filters }), { resource, filters })
  const checks = [createFilterCheck({ resource, filters, flag: '--filter' })]
  const list = { pages, ...listOf(resource), resource, cursor, checks }
  return printChosen(ctx, list, options)
}
