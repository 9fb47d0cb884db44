import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Act, Context } from '../../context.ts'
import { examples } from '../command-tree.ts'
import { addScopedFlags } from '../flags.ts'
import { keepMatching } from '../keep-matching.ts'
import { printList, requestedLimit } from '../print.ts'
import { deliveryPages } from './delivery-pages.ts'

export function addDeliveries(webhooks: CommandUnknownOpts, act: Act): void {
  const deliveries = webhooks
    .command('deliveries [id]')
    .description('list the deliveries of a subscription, or of all, newest first; where the server offers it')
    .addHelpText(
      'after',
      examples('crm webhooks deliveries wh_0abc', `crm webhooks deliveries --where '.state == "failed"' -o jsonl`),
    )
    .action(act(listDeliveries))
  addScopedFlags(deliveries, ['fields', 'where', 'limit'])
}

const COLUMNS = ['webhook_id', 'event_id', 'kind', 'state', 'attempts', 'last_status', 'last_error'] as const

async function listDeliveries(ctx: Context, id: string | undefined): Promise<undefined> {
  const all = deliveryPages(await ctx.api(), id, ctx.signal)
  const pages = keepMatching(all, async (records) => records, requestedLimit(ctx))
  await printList(ctx, { pages, columns: COLUMNS, plural: 'deliveries' })
}
