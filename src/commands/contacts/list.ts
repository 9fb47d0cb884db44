import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Act, Context } from '../../context.ts'
import { examples } from '../examples.ts'
import { addScopedFlags } from '../flags.ts'
import { listOf, printList, requestedLimit } from '../print.ts'

interface Options {
  readonly cursor?: string
}

export function addContactsList(contacts: CommandUnknownOpts, act: Act): void {
  const list = contacts
    .command('list')
    .description('list contacts, newest first')
    .option('--cursor <cursor>', 'go on where an earlier list stopped')
    .addHelpText(
      'after',
      examples(
        'crm contacts list --limit 20',
        'crm contacts list -o csv --fields id,email > contacts.csv',
        "crm contacts list --where '.company == null' -o id",
        "crm contacts list --jq 'map(.email) | unique | length'",
      ),
    )
    .action(act(listContacts))
  addScopedFlags(list, ['fields', 'where', 'limit'])
}

async function listContacts(ctx: Context, options: Options): Promise<undefined> {
  const api = await ctx.api()
  const pages = api.contacts.list({ limit: requestedLimit(ctx), cursor: options.cursor, filters: {} })
  await printList(ctx, { pages, ...listOf('contact') })
}
