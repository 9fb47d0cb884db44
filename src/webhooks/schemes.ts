import type { SchemeName } from '../core/webhook-events.ts'
import { githubScheme } from './github.ts'
import type { HeaderValues } from './headers.ts'
import type { Scheme } from './scheme.ts'
import { standardScheme } from './standard.ts'
import { stripeScheme } from './stripe.ts'

const SCHEMES: readonly Scheme[] = [
  standardScheme('standard-webhooks', 'webhook'),
  standardScheme('svix', 'svix'),
  stripeScheme,
  githubScheme,
]

export function findScheme(headers: HeaderValues): Scheme | undefined {
  return SCHEMES.find(({ signatureHeader }) => headers[signatureHeader] !== undefined)
}

export function schemeNamed(name: SchemeName): Scheme {
  const scheme = SCHEMES.find((each) => each.name === name)
  if (!scheme) throw new Error(`there is no scheme ${name}`)
  return scheme
}
