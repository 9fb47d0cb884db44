import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Act, Context } from '../../context.ts'
import { examples } from '../command-tree.ts'
import { collect } from '../fields-input.ts'
import { parseFilters } from '../filters.ts'
import { addScopedFlags } from '../flags.ts'
import { listOf, printList, requestedLimit } from '../print.ts'
import { createFilterCheck, createStageCheck } from './filter-check.ts'
import { printSummary } from './summary.ts'

interface Options {
  readonly cursor?: string
  readonly filter?: readonly string[]
  readonly summary?: string
}

export function addDealsList(deals: CommandUnknownOpts, act: Act): void {
  const list = deals
    .command('list')
    .description('list deals, newest first')
    .option('--filter <key=value>', 'only deals that match this filter of the server (repeatable)', collect)
    .option('--summary <member>', 'number of deals and sum of amounts by the values of a member')
    .option('--cursor <cursor>', 'continue an earlier list')
    .addHelpText(
      'after',
      examples(
        'crm deals list --filter stage=Won',
        "crm deals list --filter 'amount[gte]=1000' -o json",
        'crm deals list --summary stage',
        "crm deals list --where '.amount > 1000 and .owner_id == null'",
      ),
    )
    .action(act(listDeals))
  addScopedFlags(list, ['fields', 'where', 'limit'])
}

async function listDeals(ctx: Context, options: Options): Promise<undefined> {
  const filters = parseFilters(options.filter ?? [])
  const api = await ctx.api()
  const query = { limit: requestedLimit(ctx), cursor: options.cursor, filters }
  const pages = api.deals.list(query)
  const filterCheck = createFilterCheck(ctx, { ...query, flag: '--filter' })
  const list = { pages, ...listOf('deal'), checks: [createStageCheck(ctx, filters), filterCheck] }
  return options.summary === undefined ? printList(ctx, list) : printSummary(ctx, list, options.summary)
}
