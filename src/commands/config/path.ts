import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Act, Context } from '../../context.ts'
import { examples } from '../command-tree.ts'
import { printValue } from '../print.ts'

export function addConfigPath(config: CommandUnknownOpts, act: Act): void {
  config
    .command('path')
    .description('print where settings are kept')
    .addHelpText('after', examples('crm config path'))
    .action(act(printPath))
}

async function printPath(ctx: Context): Promise<undefined> {
  const { config } = (await ctx.settings()).paths()
  return printValue(ctx, config)
}
