import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Act, Context } from '../context.ts'
import { type CommandGroup, examples } from './command-tree.ts'
import { addScopedFlags } from './flags.ts'
import { userPages } from './owners.ts'
import { listOf, printList } from './print.ts'

export const USERS_COMMANDS: CommandGroup = { description: 'users, who own records', commands: { list: addUsersList } }

function addUsersList(users: CommandUnknownOpts, act: Act): void {
  const list = users
    .command('list')
    .description('list the users, those who have left too, where the server offers it; crm serve has none')
    .addHelpText('after', examples('crm users list', 'crm users list --where \'.status == "archived"\''))
    .action(act(listUsers))
  addScopedFlags(list, ['fields', 'where'])
}

async function listUsers(ctx: Context): Promise<undefined> {
  await printList(ctx, { pages: userPages(await ctx.api()), ...listOf('user') })
}
