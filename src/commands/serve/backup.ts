import { resolve } from 'node:path'
import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Act, Context } from '../../context.ts'
import { CrmError } from '../../core/errors.ts'
import { examples } from '../command-tree.ts'
import { addScopedFlags } from '../flags.ts'
import { printOne } from '../print.ts'
import { databaseLocation } from './database.ts'
import { DATABASE_HELP, type DatabaseOptions } from './keys-database.ts'

export function addServeBackup(serve: CommandUnknownOpts, act: Act): void {
  const backup = serve
    .command('backup <file>')
    .description('make a consistent copy of the database, even while a service uses it')
    .option('--database <file>', DATABASE_HELP)
    .addHelpText(
      'after',
      `${examples('crm serve backup crm-2026-11-20.db', 'crm serve --database crm-2026-11-20.db')}\n\nThe copy is a database like any other, and as private: it holds the secrets of webhooks.`,
    )
    .action(act(backUp))
  addScopedFlags(backup, ['fields'])
}

async function backUp(ctx: Context, file: string, options: DatabaseOptions): Promise<undefined> {
  if (options.database === ':memory:') {
    throw new CrmError('usage', 'a database in memory is accessible to its own process only', {
      hint: 'give --database FILE',
    })
  }
  const { backUpStore } = await ctx.service.store()
  const database = databaseLocation(ctx.env, options.database)
  const startedAtMs = ctx.now()
  const { sizeBytes } = await backUpStore(database, resolve(file))
  await printOne(ctx, {
    file: resolve(file),
    database,
    size_bytes: sizeBytes,
    started_at: new Date(startedAtMs).toISOString(),
  })
}
