import { readBody } from '../body.ts'
import type { TargetRule } from '../delivery/target-rules.ts'
import type { Call, Reply, Route } from '../route.ts'
import type { Store } from '../store/store.ts'
import { WEBHOOKS_PATH, webhookCreation } from '../webhook-creation.ts'
import { write } from '../write.ts'

export function webhookRoutes(isTarget: TargetRule): readonly Route[] {
  const createWebhook = async (store: Store, call: Call): Promise<Reply> =>
    write(store, call, webhookCreation(readBody(call), isTarget))
  return [{ method: 'POST', path: WEBHOOKS_PATH, scope: 'write', parameters: [], handle: createWebhook }]
}
