import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Act, Context } from '../../context.ts'
import { examples } from '../examples.ts'
import { findOne } from '../find.ts'
import { addScopedFlags } from '../flags.ts'
import { printOne } from '../print.ts'

export function addContactsGet(contacts: CommandUnknownOpts, act: Act): void {
  const get = contacts
    .command('get <id>')
    .description('show one contact')
    .addHelpText('after', examples('crm contacts get con_0abc -o json'))
    .action(act(getContact))
  addScopedFlags(get, ['fields'])
}

async function getContact(ctx: Context, id: string): Promise<undefined> {
  await printOne(ctx, await findOne(ctx, 'contact', id))
}
