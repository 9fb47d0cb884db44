import { CrmError } from '../core/errors.ts'
import type { ReceivedEvent, SchemeName } from '../core/webhook-events.ts'
import { schemeNamed, type Unsigned } from './schemes.ts'

type Headers = readonly (readonly [name: string, value: string])[]

/** The headers that sign it with each of the secrets. CrmError `invalid_input` when no secret is valid for the scheme. */
export function signedHeaders(name: SchemeName, unsigned: Unsigned, secrets: readonly string[]): Headers {
  const scheme = schemeNamed(name)
  const keys = secrets.map((secret) => scheme.hmacKey(secret)).filter((key) => key !== undefined)
  if (keys.length > 0) return scheme.sign(unsigned, keys)
  throw new CrmError('invalid_input', `none of the ${secrets.length} known secrets can sign for ${name}`, {
    hint: 'expected whsec_ and base64; to send the received headers with their old signature: --original',
  })
}

/** The headers of a replayed event: the same id, signed now. */
export function headersSignedAgain(event: ReceivedEvent, secrets: readonly string[], nowMs: number): Headers {
  const { scheme: name = 'standard-webhooks', delivery, id = 'evt_without_id' } = event
  const unsigned = { id, name: event.name, timestamp: Math.floor(nowMs / 1000), body: delivery.bytes }
  const signed = signedHeaders(name, unsigned, secrets)
  const replaced = new Set(signed.map(([header]) => header.toLowerCase()))
  return [...delivery.headers.filter(([header]) => !replaced.has(header.toLowerCase())), ...signed]
}
