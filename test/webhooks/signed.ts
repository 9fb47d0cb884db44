import { randomBytes } from 'node:crypto'
import { secretBytes, signWebhook } from '../../src/core/signing.ts'

export function newSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`
}

export interface Signed {
  readonly headers: Record<string, string>
  readonly body: Buffer
}

/** A delivery of Standard Webhooks 1.0, signed now by default. */
export function signed(secret: string, body: string | Buffer, { id = 'evt_1', timeMs = Date.now() } = {}): Signed {
  const bytes = Buffer.from(body)
  const timestamp = Math.floor(timeMs / 1000)
  const signature = signWebhook(secretBytes(secret), { id, timestamp, body: bytes })
  return {
    headers: { 'webhook-id': id, 'webhook-timestamp': String(timestamp), 'webhook-signature': signature },
    body: bytes,
  }
}

/** In the form of node:http. */
export function distinct(headers: Record<string, string | string[]>): Record<string, string[]> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value].flat()]))
}
