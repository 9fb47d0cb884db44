import { importPKCS8, SignJWT } from 'jose'
import {
  allowInsecureRequests,
  ClientSecretPost,
  Configuration,
  clientCredentialsGrant,
  customFetch,
  discovery,
  genericGrantRequest,
  None,
  ResponseBodyError,
  refreshTokenGrant,
  type TokenEndpointResponse,
  tokenRevocation,
} from 'openid-client'
import { NoReply } from '../api/transport/exchange.ts'
import { durationText } from '../core/duration.ts'
import { CrmError, type ErrorCode } from '../core/errors.ts'
import type { OAuthLogin } from '../settings/oauth-login.ts'
import type { Fetch } from './through-connections.ts'

/** A sign-in before the first token. */
export type Begun = Omit<OAuthLogin, 'access'> & Partial<Pick<OAuthLogin, 'access'>>

export interface AuthorizationServer {
  readonly issuer?: string | undefined
  readonly authorize?: string | undefined
  /** What stands between scopes. */
  readonly scopes_by: string
}

/** The server and the client, in the terms of openid-client. */
export function configurationOf(
  { client, secret, token, revoke }: Pick<OAuthLogin, 'client' | 'secret' | 'token' | 'revoke'>,
  fetch: Fetch,
  { issuer = new URL(token).origin, authorize }: Partial<AuthorizationServer> = {},
): Configuration {
  const server = {
    ...{ issuer, token_endpoint: token },
    ...(authorize !== undefined && { authorization_endpoint: authorize }),
    ...(revoke !== undefined && { revocation_endpoint: revoke }),
  }
  const auth = secret === undefined ? None() : ClientSecretPost(secret)
  const configuration = new Configuration(server, client, undefined, auth)
  configuration[customFetch] = fetch as never
  // The addresses are checked where they are asked: plain http goes no further than this machine.
  allowInsecureRequests(configuration)
  return configuration
}

/** What an authorization server publishes of itself (RFC 8414, else OpenID Connect Discovery). CrmError as for a token. */
export async function publishedAddresses(issuer: string, fetch: Fetch): Promise<PublishedAddresses> {
  const how = { [customFetch]: fetch as never, execute: [allowInsecureRequests] }
  const ask = (algorithm: 'oauth2' | 'oidc') =>
    discovery(new URL(issuer), 'crm', undefined, None(), { ...how, algorithm })
  try {
    const found = await ask('oauth2').catch((error: Error) => {
      if (error.cause instanceof Response) return ask('oidc')
      throw error
    })
    const server = found.serverMetadata()
    const { token_endpoint: token, authorization_endpoint: authorize, revocation_endpoint: revoke } = server
    if (token !== undefined) return { issuer: server.issuer, authorize, token, revoke }
    throw new Error('its metadata has no token_endpoint')
  } catch (error) {
    throw failureOf(error, issuer, { what: 'says no addresses' })
  }
}

export type PublishedAddresses = Pick<OAuthLogin, 'token' | 'revoke'> &
  Pick<AuthorizationServer, 'issuer' | 'authorize'>

const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer'
const JWT_LIFE_S = 180

/** The sign-in with a new access token. CrmError `unauthorized` for a refusal, `unreachable` where there is no answer. */
export async function withNewToken(login: Begun, fetch: Fetch, now: () => number): Promise<OAuthLogin> {
  const configuration = configurationOf(login, fetch)
  const scope: Record<string, string> = login.scopes.length > 0 ? { scope: login.scopes.join(' ') } : {}
  return answered(login, now, async () => {
    if (login.flow === 'client_credentials') return clientCredentialsGrant(configuration, scope)
    if (login.jwt) {
      const assertion = await signed(login.client, login.jwt, now)
      return genericGrantRequest(configuration, JWT_BEARER, { ...scope, assertion })
    }
    if (login.refresh !== undefined) return refreshTokenGrant(configuration, login.refresh)
    throw new CrmError('unauthorized', 'the server gave no refresh token, so that a person has to sign in again', {
      hint: 'crm auth login',
    })
  })
}

/** The tokens of an answer, with what is known of the sign-in. */
export async function answered(
  login: Begun,
  now: () => number,
  ask: () => Promise<TokenEndpointResponse>,
): Promise<OAuthLogin> {
  const askedMs = now()
  let answer: TokenEndpointResponse
  try {
    answer = await ask()
  } catch (error) {
    throw failureOf(error, login.token, { askedMs: login.flow === 'jwt' ? askedMs : undefined })
  }
  const { access_token: access, refresh_token: refresh = login.refresh, expires_in: seconds, scope } = answer
  const life = seconds === undefined ? undefined : seconds * 1000
  // By the clock of this machine alone: from the request on, so that it is never thought to last longer.
  const after = (ms: number | undefined) => (ms === undefined ? undefined : askedMs + ms)
  const refreshLife = Number(answer.refresh_token_expires_in ?? answer.refresh_expires_in ?? 0) * 1000
  const refreshEnds = refreshLife > 0 ? after(refreshLife) : refresh === login.refresh ? login.refreshEnds : undefined
  const scopes = scope === undefined ? login.scopes : scope.split(' ')
  return { ...login, access, refresh, life, ends: after(life), refreshEnds, scopes }
}

/** Takes the access token and the refresh token back. */
export async function revokeTokens(login: OAuthLogin, fetch: Fetch): Promise<void> {
  try {
    const configuration = configurationOf(login, fetch)
    if (login.refresh !== undefined) await tokenRevocation(configuration, login.refresh)
    await tokenRevocation(configuration, login.access)
  } catch (error) {
    throw failureOf(error, login.revoke ?? '', { what: 'has not taken the tokens back' })
  }
}

async function signed(
  client: string,
  { subject, audience, key }: NonNullable<OAuthLogin['jwt']>,
  now: () => number,
): Promise<string> {
  const seconds = Math.floor(now() / 1000)
  const jwt = new SignJWT({}).setProtectedHeader({ alg: 'RS256' }).setIssuer(client).setSubject(subject)
  jwt.setAudience(audience).setIssuedAt(seconds)
  try {
    return await jwt.setExpirationTime(seconds + JWT_LIFE_S).sign(await importPKCS8(key, 'RS256'))
  } catch (error) {
    throw new CrmError('invalid_input', `the private key cannot sign: ${(error as Error).message}`, {
      hint: 'expected an RSA key of 2,048 bits or more: openssl genpkey -algorithm RSA -out key.pem',
      cause: error,
    })
  }
}

/** `unauthorized` for a refusal, `unreachable` for an outage; what it says is redacted where it is shown. */
function failureOf(
  error: unknown,
  address: string,
  { what = 'gives no token', askedMs }: { readonly what?: string; readonly askedMs?: number | undefined } = {},
): unknown {
  if (error instanceof CrmError) return error
  const { host = address } = URL.parse(address) ?? {}
  const failed = (code: ErrorCode, why: string, hint: string) =>
    new CrmError(code, `${host} ${what}: ${why}`, { hint, cause: error })
  const { cause = error, message } = error as Error
  if (cause instanceof CrmError) return cause
  if (cause instanceof NoReply) {
    const { code = cause.type } = (cause.cause ?? {}) as { readonly code?: string }
    return failed(cause.type === 'interrupted' ? 'interrupted' : 'unreachable', code, 'try again')
  }
  if (cause instanceof Response)
    return failed(cause.status >= 500 ? 'unreachable' : 'bad_answer', `it answers ${cause.status}`, 'try again')
  if (!(error instanceof ResponseBodyError)) return failed('bad_answer', message, ADDRESSES_HINT)
  const { error: code, error_description: description, response } = error
  const offMs = (askedMs ?? Number.NaN) - Date.parse(response.headers.get('date') ?? '')
  const why = [code, ...(description === undefined ? [] : [description]), ...clockText(offMs)].join(': ')
  return failed('unauthorized', why, 'crm auth login')
}

/** What a JWT says of its time is compared with the clock of the server, which does not say so. */
function clockText(offMs: number): readonly string[] {
  const minutes = Math.round(Math.abs(offMs) / 60_000)
  if (!(minutes > 0)) return []
  const side = offMs > 0 ? 'ahead of' : 'behind'
  return [`the clock of this machine is ${durationText(minutes * 60_000)} ${side} that of the server`]
}

const ADDRESSES_HINT = 'crm connectors show NAME shows the addresses of its authorization server'
