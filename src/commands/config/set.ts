import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Act, Context } from '../../context.ts'
import { parseSettingKey } from '../../settings/setting.ts'
import { examples } from '../command-tree.ts'
import { requireProfileName } from '../selected-profile.ts'
import { noteOtherServer } from './note-other-server.ts'

export function addConfigSet(config: CommandUnknownOpts, act: Act): void {
  config
    .command('set <key> <value>')
    .description('change one setting')
    .addHelpText('after', examples('crm config set protected true', 'crm config set wire.page_size 500 -p local'))
    .action(act(setSetting))
}

async function setSetting(ctx: Context, text: string, value: string): Promise<undefined> {
  const key = parseSettingKey(text)
  const name = await requireProfileName(ctx)
  const settings = await ctx.settings()
  await settings.setSetting(name, key, value)
  ctx.note(`Profile ${name}: ${key} = ${value}`)
  await noteOtherServer(ctx, name)
}
