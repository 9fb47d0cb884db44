import { secretBytes, signWebhook } from '../../core/signing.ts'
import type { ClaimedDelivery } from '../store/deliveries.ts'

export interface SignedRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string | number>>
  readonly body: Buffer
}

/** Standard Webhooks 1.0: the id is the event's on every attempt, the time is that of the attempt. */
export function signedRequest(delivery: ClaimedDelivery, nowMs: number, userAgent: string): SignedRequest {
  const body = Buffer.from(delivery.text)
  const id = delivery.eventId
  const timestamp = Math.floor(nowMs / 1000)
  const signatures = delivery.secrets.map((secret) => signWebhook(secretBytes(secret), { id, timestamp, body }))
  return {
    url: delivery.url,
    body,
    headers: {
      'content-type': 'application/json',
      'content-length': body.length,
      'user-agent': userAgent,
      'webhook-id': id,
      'webhook-timestamp': timestamp,
      'webhook-signature': signatures.join(' '),
    },
  }
}
