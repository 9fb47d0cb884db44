import { readBody } from '../body.ts'
import type { Call, Reply, Route } from '../route.ts'
import type { Store } from '../store/store.ts'
import { WEBHOOKS_PATH, webhookCreation } from '../webhook-creation.ts'
import { write } from '../write.ts'

export const webhookRoutes: readonly Route[] = [
  { method: 'POST', path: WEBHOOKS_PATH, scope: 'write', parameters: [], handle: createWebhook },
]

async function createWebhook(store: Store, call: Call): Promise<Reply> {
  return write(store, call, webhookCreation(readBody(call)))
}
