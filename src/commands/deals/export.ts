import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Act, Context } from '../../context.ts'
import { examples } from '../command-tree.ts'
import { exportList, FILE_HELP } from '../export-list.ts'
import { collect } from '../fields-input.ts'
import { parseFilters } from '../filters.ts'
import { addScopedFlags } from '../flags.ts'
import { listOf } from '../print.ts'
import { createFilterCheck, createStageCheck } from './filter-check.ts'

interface Options {
  readonly filter?: readonly string[]
}

export function addDealsExport(deals: CommandUnknownOpts, act: Act): void {
  const all = deals
    .command('export')
    .description('write all deals to a file, whole or not at all')
    .argument('<file>', FILE_HELP)
    .option('--filter <key=value>', 'only deals that match this filter of the server (repeatable)', collect)
    .addHelpText(
      'after',
      examples(
        'crm deals export deals.csv',
        'crm deals export won.csv --filter stage=Won',
        'crm deals export - -o jsonl | gzip > deals.jsonl.gz',
      ),
    )
    .action(act(exportDeals))
  addScopedFlags(all, ['export'])
}

async function exportDeals(ctx: Context, file: string, options: Options): Promise<undefined> {
  const filters = parseFilters(options.filter ?? [])
  const api = await ctx.api()
  const pages = api.deals.list({ filters })
  const checks = [createStageCheck(ctx, filters), createFilterCheck(ctx, { filters, flag: '--filter' })]
  return exportList(ctx, file, { pages, ...listOf('deal'), checks })
}
