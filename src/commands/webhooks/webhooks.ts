import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Act } from '../../context.ts'
import { addWebhooksCreate } from './create.ts'
import { addWebhooksList } from './list.ts'
import { addListen } from './listen.ts'

export function addWebhooks(program: CommandUnknownOpts, act: Act): void {
  const webhooks = program.command('webhooks').description('subscriptions to events')
  addWebhooksCreate(webhooks, act)
  addWebhooksList(webhooks, act)
  addListen(webhooks, act)
}
