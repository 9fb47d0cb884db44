import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Act, Context } from '../../context.ts'
import { examples } from '../command-tree.ts'
import { addScopedFlags, parseTime } from '../flags.ts'
import { printOne } from '../print.ts'
import { DATABASE_HELP, keyRecord, listKeysCommand, withDatabase } from './keys-database.ts'

interface Options {
  readonly database?: string
  readonly overlap: number
}

export function addServeKeysRotate(keys: CommandUnknownOpts, act: Act): void {
  const rotate = keys
    .command('rotate <key-id>')
    .description('replace a key by a new one with the same scopes; it is shown only once')
    .option('--database <file>', DATABASE_HELP)
    .option('--overlap <time>', 'keep the old key valid for this time', parseTime, 0)
    .addHelpText('after', examples('crm serve keys rotate key_0abc --overlap 1h'))
    .action(act(rotateServiceKey))
  addScopedFlags(rotate, ['fields'])
}

async function rotateServiceKey(ctx: Context, id: string, options: Options): Promise<undefined> {
  const { rotateKey } = await ctx.service.keys()
  const nowMs = ctx.now()
  const { key, text } = await withDatabase(ctx, options.database, (store) =>
    rotateKey(store, id, { overlapMs: options.overlap, nowMs, hint: listKeysCommand(options.database) }),
  )
  await printOne(ctx, { ...keyRecord(key, nowMs), key: text })
  ctx.note('Keep the key: it is not shown again.')
}
