import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Act, Context } from '../../context.ts'
import { CrmError } from '../../core/errors.ts'
import type { ExitCode } from '../../core/exit.ts'
import { RESOURCES } from '../../core/resources/registry.ts'
import { commandLine } from '../command-line.ts'
import { examples, whereOffered } from '../command-tree.ts'
import { dryRunWrite } from '../dry-run.ts'
import { addScopedFlags } from '../flags.ts'
import { printWritten } from '../print.ts'
import { eventList } from './create.ts'

interface Options {
  readonly url?: string
  readonly events?: string
  readonly description?: string
  readonly status?: 'enabled' | 'disabled'
  readonly ifMatch?: string
}

export function addWebhooksUpdate(webhooks: CommandUnknownOpts, act: Act): void {
  const update = webhooks
    .command('update <id>')
    .description(`change a subscription; its secret stays the same${whereOffered('webhook', 'update')}`)
    .option('--url <url>', 'where events are sent')
    .option('--events <kinds>', 'kinds or globs, comma separated; they replace the earlier ones')
    .option('--description <text>', 'what it is for; an empty text removes it')
    .option('--status <status>', 'enabled, or disabled, which sends no events', parseStatus)
    .option('--if-match <version>', 'only while the webhook still has this version')
    .addHelpText(
      'after',
      examples(
        "crm webhooks update wh_0abc --events 'deal.*,note.created'",
        'crm webhooks update wh_0abc --status disabled',
      ),
    )
    .action(act(updateWebhook))
  addScopedFlags(update, ['fields', 'dryRun', 'exitCode'])
}

function parseStatus(text: string): 'enabled' | 'disabled' {
  if (text === 'enabled' || text === 'disabled') return text
  throw new CrmError('usage', `--status is ${JSON.stringify(text)}, expected enabled or disabled`, {
    hint: 'crm webhooks update --help',
  })
}

async function updateWebhook(ctx: Context, id: string, options: Options): Promise<ExitCode | undefined> {
  const { url, events, description, status, ifMatch } = options
  const patch = {
    ...(url !== undefined && { url }),
    ...(events !== undefined && { events: eventList(events) }),
    ...(description !== undefined && { description: description || null }),
    ...(status !== undefined && { status }),
  }
  if (Object.keys(patch).length === 0) {
    throw new CrmError('usage', 'there is nothing to change', {
      hint: `${commandLine(ctx.argv)} --url URL, --events KINDS, --description TEXT or --status STATUS`,
    })
  }
  const api = await ctx.api()
  if (ctx.flags.isDryRun) {
    api.require('webhook', 'update')
    return dryRunWrite(ctx, {
      write: { kind: 'update', id, fields: patch },
      of: ({ webhooks }) => webhooks,
      path: `${RESOURCES.webhook.path}/${encodeURIComponent(id)}`,
    })
  }
  const webhook = await api.webhooks.update(id, patch, { idempotencyKey: undefined, ifMatch })
  return printWritten(ctx, webhook, 'webhook')
}
