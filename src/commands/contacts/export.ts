import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Act, Context } from '../../context.ts'
import { examples } from '../examples.ts'
import { exportList, FILE_HELP } from '../export-list.ts'
import { addScopedFlags } from '../flags.ts'
import { listOf } from '../print.ts'

export function addContactsExport(contacts: CommandUnknownOpts, act: Act): void {
  const all = contacts
    .command('export')
    .description('write all contacts to a file, whole or not at all')
    .argument('<file>', FILE_HELP)
    .addHelpText(
      'after',
      examples('crm contacts export contacts.csv', 'crm contacts export - -o jsonl | gzip > contacts.jsonl.gz'),
    )
    .action(act(exportContacts))
  addScopedFlags(all, ['export'])
}

async function exportContacts(ctx: Context, file: string): Promise<undefined> {
  const api = await ctx.api()
  const pages = api.contacts.list()
  return exportList(ctx, file, { pages, ...listOf('contact') })
}
