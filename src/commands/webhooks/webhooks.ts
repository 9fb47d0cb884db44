import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Act } from '../../context.ts'
import { addWebhooksCreate } from './create.ts'
import { addEvents } from './events.ts'
import { addWebhooksList } from './list.ts'
import { addListen } from './listen.ts'
import { addReplay } from './replay.ts'
import { addTrigger } from './trigger.ts'
import { addVerify } from './verify.ts'
import { addWait } from './wait.ts'

export function addWebhooks(program: CommandUnknownOpts, act: Act): void {
  const webhooks = program.command('webhooks').description('subscriptions and their events')
  addWebhooksCreate(webhooks, act)
  addWebhooksList(webhooks, act)
  addListen(webhooks, act)
  addWait(webhooks, act)
  addEvents(webhooks, act)
  addReplay(webhooks, act)
  addVerify(webhooks, act)
  addTrigger(webhooks, act)
}
