import { createHash } from 'node:crypto'
import { Problem } from './problem.ts'
import type { Call } from './route.ts'
import type { Write } from './store/store.ts'

/** draft-ietf-httpapi-idempotency-key-header makes it a quoted string (RFC 9651); most clients send it bare. */
const QUOTED = /^"((?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\])*)"$/

export function readIdempotency(call: Call): Write['idempotency'] {
  const header = call.headers['idempotency-key']
  if (header === undefined) return undefined
  const key = readKey(`${header}`)
  if (key === undefined || key.length < 1 || key.length > 255) {
    throw new Problem(400, {
      code: 'invalid_idempotency_key',
      detail: 'Idempotency-Key: expected 1 to 255 printable ASCII characters, bare or in double quotes',
    })
  }
  return { key, fingerprint: fingerprint(call) }
}

function readKey(header: string): string | undefined {
  if (header.startsWith('"')) return QUOTED.exec(header)?.[1]?.replaceAll(/\\(.)/g, '$1')
  return /^[\x20-\x7e]*$/.test(header) ? header : undefined
}

/** Identifies a request: method, path, query and the bytes of the body. */
function fingerprint(call: Call): string {
  return createHash('sha256')
    .update(`${call.method} ${call.url}\n`)
    .update(call.body ?? '')
    .digest('base64url')
}
