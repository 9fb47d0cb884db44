import { resolve } from 'node:path'
import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Act, Context } from '../../context.ts'
import { CrmError } from '../../core/errors.ts'
import { examples } from '../command-tree.ts'
import { addScopedFlags } from '../flags.ts'
import { printOne } from '../print.ts'
import { chooseFile } from './database.ts'
import { type DatabaseOptions, FILE_HELP } from './keys-database.ts'

export function addServeRestore(serve: CommandUnknownOpts, act: Act): void {
  const restore = serve
    .command('restore <file>')
    .summary('make a database of a backup')
    .description('make a database of a backup, after checks; - reads it from stdin')
    .option('--database <file>', FILE_HELP)
    .addHelpText(
      'after',
      `${examples('crm serve restore crm-2026-11-20.db --database crm.db', 'gzip -dc crm.db.gz | crm serve restore - --database crm.db')}\n\nA database that exists is not replaced: rename it first.`,
    )
    .action(act(restoreBackup))
  addScopedFlags(restore, ['fields'])
}

async function restoreBackup(ctx: Context, file: string, options: DatabaseOptions): Promise<undefined> {
  if (options.database === ':memory:') {
    throw new CrmError('usage', 'a database in memory ends with its process', { hint: 'give --database FILE' })
  }
  const database = chooseFile(
    ctx.env,
    options.database,
    'pg_restore --single-transaction --no-owner crm.dump --dbname=',
  )
  const { restoreStore } = await import('../../service/store/open-store.ts')
  const backup = file === '-' ? ctx.io.stdin : resolve(file)
  const { sizeBytes } = await restoreStore(backup, database)
  await printOne(ctx, { file: file === '-' ? null : resolve(file), database, size_bytes: sizeBytes })
}
