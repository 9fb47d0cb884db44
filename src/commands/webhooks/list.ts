import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Act, Context } from '../../context.ts'
import { FIELDS } from '../../core/resources/registry.ts'
import { examples } from '../command-tree.ts'
import { addScopedFlags } from '../flags.ts'
import { listOf, printList, requestedLimit } from '../print.ts'

interface Options {
  readonly cursor?: string
}

export function addWebhooksList(webhooks: CommandUnknownOpts, act: Act): void {
  const list = webhooks
    .command('list')
    .description('list the subscriptions; their secrets are not shown again (requires GraphQL on the server)')
    .option('--cursor <cursor>', 'continue an earlier list')
    .addHelpText('after', examples('crm webhooks list', `crm webhooks list --where '.status == "disabled"'`))
    .action(act(listWebhooks))
  addScopedFlags(list, ['fields', 'where', 'limit'])
}

async function listWebhooks(ctx: Context, options: Options): Promise<undefined> {
  const api = await ctx.api()
  const query = { limit: requestedLimit(ctx), cursor: options.cursor, filters: {} }
  // Servers show the secret only once.
  const columns = FIELDS.webhook.filter((name) => name !== 'secret')
  const pages = api.graphql.list('webhooks', query)
  await printList(ctx, { pages, ...listOf('webhook'), columns, cursor: options.cursor })
}
