import type { Noun } from '../command-tree.ts'
import { addWebhooksCreate } from './create.ts'
import { EVENTS } from './events.ts'
import { addWebhooksList } from './list.ts'
import { addListen } from './listen.ts'
import { addReplay } from './replay.ts'
import { addTrigger } from './trigger.ts'
import { addVerify } from './verify.ts'
import { addWait } from './wait.ts'

export const WEBHOOKS: Noun = {
  description: 'subscriptions and their events',
  commands: {
    create: addWebhooksCreate,
    list: addWebhooksList,
    listen: addListen,
    wait: addWait,
    events: EVENTS,
    replay: addReplay,
    verify: addVerify,
    trigger: addTrigger,
  },
}
