import type { TargetRule } from './delivery/target-rules.ts'
import { readWebhook } from './fields/webhook-fields.ts'
import type { Members } from './json-text.ts'
import { createRecord, newRecordText } from './records.ts'
import { newWebhookSecret } from './webhook-changes.ts'
import type { CheckedWrite } from './write.ts'

export const WEBHOOKS_PATH = '/v1/webhooks'

/** The secret (Standard Webhooks 1.0) is shown only in the answer and its replays. */
export function webhookCreation(sent: Members, isTarget: TargetRule): CheckedWrite {
  const columns = readWebhook(sent, isTarget)
  const secret = newWebhookSecret()
  const fields = new Map([...sent, ['status', '"enabled"']])
  const shown = new Map([...fields, ['secret', JSON.stringify(secret)]])
  return {
    kind: 'webhook',
    id: undefined,
    parent: undefined,
    decide: (state) => {
      const change = createRecord(state, { collection: WEBHOOKS_PATH, fields, event: undefined })
      const answer = { ...change.answer, body: newRecordText(state, shown) }
      return { ...change, answer, webhook: { ...columns, secret } }
    },
  }
}
