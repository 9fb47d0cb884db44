import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Act, Context } from '../../context.ts'
import { examples } from '../command-tree.ts'
import { DATABASE_HELP, listKeysCommand, withDatabase } from './keys-database.ts'

interface Options {
  readonly database?: string
}

export function addServeKeysRevoke(keys: CommandUnknownOpts, act: Act): void {
  keys
    .command('revoke <key-id>')
    .description('end a key at once')
    .option('--database <file>', DATABASE_HELP)
    .addHelpText('after', examples('crm serve keys revoke key_0abc'))
    .action(act(revokeServiceKey))
}

async function revokeServiceKey(ctx: Context, id: string, options: Options): Promise<undefined> {
  const { revokeKey } = await ctx.service.keys()
  const hint = listKeysCommand(options.database)
  await withDatabase(ctx, options.database, (store) => revokeKey(store, id, { nowMs: ctx.now(), hint }))
  ctx.note(`Key ${id} is revoked: requests with it are refused from now on.`)
}
