import { createHmac, type KeyObject, randomBytes } from 'node:crypto'

export interface SignedParts {
  readonly id: string
  /** The time of this attempt in Unix seconds. */
  readonly timestamp: number
  /** The bytes that are sent; verification needs exactly these. */
  readonly body: Uint8Array
}

/** Standard Webhooks 1.0: 24 to 64 bytes of randomness. */
export function newWebhookSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`
}

/** The bytes of a `whsec_` secret, which is base64 after the prefix. */
export function secretBytes(secret: string): Buffer {
  return Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
}

/** One entry of `webhook-signature`: `v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body` (Standard Webhooks 1.0). */
export function signWebhook(key: Uint8Array | KeyObject, { id, timestamp, body }: SignedParts): string {
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64')}`
}
