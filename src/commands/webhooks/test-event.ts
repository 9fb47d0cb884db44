import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Act, Context } from '../../context.ts'
import { examples } from '../command-tree.ts'
import { addScopedFlags } from '../flags.ts'
import { printOne } from '../print.ts'

export function addWebhooksTest(webhooks: CommandUnknownOpts, act: Act): void {
  const test = webhooks
    .command('test <id>')
    .description('have the server send a test event to this subscription alone, where the server offers it')
    .addHelpText('after', examples('crm webhooks test wh_0abc', 'crm webhooks test wh_0abc -o json --jq .event_id'))
    .action(act(testWebhook))
  addScopedFlags(test, ['fields'])
}

async function testWebhook(ctx: Context, id: string): Promise<undefined> {
  const api = await ctx.api()
  const sent = await api.webhooks.test(id, { idempotencyKey: undefined })
  await printOne(ctx, sent)
}
