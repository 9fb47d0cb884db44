import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Act, Context } from '../../context.ts'
import { examples, whereOffered } from '../command-tree.ts'
import { addScopedFlags } from '../flags.ts'
import { printOne, printWritten } from '../print.ts'

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
  const { subscriptions } = await ctx.api()
  const secret = await subscriptions.rotate(id, { idempotencyKey: undefined })
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
