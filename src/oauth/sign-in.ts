import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  authorizationCodeGrant,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  randomPKCECodeVerifier,
  randomState,
} from 'openid-client'
import { CrmError } from '../core/errors.ts'
import type { OAuthLogin } from '../settings/oauth-login.ts'
import { type AuthorizationServer, answered, type Begun, configurationOf } from './grants.ts'
import type { Fetch } from './through-connections.ts'

export interface SignIn {
  readonly login: Begun
  readonly server: AuthorizationServer
  /** Added to the address at which a person agrees. */
  readonly parameters: Readonly<Record<string, string>>
  /** Where the browser brings the code: an address of this machine, as the client is registered with. */
  readonly callback: URL
  readonly fetch: Fetch
  readonly now: () => number
  readonly signal: AbortSignal
  /** Shows a person the address, or opens it. */
  readonly show: (address: URL) => Promise<void>
  /** The browser may be on another machine, so the address can be pasted. */
  readonly isPasted?: boolean
  /** Asks the user to paste an address or a code, until the signal aborts; undefined without a terminal. */
  readonly ask: ((signal: AbortSignal, isListening: boolean) => Promise<string>) | undefined
}

/** By an authorization code with PKCE (RFC 6749 section 4.1, RFC 7636), which comes to this machine (RFC 8252) or is pasted. */
export async function signInByCode(how: SignIn): Promise<OAuthLogin> {
  const { login, fetch, now, callback } = how
  const configuration = configurationOf(login, fetch, how.server)
  const [verifier, state] = [randomPKCECodeVerifier(), randomState()]
  const address = buildAuthorizationUrl(configuration, {
    ...{ redirect_uri: callback.href, state, code_challenge_method: 'S256' },
    code_challenge: await calculatePKCECodeChallenge(verifier),
    ...(login.scopes.length > 0 && { scope: login.scopes.join(how.server.scopes_by) }),
    ...how.parameters,
  })
  const checks = { expectedState: state, pkceCodeVerifier: verifier }
  const arrived = await codeFor({ ...how, state }, address)
  return answered(login, now, () => authorizationCodeGrant(configuration, arrived, checks))
}

/** The address with the code, from the browser or from the person, whichever comes first. */
async function codeFor(how: SignIn & { readonly state: string }, address: URL): Promise<URL> {
  const { callback, state, signal, show, ask } = how
  const ended = new AbortController()
  const waiting = AbortSignal.any([signal, ended.signal])
  const arrival = await listenAt(callback, state, waiting).catch((error: unknown) => {
    if (!how.isPasted || !ask || !(error instanceof CrmError)) throw error
    return undefined
  })
  try {
    await show(address)
    const pasted = ask?.(waiting, arrival !== undefined).then((text) => pastedAddress(text, callback, state))
    const arrived = await Promise.race([arrival?.code, pasted].filter((each) => each !== undefined))
    const error = arrived.searchParams.get('error')
    if (error !== null)
      throw new CrmError('unauthorized', `the sign-in was refused: ${error}`, { hint: 'crm auth login' })
    if (arrived.searchParams.get('code')) return arrived
    throw new CrmError('usage', 'there is no code in what was pasted: it is in the address that the browser ends at', {
      hint: 'crm auth login starts another sign-in',
    })
  } finally {
    ended.abort()
    await arrival?.close()
  }
}

/** A code alone says nothing of the sign-in that it is for: PKCE does. */
function pastedAddress(text: string, callback: URL, state: string): URL {
  const typed = text.trim()
  const address = new URL(callback)
  if (!/^https?:/i.test(typed)) {
    address.search = new URLSearchParams({ code: typed, state }).toString()
    return address
  }
  address.search = URL.parse(typed)?.search ?? ''
  if (address.searchParams.get('state') === state) return address
  throw new CrmError('unauthorized', 'that address is of another sign-in: its state is not the one that was sent', {
    hint: 'crm auth login starts another one',
  })
}

interface Arrival {
  readonly code: Promise<URL>
  close(): Promise<void>
}

async function listenAt(callback: URL, state: string, signal: AbortSignal): Promise<Arrival> {
  const { promise: code, resolve, reject } = Promise.withResolvers<URL>()
  // It may be rejected before it is awaited.
  code.catch(() => {})
  signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  let isTaken = false
  const answer = (request: IncomingMessage, response: ServerResponse) => {
    const asked = URL.parse(request.url ?? '', callback.origin)
    const isRight =
      asked?.pathname === callback.pathname && request.method === 'GET' && request.headers.host === callback.host
    const isOurs = isRight && asked.searchParams.get('state') === state
    const [status, text] = !isRight
      ? [404, 'There is nothing here.']
      : !isOurs
        ? [400, 'This is of another sign-in, and was not used.']
        : isTaken
          ? [400, 'This sign-in has ended.']
          : [200, 'crm goes on in the terminal. This window can be closed.']
    response.writeHead(status, {
      'content-type': 'text/plain; charset=utf-8',
      'cache-control': 'no-store',
      connection: 'close',
    })
    response.end(`${text}\n`)
    if (!isOurs || isTaken) return
    isTaken = true
    resolve(asked)
  }
  const hosts = callback.hostname === 'localhost' ? ['127.0.0.1', '::1'] : [callback.hostname.replace(/^\[|\]$/g, '')]
  const servers = await opened(hosts, callback, answer)
  return {
    code,
    close: async () => {
      for (const server of servers) {
        server.closeAllConnections()
        await new Promise((done) => server.close(done))
      }
    },
  }
}

type Answering = (request: IncomingMessage, response: ServerResponse) => void

async function opened(hosts: readonly string[], callback: URL, answer: Answering): Promise<readonly Server[]> {
  const servers: Server[] = []
  for (const host of hosts) {
    const server = createServer(answer)
    const port = Number(callback.port)
    const error = await new Promise<Error | undefined>((resolve) => {
      server.once('error', resolve)
      server.listen(port, host, () => resolve(undefined))
    })
    if (error === undefined && (server.address() as AddressInfo).port === port) servers.push(server)
    // A machine may lack one of the two addresses of localhost.
    else if ((error as NodeJS.ErrnoException).code !== 'EADDRNOTAVAIL' || hosts.length === 1)
      throw taken(callback, error)
  }
  return servers
}

function taken(callback: URL, cause: unknown): CrmError {
  return new CrmError('machine', `crm cannot listen at ${callback.origin} for the end of the sign-in`, {
    hint: 'end the program that uses the port, or name another address that the client is registered with: --callback URL',
    cause,
  })
}
