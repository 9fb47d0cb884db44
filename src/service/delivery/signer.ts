import { createSecretKey, type KeyObject } from 'node:crypto'
import { secretBytes, signWebhook } from '../../core/signing.ts'
import type { ClaimedDelivery } from '../store/deliveries.ts'

/** Beyond this number all are dropped. A subscription has one, and while it rotates its secret two. */
const MAX_KEYS = 1000

export interface SignedRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string | number>>
  readonly body: Buffer
}

/** Signs deliveries. The keys of secrets are kept, as making one takes three times as long as a signature. */
export class Signer {
  readonly #userAgent: string
  readonly #keys = new Map<string, KeyObject>()

  constructor(userAgent: string) {
    this.#userAgent = userAgent
  }

  /** Standard Webhooks 1.0: the id is the event's on every attempt, the time is that of the attempt. */
  sign({ url, text, eventId: id, secrets }: ClaimedDelivery, nowMs: number): SignedRequest {
    const body = Buffer.from(text)
    const timestamp = Math.floor(nowMs / 1000)
    const signatures = secrets.map((secret) => signWebhook(this.#keyOf(secret), { id, timestamp, body }))
    return {
      url,
      body,
      headers: {
        'content-type': 'application/json',
        'content-length': body.length,
        'user-agent': this.#userAgent,
        'webhook-id': id,
        'webhook-timestamp': timestamp,
        'webhook-signature': signatures.join(' '),
      },
    }
  }

  #keyOf(secret: string): KeyObject {
    const known = this.#keys.get(secret)
    if (known) return known
    if (this.#keys.size >= MAX_KEYS) this.#keys.clear()
    const key = createSecretKey(secretBytes(secret))
    this.#keys.set(secret, key)
    return key
  }
}
