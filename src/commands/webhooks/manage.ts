import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Act, Context } from '../../context.ts'
import { CrmError } from '../../core/errors.ts'
import type { CrmRecord } from '../../core/resources/registry.ts'
import { examples, whereOffered } from '../command-tree.ts'
import { addScopedFlags } from '../flags.ts'
import { onePage, printList, printOne, printWritten } from '../print.ts'

/** `enable` and `disable`. */
export function addSetStatus(webhooks: CommandUnknownOpts, act: Act, verb: 'enable' | 'disable'): void {
  const about = verb === 'enable' ? 'send events to a subscription again' : 'send no events to a subscription for now'
  const command = webhooks
    .command(`${verb} <id>`)
    .description(`${about}${whereOffered('webhook', 'update')}`)
    .addHelpText('after', examples(`crm webhooks ${verb} wh_0abc`))
    .action(
      act(async (ctx: Context, id: string) => {
        const { webhooks: collection } = await ctx.api()
        const options = { idempotencyKey: undefined, ifMatch: undefined }
        return printWritten(ctx, await collection.update(id, { status: `${verb}d` }, options), 'webhook')
      }),
    )
  addScopedFlags(command, ['fields'])
}

export function addRotate(webhooks: CommandUnknownOpts, act: Act): void {
  const rotate = webhooks
    .command('rotate <id>')
    .description('make a new secret for a subscription, which is shown only once; where the server offers it')
    .addHelpText('after', examples('crm webhooks rotate wh_0abc', 'crm webhooks rotate wh_0abc -o json --jq .secret'))
    .action(act(rotateSecret))
  addScopedFlags(rotate, ['fields'])
}

/** A secret that is kept here is replaced; the earlier one still verifies, for deliveries on their way. */
async function rotateSecret(ctx: Context, id: string): Promise<undefined> {
  const { graphql } = await ctx.api()
  const secret = await graphql.rotateSecret(id, { idempotencyKey: undefined })
  const settings = await ctx.settings()
  const kept = (await settings.subscriptions()).find((each) => each.id === id)
  if (kept) await settings.storeSubscription(kept, { id, secret })
  await printOne(ctx, { id, secret })
  ctx.note(
    kept
      ? `The new secret is kept in ${settings.paths().webhooks}; listeners use it from their next start.`
      : 'Keep the secret: the server does not show it again.',
  )
}

export function addDeliveries(webhooks: CommandUnknownOpts, act: Act): void {
  const deliveries = webhooks
    .command('deliveries [id]')
    .description('list the last deliveries of a subscription, or of all, newest first; where the server offers it')
    .addHelpText(
      'after',
      examples('crm webhooks deliveries wh_0abc', `crm webhooks deliveries --where '.state == "failed"' -o jsonl`),
    )
    .action(act(listDeliveries))
  addScopedFlags(deliveries, ['fields', 'where'])
}

const COLUMNS = ['webhook_id', 'event_id', 'event', 'state', 'attempts', 'last_status', 'last_error'] as const

async function listDeliveries(ctx: Context, id: string | undefined): Promise<undefined> {
  const found = await (await ctx.api()).graphql.deliveries(ctx.signal)
  if (id !== undefined && !found.has(id)) {
    throw new CrmError('not_found', `there is no webhook ${JSON.stringify(id)}`, { hint: 'crm webhooks list' })
  }
  const rows = [...found].filter(([webhook]) => id === undefined || webhook === id)
  const records = rows.flatMap(([webhook, some]) =>
    some.map((delivery): CrmRecord => ({ webhook_id: webhook, ...delivery })),
  )
  await printList(ctx, { pages: onePage(records), columns: COLUMNS, plural: 'deliveries' })
}

export function addResend(webhooks: CommandUnknownOpts, act: Act): void {
  const resend = webhooks
    .command('resend <id> <event-id>')
    .description('have the server deliver an event to a subscription again; where the server offers it')
    .addHelpText('after', examples('crm webhooks resend wh_0abc evt_0abc'))
    .action(
      act(async (ctx: Context, id: string, eventId: string) => {
        const { graphql } = await ctx.api()
        await graphql.resendDelivery({ webhookId: id, eventId }, { idempotencyKey: undefined })
        return printOne(ctx, { webhook_id: id, event_id: eventId })
      }),
    )
  addScopedFlags(resend, ['fields'])
}
