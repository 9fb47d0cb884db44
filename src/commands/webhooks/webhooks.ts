import type { CommandGroup } from '../command-tree.ts'
import { addDeleteByIds } from '../records/delete.ts'
import { addGet } from '../records/get.ts'
import { addWebhooksCreate } from './create.ts'
import { addDeliveries } from './deliveries.ts'
import { EVENTS_COMMANDS } from './events.ts'
import { addWebhooksList } from './list.ts'
import { addListen } from './listen.ts'
import { addRotate, addSetStatus } from './manage.ts'
import { addReplay } from './replay.ts'
import { addResend } from './resend.ts'
import { addWebhooksSecret } from './secret.ts'
import { addWebhooksTest } from './test-event.ts'
import { addTrigger } from './trigger.ts'
import { addWebhooksTypes } from './types.ts'
import { addWebhooksUpdate } from './update.ts'
import { addVerify } from './verify.ts'
import { addWait } from './wait.ts'

export const WEBHOOKS_COMMANDS: CommandGroup = {
  description: 'subscriptions and their events',
  commands: {
    create: addWebhooksCreate,
    list: addWebhooksList,
    get: (parent, act) =>
      addGet(parent, act, {
        resource: 'webhook',
        examples: ['crm webhooks get wh_0abc', 'crm webhooks get wh_0abc -o json'],
      }),
    update: addWebhooksUpdate,
    delete: (parent, act) =>
      addDeleteByIds(parent, act, {
        resource: 'webhook',
        examples: [
          'crm webhooks delete wh_0abc',
          `crm webhooks list --where '.status == "disabled"' -o id | crm webhooks delete - --yes --expect 2`,
        ],
      }),
    enable: (parent, act) => addSetStatus(parent, act, 'enable'),
    disable: (parent, act) => addSetStatus(parent, act, 'disable'),
    rotate: addRotate,
    secret: addWebhooksSecret,
    test: addWebhooksTest,
    deliveries: addDeliveries,
    resend: addResend,
    listen: addListen,
    wait: addWait,
    events: EVENTS_COMMANDS,
    replay: addReplay,
    verify: addVerify,
    trigger: addTrigger,
    types: addWebhooksTypes,
  },
}
