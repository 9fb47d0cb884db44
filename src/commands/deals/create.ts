import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Act, Context } from '../../context.ts'
import type { ExitCode } from '../../core/exit.ts'
import { printDryRun } from '../dry-run.ts'
import { examples } from '../examples.ts'
import { addFieldsFlags, type FieldsOptions, readFields, writeOptions } from '../fields-input.ts'
import { addScopedFlags } from '../flags.ts'
import { noteOtherValues } from '../note-other-values.ts'
import { refuseTextForNumber } from '../number-fields.ts'
import { printWritten } from '../print.ts'

export function addDealsCreate(deals: CommandUnknownOpts, act: Act): void {
  const create = deals
    .command('create')
    .description('create a deal')
    .addHelpText(
      'after',
      examples(
        'crm deals create --set name="Engines" --set stage=Lead --set amount:=1200.5',
        'crm deals create --data deal.json -o id',
      ),
    )
    .action(act(createDeal))
  addFieldsFlags(create)
  addScopedFlags(create, ['fields', 'dryRun', 'exitCode'])
}

async function createDeal(ctx: Context, options: FieldsOptions): Promise<ExitCode | undefined> {
  const fields = await readFields(ctx, options, 'deal')
  if (ctx.flags.isDryRun) return printDryRun(ctx, { method: 'POST', path: '/v1/deals', body: fields })
  await refuseTextForNumber(ctx, options, 'deal')
  const api = await ctx.api()
  const write = writeOptions(ctx, options)
  const record = await api.deals.create(fields, write)
  noteOtherValues(ctx, record, fields)
  return printWritten(ctx, record, 'deal')
}
