import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Act } from '../../context.ts'
import { examples } from '../examples.ts'
import { getByIds } from '../find-many.ts'
import { addScopedFlags } from '../flags.ts'

export function addContactsGet(contacts: CommandUnknownOpts, act: Act): void {
  const get = contacts
    .command('get <id...>')
    .description('show one contact, or a list of several; - reads ids from stdin')
    .addHelpText('after', examples('crm contacts get con_0abc -o json', 'crm contacts get - -o csv < ids.txt'))
    .action(act((ctx, words: readonly string[]) => getByIds(ctx, 'contact', words)))
  addScopedFlags(get, ['fields', 'progress', 'pager'])
}
