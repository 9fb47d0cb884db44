import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Act, Context } from '../../context.ts'
import { examples } from '../command-tree.ts'
import { addScopedFlags } from '../flags.ts'
import { listOf, printList, requestedLimit } from '../print.ts'

interface Options {
  readonly cursor?: string
}

export function addNotesList(notes: CommandUnknownOpts, act: Act): void {
  const list = notes
    .command('list <deal-id>')
    .description('list the notes of a deal, newest first (requires GraphQL on the server)')
    .option('--cursor <cursor>', 'continue an earlier list')
    .addHelpText('after', examples('crm notes list deal_0abc', 'crm notes list deal_0abc --fields created_at,body'))
    .action(act(listNotes))
  addScopedFlags(list, ['fields', 'where', 'limit'])
}

async function listNotes(ctx: Context, dealId: string, options: Options): Promise<undefined> {
  const api = await ctx.api()
  const query = { limit: requestedLimit(ctx), cursor: options.cursor, filters: {} }
  await printList(ctx, { pages: api.graphql.notes(dealId, query), ...listOf('note') })
}
