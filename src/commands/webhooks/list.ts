import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Act, Context } from '../../context.ts'
import { examples } from '../command-tree.ts'
import { addScopedFlags } from '../flags.ts'
import { listOf, printList, requestedLimit } from '../print.ts'

interface Options {
  readonly cursor?: string
}

export function addWebhooksList(webhooks: CommandUnknownOpts, act: Act): void {
  const list = webhooks
    .command('list')
    .description('list the subscriptions; their secrets are not shown again; where the server offers it')
    .option('--cursor <cursor>', 'continue an earlier list')
    .addHelpText('after', examples('crm webhooks list', `crm webhooks list --where '.status == "disabled"'`))
    .action(act(listWebhooks))
  addScopedFlags(list, ['fields', 'where', 'limit'])
}

async function listWebhooks(ctx: Context, options: Options): Promise<undefined> {
  const api = await ctx.api()
  const query = { limit: requestedLimit(ctx), cursor: options.cursor, filters: {} }
  const pages = api.webhooks.list(query)
  await printList(ctx, { pages, ...listOf('webhook'), cursor: options.cursor })
}
