import { spawn } from 'node:child_process'
import { platform } from 'node:os'
import type { OAuthAddresses } from '../../api/connectors/oauth-addresses.ts'
import type { Context } from '../../context.ts'
import { CrmError } from '../../core/errors.ts'
import { shellWord } from '../../core/shell-words.ts'
import { envWithoutSecrets } from '../../core/streams.ts'
import type { Begun } from '../../oauth/grants.ts'
import type { Fetch } from '../../oauth/through-connections.ts'
import { askHidden, askTyped, canAsk } from '../../output/prompt.ts'
import { OAUTH_FLOWS, type OAuthFlow, type OAuthLogin, secretsOf } from '../../settings/oauth-login.ts'
import { readInput } from '../../settings/read-input.ts'
import { commandLine, withFlag, withoutFlags } from '../command-line.ts'

export interface OAuthOptions {
  readonly flow?: OAuthFlow
  readonly clientId?: string
  readonly clientSecretFile?: string
  readonly scopes?: readonly string[]
  readonly callback?: string
  readonly browser: boolean
  readonly jwtKey?: string
  readonly subject?: string
}

/** `before`: the sign-in of the profile, whose client is used again. */
export interface GivenOAuth extends OAuthOptions {
  readonly before?: OAuthLogin | undefined
}

/** Clients are registered with it. */
const CALLBACK = 'http://127.0.0.1:4180/callback'

export function parseFlow(text: string): OAuthFlow {
  const flow = OAUTH_FLOWS.find((known) => known === text)
  if (flow) return flow
  throw new CrmError('usage', `--flow ${JSON.stringify(text)} is not a way to sign in`, {
    hint: `expected: ${OAUTH_FLOWS.join(', ')}`,
  })
}

/** Whether this login is one by OAuth. CrmError `usage` for its flags where the connector says nothing of it. */
export function isOAuth(
  { flags, argv }: Pick<Context, 'flags' | 'argv'>,
  oauth: OAuthAddresses | undefined,
  { flow, clientId, before }: GivenOAuth,
): oauth is OAuthAddresses {
  const isAsked = flow !== undefined || clientId !== undefined
  const isOfKey = flags.keyFile !== undefined || flags.isKeyOnStdin
  if (oauth) return isAsked || (!isOfKey && (!oauth.keys || before !== undefined))
  if (!isAsked) return false
  throw new CrmError('usage', 'the connector says nothing of OAuth: it is signed in to with a key', {
    hint: withoutFlags(argv, '--flow', '--client-id'),
  })
}

/** Signs in at the server of tokens. CrmError `unauthorized` for a refusal. */
export async function signInByOAuth(ctx: Context, stated: OAuthAddresses, options: GivenOAuth): Promise<OAuthLogin> {
  const { before } = options
  const flow = options.flow ?? before?.flow ?? stated.flows[0] ?? 'code'
  if (!stated.flows.includes(flow)) {
    throw new CrmError('usage', `this server does not sign in by ${flow}`, {
      hint: withFlag(ctx.argv, '--flow', stated.flows[0] ?? 'code'),
    })
  }
  if (flow === 'code' && !canAsk(ctx)) throw noPerson(ctx, stated)
  if (options.callback !== undefined) callbackOf(options.callback)
  const { fetchThrough } = await import('../../oauth/through-connections.ts')
  const { env, now, signal, addSecret } = ctx
  const fetch = fetchThrough({ timeoutMs: ctx.flags.timeoutMs, env, signal, addSecret })
  const oauth = await withAddresses(stated, fetch)
  const login = await beginning(ctx, flow, { oauth, options })
  const signing =
    flow === 'code'
      ? byCode(ctx, { login, oauth, options, fetch })
      : (await import('../../oauth/grants.ts')).withNewToken(login, fetch, now)
  const signed = await signing.catch((error: unknown) => {
    if (!(error instanceof CrmError) || error.code !== 'unauthorized') throw error
    const hint = `check the client, its secret and its scopes at the CRM, and repeat: ${commandLine(ctx.argv)}`
    throw new CrmError(error.code, `${error.message}; nothing was stored`, { hint, cause: error })
  })
  for (const each of [signed.access, signed.refresh]) if (each !== undefined) ctx.addSecret(each)
  return signed
}

/** Takes the tokens back at the server. False where that names no way to; CrmError if it does not. */
export async function revokeLogin(
  { flags, env, addSecret }: Pick<Context, 'flags' | 'env' | 'addSecret'>,
  login: OAuthLogin,
  signal: AbortSignal,
): Promise<boolean> {
  if (login.revoke === undefined) return false
  for (const secret of secretsOf(login)) addSecret(secret)
  const { fetchThrough } = await import('../../oauth/through-connections.ts')
  const { revokeTokens } = await import('../../oauth/grants.ts')
  await revokeTokens(login, fetchThrough({ timeoutMs: flags.timeoutMs, env, signal, addSecret }))
  return true
}

type Addressed = OAuthAddresses & Pick<OAuthLogin, 'token'>

/** With the addresses that the issuer publishes, where the connector states none. */
async function withAddresses(oauth: OAuthAddresses, fetch: Fetch): Promise<Addressed> {
  const { token, issuer = '' } = oauth
  if (token !== undefined) return { ...oauth, token }
  const { publishedAddresses } = await import('../../oauth/grants.ts')
  return { ...oauth, ...(await publishedAddresses(issuer, fetch)) }
}

interface Beginning {
  readonly oauth: Addressed
  readonly options: GivenOAuth
}

/** What is said of the client, or was said before. A secret goes to the server that it was given for alone. */
async function beginning(ctx: Context, flow: OAuthFlow, { oauth, options }: Beginning): Promise<Begun> {
  const { token, revoke } = oauth
  const client = await clientId(ctx, options)
  const known = options.before?.client === client && options.before.token === token ? options.before : undefined
  const given = { ...options, before: known }
  const secret = await clientSecret(ctx, flow, given)
  const jwt = flow === 'jwt' ? await jwtOf(ctx, oauth, given) : undefined
  const scopes = options.scopes ?? known?.scopes ?? oauth.scopes
  for (const each of [secret, jwt?.key]) if (each !== undefined) ctx.addSecret(each)
  if (scopes.length > 0) ctx.note(`Scopes: ${scopes.join(', ')}; others: --scopes`)
  return { flow, token, revoke, client, secret, scopes, jwt, callback: options.callback ?? known?.callback }
}

interface ByCode {
  readonly login: Begun
  readonly oauth: Addressed
  readonly options: OAuthOptions
  readonly fetch: Fetch
}

async function byCode(ctx: Context, { login, oauth, options, fetch }: ByCode): Promise<OAuthLogin> {
  const { signInByCode } = await import('../../oauth/sign-in.ts')
  const { env, now, signal } = ctx
  const isOpened = options.browser && hasBrowser(env)
  return signInByCode({
    ...{ login, fetch, now, signal, server: oauth, parameters: oauth.parameters },
    callback: callbackOf(login.callback ?? CALLBACK),
    isPasted: !isOpened,
    show: async (address) => {
      ctx.note('Sign in at this address:')
      ctx.note(address.href)
      if (isOpened) openBrowser(address, env)
    },
    // The code in it is a secret until it is used.
    ask: (ending, isListening) => {
      const what = isListening ? 'Waiting for the browser; or paste' : 'The port of the callback is in use here; paste'
      return askHidden(ctx.io, `${what} the address that the browser ends at (not shown): `, ending)
    },
  })
}

function callbackOf(text: string): URL {
  const callback = URL.parse(text)
  const isHere = callback && ['127.0.0.1', 'localhost', '[::1]'].includes(callback.hostname)
  if (isHere && callback.protocol === 'http:' && callback.port !== '') return callback
  throw new CrmError('usage', `--callback ${JSON.stringify(text)} is no address of this machine with a port`, {
    hint: `expected one such as ${CALLBACK}`,
  })
}

async function clientId(ctx: Context, { clientId: given, before }: GivenOAuth): Promise<string> {
  const known = given || ctx.env.CRM_CLIENT_ID || before?.client
  if (known) return known
  if (canAsk(ctx)) return (await askTyped(ctx.io, 'Client id of the app: ', ctx.signal)).trim()
  throw new CrmError('usage', 'a sign-in by OAuth needs the id of a client', {
    hint: `${commandLine(ctx.argv)} --client-id ID`,
  })
}

/** Undefined for a client without one. */
async function clientSecret(
  ctx: Context,
  flow: OAuthFlow,
  { clientSecretFile, before }: GivenOAuth,
): Promise<string | undefined> {
  if (clientSecretFile !== undefined) {
    const secret = (await readInput(ctx, clientSecretFile, '--client-secret-file')).trim()
    if (secret !== '') return secret
    throw new CrmError('invalid_input', `--client-secret-file ${clientSecretFile} is empty`, {
      hint: 'expected the secret of the client alone, on one line',
    })
  }
  if (ctx.env.CRM_CLIENT_SECRET) return ctx.env.CRM_CLIENT_SECRET
  if (before) return before.secret
  if (flow === 'jwt') return undefined
  if (canAsk(ctx)) return (await askHidden(ctx.io, 'Secret of the app (empty: none): ', ctx.signal)).trim() || undefined
  throw new CrmError('usage', `--flow ${flow} needs the secret of the client`, {
    hint: `${commandLine(ctx.argv)} --client-secret-file FILE`,
  })
}

async function jwtOf(ctx: Context, oauth: Addressed, options: GivenOAuth): Promise<OAuthLogin['jwt']> {
  const { jwtKey, before } = options
  const subject = options.subject ?? before?.jwt?.subject
  if (jwtKey === undefined && subject !== undefined && before?.jwt) return { ...before.jwt, subject }
  if (jwtKey === undefined || subject === undefined) {
    throw new CrmError('usage', '--flow jwt needs the private key of the client, and the user whose records are used', {
      hint:
        jwtKey === undefined
          ? `${withFlag(ctx.argv, '--jwt-key', 'key.pem')}${subject === undefined ? ' --subject USER' : ''}`
          : withFlag(ctx.argv, '--subject', 'USER'),
    })
  }
  const key = (await readInput(ctx, jwtKey, '--jwt-key')).trim()
  if (key.startsWith('-----BEGIN PRIVATE KEY-----')) return { subject, audience: oauth.audience ?? oauth.token, key }
  const file = jwtKey === '-' ? 'key.pem' : jwtKey
  throw new CrmError('invalid_input', `--jwt-key ${jwtKey} holds no private key in PKCS #8 (BEGIN PRIVATE KEY)`, {
    // To another file: openssl empties that before it reads.
    hint: `openssl pkcs8 -topk8 -nocrypt -in ${shellWord(file)} -out ${shellWord(`${file}.pkcs8`)} converts one`,
  })
}

function noPerson({ argv }: Pick<Context, 'argv'>, { flows }: OAuthAddresses): CrmError {
  const other = flows.find((flow) => flow !== 'code')
  const hint = other === undefined ? 'sign in at a terminal' : withFlag(argv, '--flow', other)
  return new CrmError('no_key', 'a sign-in by code needs a person at a terminal', { hint })
}

/** False over SSH: the browser would open on the remote machine. BROWSER is set by what brings an address to the person. */
function hasBrowser(env: Context['env']): boolean {
  if (env.BROWSER) return true
  if (env.SSH_CONNECTION || env.SSH_TTY) return false
  return platform() !== 'linux' || Boolean(env.DISPLAY || env.WAYLAND_DISPLAY)
}

const OPENERS: Readonly<Record<string, readonly string[]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
}

function openBrowser(address: URL, env: Context['env']): void {
  const [program = 'xdg-open', ...words] = env.BROWSER ? [env.BROWSER] : (OPENERS[platform()] ?? [])
  const how = { env: envWithoutSecrets(env), stdio: 'ignore', detached: true } as const
  const child = spawn(program, [...words, address.href], how)
  // The address is shown, too.
  child.on('error', () => {})
  child.unref()
}
