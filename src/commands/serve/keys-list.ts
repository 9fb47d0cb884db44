import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Act, Context } from '../../context.ts'
import { examples } from '../command-tree.ts'
import { addScopedFlags } from '../flags.ts'
import { onePage, printList } from '../print.ts'
import { DATABASE_HELP, KEY_COLUMNS, keyRecord, withDatabase } from './keys-database.ts'

interface Options {
  readonly database?: string
}

export function addServeKeysList(keys: CommandUnknownOpts, act: Act): void {
  const list = keys
    .command('list')
    .description('list the keys, including ended ones')
    .option('--database <file>', DATABASE_HELP)
    .addHelpText('after', examples('crm serve keys list', 'crm serve keys list --where \'.state == "live"\' -o id'))
    .action(act(listServiceKeys))
  addScopedFlags(list, ['fields', 'where'])
}

async function listServiceKeys(ctx: Context, options: Options): Promise<undefined> {
  const keys = await withDatabase(ctx, options.database, (store) => store.keys(), 'read')
  const rows = keys.map((key) => keyRecord(key, ctx.now()))
  await printList(ctx, { pages: onePage(rows), columns: KEY_COLUMNS, plural: 'keys' })
}
