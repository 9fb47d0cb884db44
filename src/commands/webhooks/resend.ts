import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Page } from '../../api/operations.ts'
import type { Act, Context } from '../../context.ts'
import { CrmError } from '../../core/errors.ts'
import type { CrmRecord } from '../../core/resources/registry.ts'
import { isFailing } from '../../core/webhook-events.ts'
import { examples } from '../command-tree.ts'
import { addScopedFlags } from '../flags.ts'
import { printList, printOne } from '../print.ts'
import { deliveryPages } from './delivery-pages.ts'

export function addResend(webhooks: CommandUnknownOpts, act: Act): void {
  const resend = webhooks
    .command('resend <id> [event-id]')
    .description('have the server deliver an event to a subscription again; where the server offers it')
    .option('--failed', 'all events whose last attempt failed, oldest first')
    .addHelpText('after', examples('crm webhooks resend wh_0abc evt_0abc', 'crm webhooks resend wh_0abc --failed'))
    .action(
      act(async (ctx: Context, id: string, eventId: string | undefined, { failed }: { readonly failed?: boolean }) => {
        if ((eventId === undefined) !== (failed === true)) {
          throw new CrmError('usage', 'an event, or --failed, names what is sent again', {
            hint: `crm webhooks deliveries ${id}`,
          })
        }
        if (eventId === undefined) return resendFailed(ctx, id)
        return printOne(ctx, await resendOne(ctx, id, eventId))
      }),
    )
  addScopedFlags(resend, ['fields'])
}

async function resendOne(ctx: Context, webhookId: string, eventId: string): Promise<CrmRecord> {
  const { subscriptions } = await ctx.api()
  await subscriptions.resend({ webhookId, eventId }, { idempotencyKey: undefined })
  return { webhook_id: webhookId, event_id: eventId }
}

async function resendFailed(ctx: Context, id: string): Promise<undefined> {
  const api = await ctx.api()
  api.require('webhook', 'resend')
  const failed: string[] = []
  for await (const { items } of deliveryPages(api, id, ctx.signal)) {
    for (const item of items) if (isFailing(item) && typeof item.event_id === 'string') failed.push(item.event_id)
  }
  async function* sent(): AsyncGenerator<Page> {
    for (const eventId of failed.toReversed()) {
      yield { items: [await resendOne(ctx, id, eventId)], nextCursor: undefined }
    }
  }
  await printList(ctx, { pages: sent(), columns: ['webhook_id', 'event_id'], plural: 'failed deliveries' })
}
