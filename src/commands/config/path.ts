import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Act, Context } from '../../context.ts'
import { printValue } from '../print.ts'

export function addConfigPath(config: CommandUnknownOpts, act: Act): void {
  config.command('path').description('print where settings are kept').action(act(printPath))
}

async function printPath(ctx: Context): Promise<undefined> {
  const { config } = (await ctx.settings()).paths()
  return printValue(ctx, config)
}
