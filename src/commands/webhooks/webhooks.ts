import type { CommandGroup } from '../command-tree.ts'
import { addWebhooksCreate } from './create.ts'
import { EVENTS_COMMANDS } from './events.ts'
import { addWebhooksList } from './list.ts'
import { addListen } from './listen.ts'
import { addReplay } from './replay.ts'
import { addTrigger } from './trigger.ts'
import { addVerify } from './verify.ts'
import { addWait } from './wait.ts'

export const WEBHOOKS_COMMANDS: CommandGroup = {
  description: 'subscriptions and their events',
  commands: {
    create: addWebhooksCreate,
    list: addWebhooksList,
    listen: addListen,
    wait: addWait,
    events: EVENTS_COMMANDS,
    replay: addReplay,
    verify: addVerify,
    trigger: addTrigger,
  },
}
