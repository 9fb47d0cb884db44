import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Act, Context } from '../../context.ts'
import { examples } from '../command-tree.ts'
import { addScopedFlags } from '../flags.ts'
import { onePage, printList } from '../print.ts'
import { requireProfileName } from '../selected-profile.ts'
import { noteOtherServer } from './note-other-server.ts'

export function addConfigList(config: CommandUnknownOpts, act: Act): void {
  const list = config
    .command('list')
    .description('list the settings of a profile')
    .addHelpText('after', examples('crm config list', "crm config list -p prod --where '.is_default | not'"))
    .action(act(listSettings))
  addScopedFlags(list, ['fields', 'where'])
}

async function listSettings(ctx: Context): Promise<undefined> {
  const name = await requireProfileName(ctx)
  const values = await (await ctx.settings()).values(name)
  const rows = values.map(({ key, value, isDefault, meaning }) => ({ key, value, is_default: isDefault, meaning }))
  await printList(ctx, { pages: onePage(rows), columns: ['key', 'value', 'is_default', 'meaning'], plural: 'settings' })
  await noteOtherServer(ctx, name)
}
