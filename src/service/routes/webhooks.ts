import { readBody } from '../body.ts'
import { readWebhook } from '../fields/webhook-fields.ts'
import { createRecord, newRecordText } from '../records.ts'
import type { Call, Reply, Route } from '../route.ts'
import type { Store } from '../store/store.ts'
import { newWebhookSecret } from '../webhook-changes.ts'
import { write } from '../write.ts'

const COLLECTION = '/v1/webhooks'

export const webhookRoutes: readonly Route[] = [
  { method: 'POST', path: COLLECTION, scope: 'write', parameters: [], handle: createWebhook },
]

/** The secret (Standard Webhooks 1.0) is shown in this answer and in its replays, and nowhere else. */
async function createWebhook(store: Store, call: Call): Promise<Reply> {
  const sent = readBody(call)
  const columns = readWebhook(sent)
  const secret = newWebhookSecret()
  const fields = new Map([...sent, ['status', '"enabled"']])
  const shown = new Map([...fields, ['secret', JSON.stringify(secret)]])
  return write(store, call, {
    kind: 'webhook',
    id: undefined,
    parent: undefined,
    decide: (state) => {
      const change = createRecord(state, { collection: COLLECTION, fields, event: undefined })
      const answer = { ...change.answer, body: newRecordText(state, shown) }
      return { ...change, answer, webhook: { ...columns, secret } }
    },
  })
}
