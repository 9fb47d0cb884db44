import type { ConnectorDocument } from '../../connector/document.ts'
import { compileTemplate, fillHost } from '../../connector/templates.ts'

type OAuthDocument = NonNullable<Extract<ConnectorDocument['auth'], { readonly in: 'bearer' }>['oauth']>

type Address = 'authorize' | 'token' | 'revoke' | 'issuer' | 'audience'

/** What a connector says of OAuth, for one server. Without `token`, the issuer publishes the addresses. */
export type OAuthAddresses = Omit<OAuthDocument, Address> & { readonly [Name in Address]?: string | undefined }

interface Place {
  readonly baseUrl: URL
  readonly variables: Readonly<Record<string, string>>
}

/** Undefined for a connector without it. */
export function oauthAddresses({ auth }: Pick<ConnectorDocument, 'auth'>, place: Place): OAuthAddresses | undefined {
  const oauth = 'oauth' in auth ? auth.oauth : undefined
  if (!oauth) return undefined
  const filled = (template: unknown) =>
    template === undefined ? undefined : fillHost(compileTemplate(template as string), { ...place.variables })
  const address = (template: unknown) => {
    const text = filled(template)
    return text === undefined ? undefined : new URL(text, place.baseUrl.origin).href
  }
  const { authorize, token, revoke, issuer, audience, ...others } = oauth
  return {
    ...others,
    ...{ authorize: address(authorize), token: address(token), revoke: address(revoke) },
    ...{ issuer: filled(issuer), audience: filled(audience) },
  }
}
