import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Act, Context } from '../../context.ts'
import type { ExitCode } from '../../core/exit.ts'
import { type CrmRecord, RESOURCES } from '../../core/resources/registry.ts'
import { eventKinds } from '../../core/webhook-events.ts'
import { examples } from '../command-tree.ts'
import { dryRunWrite } from '../dry-run.ts'
import { addScopedFlags } from '../flags.ts'
import { printWritten } from '../print.ts'

interface Options {
  readonly url: string
  readonly events: string
  readonly description?: string
  readonly idempotencyKey?: string
}

export function addWebhooksCreate(webhooks: CommandUnknownOpts, act: Act): void {
  const create = webhooks
    .command('create')
    .description('subscribe a URL to events; its signing secret is shown only once')
    .requiredOption('--url <url>', 'where events are sent')
    .requiredOption('--events <kinds>', 'kinds or globs, comma separated')
    .option('--description <text>', 'what it is for')
    .option('--idempotency-key <key>', 'a repeated request with the same key takes effect once')
    .addHelpText(
      'after',
      examples("crm webhooks create --url https://example.test/hook --events 'deal.*,contact.created'"),
    )
    .addHelpText('after', `\nEvents: ${eventKinds().join(', ')}; contact.* and * match several.`)
    .action(act(createWebhook))
  addScopedFlags(create, ['fields', 'dryRun', 'exitCode'])
}

async function createWebhook(ctx: Context, options: Options): Promise<ExitCode | undefined> {
  const events = eventList(options.events)
  const fields = { url: options.url, events, ...(options.description && { description: options.description }) }
  if (ctx.flags.isDryRun) {
    const { path } = RESOURCES.webhook
    return dryRunWrite(ctx, { write: { kind: 'create', fields }, of: (api) => api.webhooks, path })
  }
  const api = await ctx.api()
  const webhook = await api.webhooks.create(fields, { idempotencyKey: options.idempotencyKey })
  // Before printing, because a failed output ends the process.
  const keptIn = await keepSecret(ctx, options.url, webhook)
  await printWritten(ctx, webhook, 'webhook')
  if (keptIn !== undefined) ctx.note(`The server does not show the secret again; it is kept in ${keptIn}.`)
  else if (webhook.secret) ctx.note('Keep the secret: the server does not show it again.')
  return undefined
}

/** `deal.*, note.created` */
export function eventList(text: string): string[] {
  return text.split(',').map((kind) => kind.trim())
}

/** Stores the secret for a listener at this address, but only if the key is stored, too: jobs in CI leave no files. */
async function keepSecret(
  ctx: Pick<Context, 'settings' | 'target'>,
  url: string,
  { id, secret }: CrmRecord,
): Promise<string | undefined> {
  const { baseUrl, key } = await ctx.target()
  const place = URL.parse(url)
  if (key.source !== 'file' || typeof secret !== 'string' || !place) return undefined
  const settings = await ctx.settings()
  const subscription = { id: typeof id === 'string' ? id : undefined, secret }
  await settings.storeSubscription({ origin: baseUrl.origin, url: place.href }, subscription)
  return settings.paths().webhooks
}
