import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Act, Context } from '../../context.ts'
import { parseSettingKey } from '../../settings/setting.ts'
import { examples } from '../command-tree.ts'
import { printValue } from '../print.ts'
import { requireProfileName } from '../selected-profile.ts'

export function addConfigGet(config: CommandUnknownOpts, act: Act): void {
  config
    .command('get <key>')
    .description('print one setting')
    .addHelpText('after', examples('crm config get base_url', 'crm config get wire.page_size -p local'))
    .action(act(getSetting))
}

/** Prints the plain value, for scripts; an empty line if it is not set. */
async function getSetting(ctx: Context, text: string): Promise<undefined> {
  const key = parseSettingKey(text)
  const values = await (await ctx.settings()).values(await requireProfileName(ctx))
  const value = values.find((setting) => setting.key === key)?.value ?? null
  return printValue(ctx, value)
}
