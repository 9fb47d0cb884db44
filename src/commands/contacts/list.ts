import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Act, Context } from '../../context.ts'
import { FIELDS } from '../../core/resources.ts'
import { examples } from '../examples.ts'
import { addScopedFlags } from '../flags.ts'
import { printList } from '../print.ts'

interface Options {
  readonly cursor?: string
}

export function addContactsList(contacts: CommandUnknownOpts, act: Act): void {
  const list = contacts
    .command('list')
    .description('list contacts, newest first')
    .option('--cursor <cursor>', 'go on where an earlier list stopped')
    .addHelpText('after', examples('crm contacts list --limit 20', 'crm contacts list -o jsonl --fields id,email'))
    .action(act(listContacts))
  addScopedFlags(list, ['fields', 'limit'])
}

async function listContacts(ctx: Context, options: Options): Promise<undefined> {
  const api = await ctx.api()
  const pages = api.contacts.list({ limit: ctx.flags.limit, cursor: options.cursor, filters: {} })
  await printList(ctx, { pages, columns: FIELDS.contact, plural: 'contacts' })
}
