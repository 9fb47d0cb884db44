import { CrmError } from '../core/errors.ts'
import type { ReceivedEvent, SchemeName } from '../core/webhook-events.ts'
import type { Unsigned } from './scheme.ts'
import { schemeNamed } from './schemes.ts'

type Headers = readonly (readonly [name: string, value: string])[]

/** The headers that make it genuine for whoever knows one of the secrets. CrmError `invalid_input` when none can sign. */
export function signedHeaders(name: SchemeName, unsigned: Unsigned, secrets: readonly string[]): Headers {
  const scheme = schemeNamed(name)
  const keys = secrets.map((secret) => scheme.hmacKey(secret)).filter((key) => key !== undefined)
  if (keys.length > 0) return scheme.sign(unsigned, keys)
  throw new CrmError('invalid_input', `none of the ${secrets.length} secrets known can sign as ${name} does`, {
    hint: 'expected whsec_ and base64; to send what came, with its old signature: --original',
  })
}

/** The headers of an event that is sent again: signed now, under the id that it had. */
export function headersSignedAgain(event: ReceivedEvent, secrets: readonly string[], nowMs: number): Headers {
  const { scheme: name = 'standard-webhooks', delivery, id = 'evt_without_id' } = event
  const unsigned = { id, name: event.name, timestamp: Math.floor(nowMs / 1000), body: delivery.bytes }
  const signed = signedHeaders(name, unsigned, secrets)
  const replaced = new Set(signed.map(([header]) => header.toLowerCase()))
  return [...delivery.headers.filter(([header]) => !replaced.has(header.toLowerCase())), ...signed]
}
