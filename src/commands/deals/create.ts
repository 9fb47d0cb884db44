import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Act, Context } from '../../context.ts'
import type { ExitCode } from '../../core/exit.ts'
import { printDryRun } from '../dry-run.ts'
import { examples } from '../examples.ts'
import { collect, DATA_HELP, readFields, SET_HELP } from '../fields-input.ts'
import { addScopedFlags } from '../flags.ts'
import { printOne } from '../print.ts'

interface Options {
  readonly set?: readonly string[]
  readonly data?: string
  readonly idempotencyKey?: string
}

export function addDealsCreate(deals: CommandUnknownOpts, act: Act): void {
  const create = deals
    .command('create')
    .description('create a deal')
    .option('--set <key=value>', SET_HELP, collect)
    .option('--data <file>', DATA_HELP)
    .option('--idempotency-key <key>', 'sent again under the same key, it still happens once')
    .addHelpText(
      'after',
      examples(
        'crm deals create --set name="Engines" --set stage=Lead --set amount:=1200.5',
        'crm deals create --data deal.json -o id',
      ),
    )
    .action(act(createDeal))
  addScopedFlags(create, ['fields', 'dryRun', 'exitCode'])
}

async function createDeal(ctx: Context, options: Options): Promise<ExitCode | undefined> {
  const fields = await readFields(ctx, { set: options.set ?? [], data: options.data })
  if (ctx.flags.isDryRun) return printDryRun(ctx, { method: 'POST', path: '/v1/deals', body: fields })
  const api = await ctx.api()
  return printOne(ctx, await api.deals.create(fields, { idempotencyKey: options.idempotencyKey }))
}
