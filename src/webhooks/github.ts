import { createHmac } from 'node:crypto'
import { onlyValue } from './headers.ts'
import type { Scheme } from './scheme.ts'

const signatureHeader = 'x-hub-signature-256'

/** `sha256=…` over the body alone (docs.github.com, "Validating webhook deliveries"); there is no timestamp. */
export const githubScheme: Scheme = {
  name: 'github',
  signatureHeader,
  idHeader: 'x-github-delivery',
  eventHeader: 'x-github-event',
  encoding: 'hex',
  read(headers) {
    const value = onlyValue(headers, signatureHeader)
    const isKnown = value.startsWith('sha256=')
    const signatures = isKnown ? [{ algorithm: 'hmac-sha256' as const, text: value.slice('sha256='.length) }] : []
    return { timestamp: undefined, prefix: '', signatures }
  },
  hmacKey: (secret) => Buffer.from(secret),
  // The header holds one signature: that of the newest secret.
  sign: ({ id, name, body }, [key = Buffer.alloc(0)]) => [
    ['X-GitHub-Delivery', id],
    ['X-GitHub-Event', name ?? 'ping'],
    ['X-Hub-Signature-256', `sha256=${createHmac('sha256', key).update(body).digest('hex')}`],
  ],
}
