import { createPublicKey, randomUUID, verify } from 'node:crypto'
import { existsSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import type { CleanUp } from '../harness/home.ts'

// A real authorization server, and a gate that lets its tokens alone through to a service.

const JUDGES = fileURLToPath(new URL('../../tools/judges/package.json', import.meta.url))
/** No dependency of crm. */
const PROVIDER = 'oidc-provider'
export const HAS_PROVIDER = existsSync(new URL('../../tools/judges/node_modules/oidc-provider', import.meta.url))

/** Of this file of tests alone: another types it on a command line of tmux, while this one may look at all of them. */
export const SECRET = `marked-secret-of-the-client-${randomUUID()}`

export interface Authorization {
  readonly url: string
  /** Requests for tokens: the grant and the answer's status. */
  readonly asked: readonly { readonly grant: string; readonly status: number }[]
  /** Answers for requests at /token before the server itself does. */
  answers: (grant: string, asked: string) => Answer | undefined | Promise<undefined>
  /** Called when the server has done what was asked, before its answer is sent; true: the answer is lost. */
  beforeAnswer: (grant: string) => boolean | Promise<boolean>
  /** What came and went in requests for tokens that nothing else may hold, each with its name. */
  readonly secrets: ReadonlyMap<string, string>
  isValid(token: string): Promise<boolean>
  /** The addresses that it publishes here are not found. */
  hidden: string | undefined
}

interface Answer {
  /** 0: the answer of the server itself. */
  readonly status: number
  readonly body: string
  readonly afterMs?: number
  readonly headers?: Readonly<Record<string, string>>
}

export interface Terms {
  readonly tokenSeconds: number
  readonly callback?: string
  /** The public key of clients that sign, in PEM. */
  readonly publicKey?: string
}

const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer'

export async function startAuthorization(terms: Terms, cleanUp: CleanUp): Promise<Authorization> {
  const { tokenSeconds, callback = 'http://127.0.0.1:4180/callback', publicKey } = terms
  // biome-ignore lint/suspicious/noExplicitAny: the package has no types, and is no dependency of crm.
  const { Provider } = (await import(createRequire(JUDGES).resolve(PROVIDER))) as any
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const life = { AccessToken: tokenSeconds, ClientCredentials: tokenSeconds, RefreshToken: 86_400, Grant: 86_400 }
  const provider = new Provider(url, {
    clients: [
      {
        ...{ client_id: 'crm', client_secret: SECRET, redirect_uris: [callback] },
        grant_types: ['authorization_code', 'refresh_token', 'client_credentials', JWT_BEARER],
        token_endpoint_auth_method: 'client_secret_post',
        application_type: 'native',
      },
    ],
    scopes: ['openid', 'offline_access', 'crm.read', 'crm.write'],
    features: {
      clientCredentials: { enabled: true },
      revocation: { enabled: true },
      devInteractions: { enabled: true },
    },
    pkce: { required: () => true },
    issueRefreshToken: () => true,
    rotateRefreshToken: true,
    ttl: { ...life, Session: 86_400, Interaction: 3600 },
    cookies: { keys: ['a-key-of-cookies-for-tests'] },
    findAccount: (_: unknown, id: string) => ({ accountId: id, claims: () => ({ sub: id }) }),
  })
  provider.registerGrantType(JWT_BEARER, assertionGrant(provider, { url, publicKey }), ['assertion', 'scope'])
  const asked: { grant: string; status: number }[] = []
  const secrets = new Map<string, string>()
  const authorization: Authorization = {
    ...{ url, asked, secrets, answers: () => undefined, beforeAnswer: () => false, hidden: undefined },
    isValid: async (token) => {
      const found = (await provider.AccessToken.find(token)) ?? (await provider.ClientCredentials.find(token))
      return found !== undefined && !found.isExpired
    },
  }
  const handle = provider.callback()
  server.on(
    'request',
    (request, response) => void answered(request, response, { authorization, asked, secrets, handle }),
  )
  cleanUp(() => {
    server.closeAllConnections()
    server.close()
  })
  return authorization
}

interface Answering {
  readonly authorization: Authorization
  readonly asked: { grant: string; status: number }[]
  readonly secrets: Map<string, string>
  readonly handle: (request: IncomingMessage, response: ServerResponse) => void
}

const SECRETS = ['access_token', 'refresh_token', 'client_secret', 'code', 'code_verifier', 'assertion']

async function answered(
  request: IncomingMessage,
  response: ServerResponse,
  { authorization, asked, secrets, handle }: Answering,
) {
  if (request.url === authorization.hidden) return void response.writeHead(404).end()
  if (request.method !== 'POST' || request.url !== '/token') return handle(request, response)
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const body = Buffer.concat(chunks).toString()
  const grant = new URLSearchParams(body).get('grant_type') ?? ''
  const learn = (members: Iterable<[string, unknown]>) => {
    for (const [name, value] of members) if (SECRETS.includes(name)) secrets.set(String(value), name)
  }
  learn(new URLSearchParams(body))
  const own = await authorization.answers(grant, body)
  if (own?.afterMs !== undefined) await new Promise((resolve) => setTimeout(resolve, own.afterMs))
  const end = response.end.bind(response) as (text: string) => void
  const send = (text: string) => {
    asked.push({ grant, status: response.statusCode })
    if (!own?.body && text) learn(Object.entries(JSON.parse(text)))
    void Promise.resolve(authorization.beforeAnswer(grant)).then((isLost) => (isLost ? response.destroy() : end(text)))
  }
  Object.assign(response, { end: send })
  if (own && own.status !== 0) {
    response.writeHead(own.status, { 'content-type': 'application/json', ...own.headers }).end(own.body)
    return
  }
  Object.assign(request, { body: Object.fromEntries(new URLSearchParams(body)) })
  handle(request, response)
}

/** The parts of the package that are used here; it has no types, and is no dependency of crm. */
interface OfGrant {
  readonly oidc: {
    readonly client: { readonly clientId: string }
    readonly params: { assertion?: string; scope?: string }
  }
  status: number
  body: object
}

interface Tokens {
  readonly ClientCredentials: new (of: object) => { save(): Promise<string>; readonly expiration: number }
}

function assertionGrant(
  provider: Tokens,
  { url, publicKey }: { readonly url: string; readonly publicKey: string | undefined },
) {
  return async (ctx: OfGrant) => {
    const { client, params } = ctx.oidc
    const [head = '', body = '', signature = ''] = String(params.assertion).split('.')
    const claims = JSON.parse(Buffer.from(body, 'base64url').toString() || '{}')
    const isSigned =
      publicKey !== undefined &&
      verify('sha256', Buffer.from(`${head}.${body}`), createPublicKey(publicKey), Buffer.from(signature, 'base64url'))
    const isRight = claims.iss === client.clientId && claims.aud === `${url}/token` && claims.exp * 1000 > Date.now()
    if (!isSigned || !isRight) {
      ctx.status = 400
      ctx.body = { error: 'invalid_grant', error_description: 'the assertion is not valid' }
      return
    }
    const token = new provider.ClientCredentials({ client, scope: params.scope })
    ctx.body = { access_token: await token.save(), expires_in: token.expiration, token_type: 'Bearer' }
  }
}

/** A browser without scripts: signs in as this person, agrees, and returns the address that it is then sent to. */
export async function agree(address: string, person = 'ines'): Promise<URL> {
  const cookies = new Map<string, string>()
  let url = new URL(address)
  let form: URLSearchParams | undefined
  for (let steps = 0; steps < 20; steps++) {
    const answer = await visit(url, cookies, form)
    form = undefined
    const to = answer.headers.get('location')
    if (to === null) [url, form] = formIn(await answer.text(), url, person)
    else url = new URL(to, url)
    if (url.host !== new URL(address).host) return url
  }
  throw new Error('the sign-in does not end')
}

async function visit(url: URL, cookies: Map<string, string>, form: URLSearchParams | undefined): Promise<Response> {
  const cookie = [...cookies].map((pair) => pair.join('=')).join('; ')
  const how = { method: form ? 'POST' : 'GET', redirect: 'manual', headers: { cookie } } as const
  const answer = await fetch(url, { ...how, ...(form && { body: form }) })
  for (const each of answer.headers.getSetCookie()) {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(each) ?? []
    cookies.set(name, value)
  }
  return answer
}

function formIn(text: string, url: URL, person: string): [URL, URLSearchParams] {
  const [, action = url.href] = /<form[^>]*action="([^"]+)"/.exec(text) ?? []
  const [, prompt = ''] = /name="prompt" value="([^"]+)"/.exec(text) ?? []
  if (prompt === '') throw new Error(`no form at ${url.href}: ${text.slice(0, 500)}`)
  const values = { prompt, ...(prompt === 'login' && { login: person, password: 'x' }) }
  return [new URL(action, url), new URLSearchParams(values)]
}

/** Passes requests with a valid token on to a service, with the key of that. */
export async function startGate(
  authorization: Pick<Authorization, 'isValid'>,
  service: { readonly url: string; readonly key: string; readonly delayMs?: number },
  cleanUp: CleanUp,
): Promise<{ readonly url: string; readonly tokens: Set<string>; readonly refused: () => number }> {
  const tokens = new Set<string>()
  let refused = 0
  const gate = createServer(async (request, response) => {
    const token = request.headers.authorization?.replace(/^Bearer /, '') ?? ''
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    if (!(await authorization.isValid(token))) {
      refused += 1
      response.writeHead(401, { 'content-type': 'application/json' }).end('{"code":"unauthorized","detail":"no token"}')
      return
    }
    tokens.add(token)
    await new Promise((resolve) => setTimeout(resolve, service.delayMs ?? 0))
    if (request.url?.endsWith('/echo')) {
      response
        .writeHead(400, { 'content-type': 'application/json' })
        .end(JSON.stringify({ detail: `you sent ${token}` }))
      return
    }
    const { host: _, connection: _c, ...headers } = request.headers
    const {
      body,
      status,
      headers: answer,
    } = await fetch(service.url + request.url, {
      method: request.method ?? 'GET',
      headers: { ...(headers as Record<string, string>), authorization: `Bearer ${service.key}` },
      ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
    })
    response.writeHead(status, Object.fromEntries(answer))
    for await (const chunk of body ?? []) response.write(chunk)
    response.end()
  })
  await new Promise<void>((resolve) => gate.listen(0, '127.0.0.1', resolve))
  cleanUp(() => {
    gate.closeAllConnections()
    gate.close()
  })
  return { url: `http://127.0.0.1:${(gate.address() as AddressInfo).port}`, tokens, refused: () => refused }
}
