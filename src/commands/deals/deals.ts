import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Act, Context } from '../../context.ts'
import { type CommandGroup, examples } from '../command-tree.ts'
import { addExportFlags, EXPORT_FILE_HELP, type ExportFlags, exportList } from '../export-list.ts'
import { collect } from '../fields-input.ts'
import { createFilterCheck, createStageCheck } from '../filter-check.ts'
import { addScopedFlags, parseFilters } from '../flags.ts'
import { listOf } from '../print.ts'
import { addCreate } from '../records/create.ts'
import { addDelete } from '../records/delete.ts'
import { addGet } from '../records/get.ts'
import { addRecordHistory } from '../records/history.ts'
import { addImport } from '../records/import.ts'
import { addRestore } from '../records/restore.ts'
import { addUpdate } from '../records/update.ts'
import { addDealsList, FILTER_HELP } from './list.ts'
import { addDealsStale } from './stale.ts'

const EXAMPLES = {
  get: ['crm deals get deal_0abc -o json', 'crm deals list --filter stage=Won -o id | crm deals get - -o csv'],
  create: [
    'crm deals create --set name="Engines" --set stage=Lead --set amount:=1200.5',
    'crm deals create --data deal.json -o id',
  ],
  update: [
    'crm deals update deal_0abc --set stage=Won',
    'crm deals update deal_0abc --set amount:=1200.5 --if-match 3',
    'crm deals update --where \'.stage == "Lead" and .amount < 100\' --set stage=Lost',
    'crm deals update --from amounts.csv --yes',
  ],
  delete: [
    'crm deals delete deal_0abc',
    'crm deals delete - --yes --expect 12 < ids.txt',
    'crm deals delete --where \'.stage == "Lost" and .amount == null\'',
    'crm deals delete --from lost.csv --match name --yes --expect 12',
  ],
  import: [
    'crm deals import deals.csv --dry-run',
    'crm deals import deals.csv',
    'crm deals import deals.csv --match name,pipeline_id --yes',
  ],
}

export const DEALS_COMMANDS: CommandGroup = {
  description: 'list, read, create, change and delete deals',
  commands: {
    list: addDealsList,
    stale: addDealsStale,
    get: (parent, act) => addGet(parent, act, { resource: 'deal', examples: EXAMPLES.get }),
    history: (parent, act) => addRecordHistory(parent, act, { resource: 'deal' }),
    restore: (parent, act) => addRestore(parent, act, 'deal'),
    create: (parent, act) => addCreate(parent, act, { resource: 'deal', examples: EXAMPLES.create }),
    update: (parent, act) => addUpdate(parent, act, { resource: 'deal', examples: EXAMPLES.update }),
    delete: (parent, act) => addDelete(parent, act, { resource: 'deal', examples: EXAMPLES.delete }),
    export: addDealsExport,
    import: (parent, act) => addImport(parent, act, { resource: 'deal', examples: EXAMPLES.import }),
  },
}

interface ExportOptions extends ExportFlags {
  readonly filter?: readonly string[]
}

function addDealsExport(deals: CommandUnknownOpts, act: Act): void {
  const all = deals
    .command('export')
    .description('write all deals to a file; if it fails, no file is written')
    .argument('<file>', EXPORT_FILE_HELP)
    .option('--filter <key=value>', FILTER_HELP, collect)
    .addHelpText(
      'after',
      examples(
        'crm deals export deals.csv',
        'crm deals export won.csv --filter stage=Won',
        'crm deals export - -o jsonl | gzip > deals.jsonl.gz',
      ),
    )
    .action(act(exportDeals))
  addExportFlags(all)
  addScopedFlags(all, ['export'])
}

async function exportDeals(ctx: Context, file: string, options: ExportOptions): Promise<undefined> {
  const filters = parseFilters(options.filter ?? [])
  const api = await ctx.api()
  const pages = api.deals.list({ filters })
  const checks = [createStageCheck(ctx, filters), createFilterCheck({ filters, flag: '--filter' })]
  return exportList(ctx, file, { pages, ...listOf('deal'), checks }, options)
}
