import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Act, Context } from '../../context.ts'
import { CrmError } from '../../core/errors.ts'
import { commandLine } from '../command-line.ts'
import { examples } from '../command-tree.ts'
import { printValue } from '../print.ts'
import { listenersWithSecrets } from './listener-secrets.ts'

export function addWebhooksSecret(webhooks: CommandUnknownOpts, act: Act): void {
  webhooks
    .command('secret [id]')
    .description('print the signing secret that is kept on this machine; without an id that of the running listener')
    .addHelpText(
      'after',
      examples('WEBHOOK_SECRET=$(crm webhooks secret) node app.mjs', 'crm webhooks secret wh_0abc > secret.txt'),
    )
    .action(act(printSecret))
}

async function printSecret(ctx: Context, id: string | undefined): Promise<undefined> {
  return printValue(ctx, id === undefined ? await onlySecret(ctx) : await keptSecret(ctx, id))
}

async function keptSecret(ctx: Context, id: string): Promise<string> {
  const kept = await (await ctx.settings()).findSubscription({ id })
  if (kept) return kept.secret
  throw new CrmError('not_found', `no secret of ${id} is kept on this machine, and servers show secrets once`, {
    hint: `where the server offers it, make a new one: ${commandLine(['webhooks', 'rotate', id])}`,
  })
}

/** Of the running listener, else of the only subscription that is kept. */
async function onlySecret(ctx: Context): Promise<string> {
  const running = (await listenersWithSecrets(ctx)).map(({ listener, secrets }) => ({
    secret: secrets[0] ?? '',
    name: listener.subscriptionId ?? listener.url,
  }))
  const kept = running.length > 0 ? running : await keptSecrets(ctx)
  const secrets = new Set(kept.map(({ secret }) => secret))
  const [only, ...others] = secrets
  if (only !== undefined && others.length === 0) return only
  if (only === undefined) {
    throw new CrmError('not_found', 'no signing secret is kept on this machine', {
      hint: 'start a listener, which makes one: crm listen',
    })
  }
  throw new CrmError('usage', `there are several secrets: of ${kept.map(({ name }) => name).join(', ')}`, {
    hint: commandLine(['webhooks', 'secret', kept[0]?.name ?? 'ID']),
  })
}

async function keptSecrets(ctx: Pick<Context, 'settings'>) {
  const subscriptions = await (await ctx.settings()).subscriptions()
  return subscriptions.map(({ id, url, secret }) => ({ secret, name: id ?? url }))
}
