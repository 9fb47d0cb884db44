import type { Api } from './api.ts'
import type { Http } from './http.ts'
import { requestRecord } from './record.ts'

export function createWebhooks(http: Http): Api['webhooks'] {
  return {
    create: (fields, { idempotencyKey, signal }) =>
      requestRecord(http, {
        method: 'POST',
        path: '/v1/webhooks',
        body: fields,
        idempotencyKey,
        signal,
        action: 'create the webhook',
        command: 'crm webhooks create',
        findCommand: undefined,
        lookCommand: 'crm webhooks list',
      }),
  }
}
