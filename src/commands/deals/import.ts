import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Act, Context } from '../../context.ts'
import type { ExitCode } from '../../core/exit.ts'
import { addImportFlags, type ImportFlags, importRows } from '../bulk/import-rows.ts'
import { examples } from '../examples.ts'

export function addDealsImport(deals: CommandUnknownOpts, act: Act): void {
  const command = deals
    .command('import <file>')
    .description('create deals from a csv, tsv, jsonl, json or yaml file; - reads stdin')
    .addHelpText('after', examples('crm deals import deals.csv --dry-run', 'crm deals import deals.csv'))
    .action(act(importDeals))
  addImportFlags(command)
}

function importDeals(ctx: Context, file: string, flags: ImportFlags): Promise<ExitCode> {
  return importRows(ctx, { noun: 'deals', kind: 'import' }, file, flags)
}
