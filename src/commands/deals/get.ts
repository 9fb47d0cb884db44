import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Act, Context } from '../../context.ts'
import { examples } from '../examples.ts'
import { findOne } from '../find.ts'
import { addScopedFlags } from '../flags.ts'
import { printOne } from '../print.ts'

export function addDealsGet(deals: CommandUnknownOpts, act: Act): void {
  const get = deals
    .command('get <id>')
    .description('show one deal')
    .addHelpText('after', examples('crm deals get deal_0abc -o json'))
    .action(act(getDeal))
  addScopedFlags(get, ['fields'])
}

async function getDeal(ctx: Context, id: string): Promise<undefined> {
  await printOne(ctx, await findOne(ctx, 'deal', id))
}
