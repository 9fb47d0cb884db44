import { isJsonObject } from '../core/json.ts'

/** How access tokens are got: RFC 6749 sections 4.1 and 4.4, RFC 7523. */
export const OAUTH_FLOWS = ['code', 'client_credentials', 'jwt'] as const

export type OAuthFlow = (typeof OAUTH_FLOWS)[number]

/** A sign-in, which is kept in the place of a key. */
export interface OAuthLogin {
  readonly flow: OAuthFlow
  /** Addresses of the authorization server. */
  readonly token: string
  readonly revoke?: string | undefined
  readonly client: string
  /** Of the client. */
  readonly secret?: string | undefined
  readonly scopes: readonly string[]
  /** Where the browser brings the code, if the client is registered with another address than ours. */
  readonly callback?: string | undefined
  /** What a JWT says, and the private key in PEM that signs it. */
  readonly jwt?: { readonly subject: string; readonly audience: string; readonly key: string } | undefined
  readonly access: string
  readonly refresh?: string | undefined
  /** When the access token ends, in ms since 1970, and for how long it was given; undefined: the server did not say. */
  readonly ends?: number | undefined
  readonly life?: number | undefined
  /** When the refresh token ends, in ms since 1970; undefined: the server did not say. */
  readonly refreshEnds?: number | undefined
}

/** As one word of ASCII, as keys are. */
export function oauthLoginText(login: OAuthLogin): string {
  const escaped = (char: string) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`
  return JSON.stringify(login).replace(/[^\x21-\x7e]/g, escaped)
}

/** Undefined for a key. No key begins with a brace. */
export function oauthLoginIn(kept: string): OAuthLogin | undefined {
  if (!kept.startsWith('{')) return undefined
  let login: unknown
  try {
    login = JSON.parse(kept)
  } catch {
    return undefined
  }
  const isText = (value: unknown) => typeof value === 'string'
  if (!isJsonObject(login as never)) return undefined
  const { flow, token, client, access, scopes } = login as Partial<OAuthLogin>
  const isWhole = [token, client, access].every(isText) && OAUTH_FLOWS.some((each) => each === flow)
  return isWhole && Array.isArray(scopes) ? (login as OAuthLogin) : undefined
}

/** What no output may show. */
export function secretsOf({ access, refresh, secret, jwt }: OAuthLogin): readonly string[] {
  return [access, refresh, secret, jwt?.key].filter((each) => each !== undefined)
}
