import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Act, Context } from '../../context.ts'
import { examples } from '../command-tree.ts'
import { printValue } from '../print.ts'

export function addAuthToken(auth: CommandUnknownOpts, act: Act): void {
  auth
    .command('token')
    .description('print the API key in use')
    .addHelpText(
      'after',
      examples('CRM_API_KEY=$(crm auth token -p local) CRM_BASE_URL=http://127.0.0.1:4243 ./script'),
    )
    .action(act(printToken))
}

async function printToken(ctx: Context): Promise<undefined> {
  const { key } = await ctx.target()
  return printValue(ctx, key.value)
}
