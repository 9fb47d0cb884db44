import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Api } from '../../api/api.ts'
import type { Act, ApiTarget, Context } from '../../context.ts'
import { DEFAULT_CONNECTOR } from '../../core/default-connector.ts'
import { CrmError } from '../../core/errors.ts'
import { EXIT } from '../../core/exit.ts'
import { baseUrlText, isLoopback, parseBaseUrl } from '../../core/http-rules.ts'
import { idText, isSameJson } from '../../core/json.ts'
import type { CrmRecord } from '../../core/resources/registry.ts'
import { shellWord } from '../../core/shell-words.ts'
import { askHidden, askTyped, askYesNo, canAsk } from '../../output/prompt.ts'
import { appliesTo } from '../../settings/address.ts'
import { keptKey } from '../../settings/keep-key.ts'
import { readKeyFlag } from '../../settings/key-candidates.ts'
import { type OAuthLogin, oauthLoginIn, oauthLoginText } from '../../settings/oauth-login.ts'
import { checkKey, checkProfileName, defaultProfile, type Profile } from '../../settings/profile.ts'
import { parseVariables } from '../../settings/setting-values.ts'
import type { Settings } from '../../settings/settings.ts'
import { connectorOf, type NamedConnector } from '../../settings/target.ts'
import { commandLine } from '../command-line.ts'
import { examples } from '../command-tree.ts'
import type { WithFlags } from '../global-flags.ts'
import { isOAuth, type OAuthOptions, parseFlow, revokeLogin, signInByOAuth } from './oauth-login.ts'
import { parseStorage, type Storage, storeKey, verifyKey } from './store-key.ts'

interface Options extends OAuthOptions {
  readonly baseUrl?: string
  readonly connector?: string
  readonly storage?: Storage
  readonly protected?: true
  readonly insecureHttp?: true
  readonly use?: true
  readonly verify: boolean
}

export function addAuthLogin(auth: CommandUnknownOpts, act: Act): void {
  auth
    .command('login')
    .description('store an API key under a profile')
    .option('--base-url <url>', 'the address of the CRM; the key is never sent anywhere else')
    .option('--connector <name|file>', 'how the CRM speaks: crm connectors list names those that crm ships')
    .option(
      '--storage <where>',
      'keyring: only in the system keyring; file: in a private file, without asking',
      parseStorage,
    )
    .option('--protected', 'protect this CRM: deletes ask for the count, fixtures refuse it')
    .option('--use', 'make this profile the active one; the first profile is in any case')
    .option('--insecure-http', 'accept plain http to other machines')
    .option('--no-verify', 'do not check the key with the server')
    .option('--flow <how>', 'sign in by OAuth 2: code, client_credentials or jwt', parseFlow)
    .option('--client-id <id>', 'the client that you registered for OAuth')
    .option('--client-secret-file <file>', 'the file with its secret; - reads stdin')
    .option('--scopes <list>', 'scopes in place of those that the connector names, comma separated', parseScopes)
    .option('--callback <url>', 'where the browser brings the code, as the client is registered')
    .option('--no-browser', 'show the address at which you sign in, and open no browser')
    .option('--jwt-key <file>', 'the private key of the client in PEM, for --flow jwt')
    .option('--subject <user>', 'the user who has allowed it, for --flow jwt')
    .addHelpText(
      'after',
      examples(
        'crm auth login --base-url https://crm.example.com',
        'crm auth login --connector pipedrive',
        'crm auth login --connector salesforce --client-id 3MVG9...',
        'crm auth login --base-url https://crm.example.com -p prod --protected --storage file --key-stdin < key.txt',
      ),
    )
    .action(act(logIn))
}

async function logIn(ctx: Context, options: Options): Promise<undefined> {
  const settings = await ctx.settings()
  const chosen = await askConnector(ctx, options)
  const address = chosen?.address ?? (await askBaseUrl(ctx, options.baseUrl))
  const name = await loginProfileName(ctx, address)
  const before = profileAt(address, (await settings.profiles()).get(name))
  const connector = chosen ?? (before.connector === undefined ? await proposeConnector(ctx, address) : undefined)
  const baseUrl = connector?.address ?? address
  const given = changedProfile(before, { ...options, baseUrl, named: connector?.named })
  checkTransport(baseUrl, given.allowsInsecureHttp)
  const { key, kept, what, signed } = await keyOrLogin(
    ctx,
    { baseUrl, named: connector?.named ?? connectorOf({ profile: given }), name },
    options,
  )
  const login = { baseUrl, key, pageSize: given.pageSize, profileName: name }
  const store = async () => {
    const named = await verifiedConnector(ctx, login, connector?.named ?? connectorOf({ profile: given }), options)
    const place = await storeKey(ctx, name, { origin: baseUrl.origin, key: kept }, options.storage)
    return { named, place }
  }
  const { named, place } = await store().catch(async (error: unknown) => {
    if (signed) await takeBack(ctx, signed)
    throw error
  })
  await settings.putProfile(name, {
    ...given,
    ...(named && { connector: named.name, connectorVariables: named.variables }),
  })
  const active = await activate(settings, name, options.use === true)
  const how = connector ? ` as ${connector.title}` : ''
  const done = options.verify ? `Logged in to ${baseUrl.origin}${how};` : `Not checked with ${baseUrl.origin}${how}:`
  ctx.note(`${done} ${what} in ${place}. Active profile: ${active}.`)
  if (active !== name)
    ctx.note(`-p ${shellWord(name)} uses this one, and crm auth switch ${shellWord(name)} makes it the active one.`)
}

interface Entered {
  /** What requests are sent with. */
  readonly key: string
  /** What is stored. */
  readonly kept: string
  /** For people. */
  readonly what: string
  /** The first sign-in of the profile. */
  readonly signed?: OAuthLogin | undefined
}

const TAKE_BACK_MS = 10_000

/** Revokes tokens that were not stored. Nothing else could revoke them later, so this also runs after Ctrl-C. */
async function takeBack(ctx: Context, signed: OAuthLogin): Promise<void> {
  const revoked = revokeLogin(ctx, signed, AbortSignal.timeout(TAKE_BACK_MS))
  const text = await revoked.then(
    (isDone) => (isDone ? 'The server has taken the new tokens back.' : undefined),
    (error: Error) => `Warning: the server accepts the new tokens until they end: ${error.message}`,
  )
  if (text !== undefined) ctx.note(text)
}

/** A key, or a sign-in by OAuth where the connector names one and it was asked for, or the server takes no keys. */
async function keyOrLogin(
  ctx: Context,
  {
    baseUrl,
    named,
    name,
  }: { readonly baseUrl: URL; readonly named: NamedConnector | undefined; readonly name: string },
  options: Options,
): Promise<Entered> {
  const oauth = named && (await oauthOf(named, baseUrl))
  const stored = oauth && (await keptKey(await ctx.settings(), name, () => {}))
  const before = stored?.origin === baseUrl.origin ? oauthLoginIn(stored.key) : undefined
  if (!isOAuth(ctx, oauth, { ...options, before })) {
    const key = await askKey(ctx, baseUrl)
    return { key, kept: key, what: 'the key is' }
  }
  const login = await signInByOAuth(ctx, oauth, { ...options, before })
  // A server may take back with one sign-in those before, which are kept.
  const signed = before ? undefined : login
  return { key: login.access, kept: oauthLoginText(login), what: 'the tokens are', signed }
}

async function oauthOf(named: NamedConnector, baseUrl: URL) {
  const { connectorDocument } = await import('../../api/connectors/open-connector.ts')
  const { oauthAddresses } = await import('../../api/connectors/oauth-addresses.ts')
  return oauthAddresses(await connectorDocument(named), { baseUrl, variables: named.variables })
}

function parseScopes(text: string): readonly string[] {
  return text.split(/[\s,]+/).filter((scope) => scope !== '')
}

/**
 * The connector by which the server answered this key. Without one, that of `crm serve` is tried; a server that answers otherwise is
 * read, if a person wants it. CrmError if the key is refused, or nothing fits. Undefined if nothing was asked, nor said.
 */
async function verifiedConnector(
  ctx: Context,
  login: Login,
  named: NamedConnector | undefined,
  { verify }: Pick<Options, 'verify'>,
): Promise<NamedConnector | undefined> {
  if (!verify) return named
  const first = named ?? { name: DEFAULT_CONNECTOR, variables: {} }
  const api = await ctx.api({ ...login, connector: first })
  if (named) {
    await verifyKey(ctx, api, login)
    return named
  }
  const other = await otherThanCrmServe(ctx, api, login)
  if (!other) return first
  const read = await readConnector(ctx, login, other)
  await verifyKey(ctx, await ctx.api({ ...login, connector: read }), login)
  return read
}

/** The active profile after a login: the one before, unless `--use` asks for this one, or there is no such profile. */
async function activate(settings: Settings, name: string, isAsked: boolean): Promise<string> {
  const active = await settings.active()
  const isKept = !isAsked && active !== undefined && (await settings.profiles()).has(active)
  if (isKept) return active
  await settings.setActive(name)
  return name
}

/**
 * The profile that a login changes. One of another path of the origin gives its protection and none of its other settings, for
 * they describe another API.
 */
function profileAt(address: URL, kept: Profile | undefined): Profile {
  const fresh = defaultProfile(address.href)
  if (!kept) return fresh
  if (kept.baseUrl === undefined || appliesTo({ profile: kept }, address)) return kept
  const { isProtected, allowsInsecureHttp, keyCommand } = kept
  return { ...fresh, isProtected, allowsInsecureHttp, keyCommand }
}

/** The profile before, with what this login says. */
function changedProfile(
  before: Profile,
  { baseUrl, named, protected: isProtected, insecureHttp }: GivenLogin,
): Profile & { readonly baseUrl: string } {
  return {
    ...before,
    ...(named && { connector: named.name, connectorVariables: named.variables }),
    baseUrl: baseUrl.href,
    isProtected: before.isProtected || isProtected === true,
    allowsInsecureHttp: before.allowsInsecureHttp || insecureHttp === true,
  }
}

interface GivenLogin extends Pick<Options, 'protected' | 'insecureHttp'> {
  readonly baseUrl: URL
  readonly named: NamedConnector | undefined
}

async function askBaseUrl(ctx: Context, flag: string | undefined): Promise<URL> {
  if (flag !== undefined) return parseBaseUrl(flag, '--base-url')
  if (ctx.env.CRM_BASE_URL) return parseBaseUrl(ctx.env.CRM_BASE_URL, 'CRM_BASE_URL')
  const settings = await ctx.settings()
  const name = ctx.flags.profile ?? (await settings.active())
  const known = name === undefined ? undefined : (await settings.profiles()).get(name)?.baseUrl
  if (known) return parseBaseUrl(known, `base_url of profile ${name}`)
  if (canAsk(ctx)) return parseBaseUrl(await askTyped(ctx.io, 'Address of the CRM: ', ctx.signal), 'the address')
  throw new CrmError('usage', 'no address to log in to', {
    hint: `${commandLine(ctx.argv)} --base-url https://crm.example.com`,
  })
}

async function askKey(ctx: Context, baseUrl: URL): Promise<string> {
  const given = await readKeyFlag(ctx)
  if (!given && !canAsk(ctx)) {
    throw new CrmError('no_key', 'no key was given, and there is no terminal to ask at', {
      hint: `${commandLine(ctx.argv)} --key-stdin < key.txt`,
    })
  }
  const text = given?.value ?? (await askHidden(ctx.io, `API key for ${baseUrl.origin}: `, ctx.signal)).trim()
  ctx.addSecret(text)
  return checkKey(text, given?.source ?? 'the key')
}

/**
 * The profile for a login: the named one, else one with this address, else `default`. A profile of another origin is
 * refused, for its settings and protection belong to that origin; so is one of another path, unless it is named.
 */
async function loginProfileName(
  ctx: Pick<Context, 'env' | 'settings'> & WithFlags<'profile'>,
  baseUrl: URL,
): Promise<string> {
  const settings = await ctx.settings()
  const profiles = await settings.profiles()
  const named = ctx.flags.profile ?? (ctx.env.CRM_PROFILE || undefined)
  const active = await settings.active()
  const isSame = (name: string) => {
    const profile = profiles.get(name)
    return profile !== undefined && appliesTo({ profile }, baseUrl)
  }
  const name = checkProfileName(named ?? [active ?? '', ...profiles.keys()].find(isSame) ?? 'default')
  const kept = URL.parse(profiles.get(name)?.baseUrl ?? '')
  if (!kept || isSame(name) || (named !== undefined && kept.origin === baseUrl.origin)) return name
  throw new CrmError('usage', `profile ${name} belongs to ${baseUrlText(kept)}, not to ${baseUrlText(baseUrl)}`, {
    hint: `give another name with -p, or first: crm auth logout --remove-profile -p ${name}`,
  })
}

function checkTransport(baseUrl: URL, allowsInsecureHttp: boolean): void {
  if (baseUrl.protocol === 'https:' || isLoopback(baseUrl.hostname) || allowsInsecureHttp) return
  throw new CrmError('usage', `${baseUrl.origin} is plain http, so anyone on the network can read the key`, {
    hint: 'use https, or add --insecure-http if that network is yours',
  })
}

interface ChosenConnector {
  readonly named: NamedConnector
  readonly title: string
  readonly address: URL
}

/** The connector of a login with its variables, which a person is asked for; undefined without one. */
async function askConnector(
  ctx: Pick<Context, 'env' | 'io' | 'signal' | 'argv' | 'folder' | 'flags'>,
  flags: { readonly connector?: string; readonly baseUrl?: string; readonly variables?: NamedConnector['variables'] },
): Promise<ChosenConnector | undefined> {
  const given = flags.connector ?? (ctx.env.CRM_CONNECTOR || undefined)
  if (given === undefined) return undefined
  const { connectorAddress, connectorDocument, connectorPath, withBase } = await import(
    '../../api/connectors/open-connector.ts'
  )
  const name = connectorPath(given, ctx.folder)
  const document = await connectorDocument({ name })
  const text = ctx.env.CRM_CONNECTOR_VARS
  const variables: Record<string, string> = {
    ...flags.variables,
    ...(text && parseVariables(text, 'CRM_CONNECTOR_VARS')),
  }
  const baseUrl = flags.baseUrl ?? (ctx.env.CRM_BASE_URL || undefined)
  const missing = Object.entries(document.variables).filter(([variable]) => {
    const isInAddress = baseUrl !== undefined && isOnlyInOrigin(document, variable)
    return variables[variable] === undefined && !isInAddress
  })
  if (missing.length > 0 && !canAsk(ctx)) throw noVariables(ctx, missing, variables)
  for (const [variable, { ask }] of missing)
    variables[variable] = (await askTyped(ctx.io, `${ask}: `, ctx.signal)).trim()
  const named = { name, variables }
  const address =
    baseUrl === undefined ? await connectorAddress(named) : withBase(parseBaseUrl(baseUrl, '--base-url'), document)
  return { named, title: document.title ?? document.name, address }
}

/** The connector of the vendor at this address, if a person takes it; without a terminal, a note names it. */
async function proposeConnector(
  ctx: Parameters<typeof askConnector>[0] & Pick<Context, 'note'>,
  address: URL,
): Promise<ChosenConnector | undefined> {
  const { connectorAt, connectorDocument } = await import('../../api/connectors/open-connector.ts')
  const found = connectorAt(address)
  if (!found) return undefined
  const { title } = await connectorDocument(found)
  const what = `${address.host} is ${title ?? found.name}, for which crm ships a connector`
  if (!canAsk(ctx)) {
    ctx.note(`${what}: crm auth login --connector ${found.name}`)
    return undefined
  }
  if (!(await askYesNo(ctx.io, `${what}. Use it? [y/N] `, ctx.signal))) return undefined
  return askConnector(ctx, { connector: found.name, variables: found.variables, baseUrl: address.href })
}

/** A given address replaces the origin, and with it the variables that only the origin uses. */
function isOnlyInOrigin(
  {
    origin,
    base,
    auth,
    resources,
  }: { readonly origin: string | undefined; readonly base: string; readonly auth: object; readonly resources: object },
  variable: string,
): boolean {
  const name = `{${variable}}`
  return origin?.includes(name) === true && !JSON.stringify([base, auth, resources]).includes(name)
}

/** The hint also has the variables that are given: the environment variable holds all of them. */
function noVariables(
  { argv }: Pick<Context, 'argv'>,
  missing: readonly (readonly [name: string, variable: { readonly ask: string }])[],
  given: Readonly<Record<string, string>>,
): CrmError {
  const needed = missing.map(([name, { ask }]) => `${name} (${ask})`).join(', ')
  const pairs = [...Object.entries(given), ...missing.map(([name]) => [name, 'VALUE'])].map((pair) => pair.join('='))
  return new CrmError('usage', `the connector needs ${needed}, and there is no terminal to ask at`, {
    hint: `CRM_CONNECTOR_VARS=${shellWord(pairs.join(','))} ${commandLine(argv)}`,
  })
}

/** What is logged in to, with which key, under which name. */
interface Login extends Pick<ApiTarget, 'baseUrl' | 'key' | 'pageSize'> {
  readonly profileName: string
}

/** In what the server differs from `crm serve`, by one page of contacts and one record; undefined: in nothing. CrmError for other failures. */
async function otherThanCrmServe(
  ctx: Pick<Context, 'argv' | 'flags'>,
  api: Api,
  login: Login,
): Promise<string | undefined> {
  try {
    const record = await verifyKey(ctx, api, login)
    return record && (await ofRecord(api, record))
  } catch (error) {
    const isOther = error instanceof CrmError && (error.exit === EXIT.rejected || error.exit === EXIT.notFound)
    if (isOther) return error.message
    throw error instanceof CrmError && error.code === 'unauthorized' ? withOtherAuth(ctx, login, error) : error
  }
}

/** The key may be right, and sent in another way than this server takes it. */
function withOtherAuth(ctx: Pick<Context, 'flags'>, login: Login, error: CrmError): CrmError {
  const { code, message, details } = error
  const probe = probeCommand(ctx, login, ' --auth header:X-API-Key')
  return new CrmError(code, message, {
    ...details,
    cause: error,
    hint: `${details.hint}; if this server takes keys otherwise than as a bearer token: ${probe}`,
  })
}

async function ofRecord(api: Api, record: CrmRecord): Promise<string | undefined> {
  const id = idText(record.id)
  if (id === undefined) return 'a contact of its list has no id'
  const single = await api.contacts.get(id)
  return single && isSameJson(single.id, record.id) ? undefined : `contact ${id} of its list is not found by its id`
}

/** Reads a server of another kind with the person, and writes its connector. CrmError `not_supported` with the command that does it. */
async function readConnector(ctx: Context, login: Login, other: string): Promise<NamedConnector> {
  const { baseUrl, key, profileName } = login
  const what = `${baseUrl.origin} does not answer like crm serve: ${other}`
  if (!canAsk(ctx) || !(await askYesNo(ctx.io, `${what}. Read it, and write a connector for it? [y/N] `, ctx.signal))) {
    throw new CrmError('not_supported', `${what}; nothing was stored`, {
      hint: `describe it: ${probeCommand(ctx, login)}`,
    })
  }
  const { probeServer, sayPoints } = await import('../connectors/create-by-probe.ts')
  const { draftYaml } = await import('../../probe/openapi/draft-yaml.ts')
  const { connectorFile, writeConnector } = await import('../../settings/connector-files.ts')
  const draft = await probeServer(ctx, { baseUrl, key, name: undefined, given: new Map(), auth: undefined })
  const text = draftYaml(draft, { source: baseUrl.host, nowMs: ctx.now() })
  const file = connectorFile((await ctx.settings()).paths().folder, profileName, text)
  await writeConnector(file, text)
  ctx.note(`The connector is ${file}.`)
  sayPoints(ctx, draft, file)
  return { name: file, variables: {} }
}

function probeCommand({ flags }: Pick<Context, 'flags'>, { baseUrl, profileName }: Login, auth = ''): string {
  const { keyFile, isKeyOnStdin } = flags
  const key =
    keyFile === undefined ? (isKeyOnStdin ? ' --key-stdin < key.txt' : '') : ` --key-file ${shellWord(keyFile)}`
  const file = `${profileName}.yaml`
  return `crm connectors create --probe ${shellWord(baseUrlText(baseUrl))}${auth} --out ${shellWord(file)}${key}`
}
