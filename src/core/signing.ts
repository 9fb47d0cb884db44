import { createHmac } from 'node:crypto'

export interface SignedParts {
  readonly id: string
  /** Unix seconds of this try. */
  readonly timestamp: number
  /** The bytes that are sent; whoever verifies must have the same. */
  readonly body: Uint8Array
}

/** The bytes of a `whsec_` secret: base64 behind the prefix. */
export function secretBytes(secret: string): Buffer {
  return Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
}

/** One entry of `webhook-signature`: `v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body` (Standard Webhooks 1.0). */
export function signWebhook(key: Uint8Array, { id, timestamp, body }: SignedParts): string {
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64')}`
}
