import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Act } from '../../context.ts'
import { examples } from '../examples.ts'
import { getByIds } from '../find-many.ts'
import { addScopedFlags } from '../flags.ts'

export function addDealsGet(deals: CommandUnknownOpts, act: Act): void {
  const get = deals
    .command('get <id...>')
    .description('show one deal, or a list of several; - reads ids from stdin')
    .addHelpText(
      'after',
      examples('crm deals get deal_0abc -o json', 'crm deals list --filter stage=Won -o id | crm deals get - -o csv'),
    )
    .action(act((ctx, words: readonly string[]) => getByIds(ctx, 'deal', words)))
  addScopedFlags(get, ['fields', 'progress', 'pager'])
}
