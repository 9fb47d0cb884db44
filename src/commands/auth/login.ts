import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Act, Context } from '../../context.ts'
import { CrmError } from '../../core/errors.ts'
import { isLoopback, parseBaseUrl } from '../../core/origin.ts'
import { askHidden, askTyped, canAsk } from '../../output/prompt.ts'
import { readKeyFlag } from '../../settings/key-candidates.ts'
import { checkKey, checkProfileName, defaultProfile, type Profile } from '../../settings/profile.ts'
import { connectorOf, type NamedConnector } from '../../settings/target.ts'
import { commandLine } from '../command-line.ts'
import { examples } from '../command-tree.ts'
import type { WithFlags } from '../global-flags.ts'
import { askConnector, proposeConnector } from './ask-connector.ts'
import { learnOperations, parseStorage, type Storage, storeKey, verifyKey } from './store-key.ts'

interface Options {
  readonly baseUrl?: string
  readonly connector?: string
  readonly storage?: Storage
  readonly protected?: true
  readonly insecureHttp?: true
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
    .option('--insecure-http', 'accept plain http to other machines')
    .option('--no-verify', 'do not check the key with the server')
    .addHelpText(
      'after',
      examples(
        'crm auth login --base-url https://crm.example.com',
        'crm auth login --connector pipedrive',
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
  const before = (await settings.profiles()).get(name) ?? defaultProfile(address.href)
  const connector = chosen ?? (before.connector === undefined ? await proposeConnector(ctx, address) : undefined)
  const baseUrl = connector?.address ?? address
  const given = changedProfile(before, { ...options, baseUrl, named: connector?.named })
  checkTransport(baseUrl, given.allowsInsecureHttp)
  const key = await askKey(ctx, baseUrl)
  const named = connector?.named ?? connectorOf(given)
  const api = options.verify ? await ctx.api({ baseUrl, key, wire: given.wire, connector: named }) : undefined
  if (api) await verifyKey(ctx, api, { origin: baseUrl.origin, name })
  const learned = api && (await learnOperations(api))
  const profile = { ...given, operations: named ? undefined : (learned ?? before.operations) }
  const place = await storeKey(ctx, name, { origin: baseUrl.origin, key }, options.storage)
  await settings.putProfile(name, profile)
  await settings.setActive(name)
  const how = connector ? ` as ${connector.title}` : ''
  ctx.note(`Logged in to ${baseUrl.origin}${how}; the key is in ${place}. Active profile: ${name}.`)
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
 * The profile for a login: the named one, else one with this origin, else `default`. A profile of another origin is
 * refused: its settings and protection belong to that origin.
 */
async function loginProfileName(
  ctx: Pick<Context, 'env' | 'settings'> & WithFlags<'profile'>,
  baseUrl: URL,
): Promise<string> {
  const settings = await ctx.settings()
  const profiles = await settings.profiles()
  const originOf = (name: string) => URL.parse(profiles.get(name)?.baseUrl ?? '')?.origin
  const named = ctx.flags.profile ?? (ctx.env.CRM_PROFILE || undefined)
  const active = await settings.active()
  const sameOrigin = [active ?? '', ...profiles.keys()].find((name) => originOf(name) === baseUrl.origin)
  const name = checkProfileName(named ?? sameOrigin ?? 'default')
  const origin = originOf(name)
  if (origin === undefined || origin === baseUrl.origin) return name
  throw new CrmError('usage', `profile ${name} belongs to ${origin}, not to ${baseUrl.origin}`, {
    hint: `give another name with -p, or first: crm auth logout --remove-profile -p ${name}`,
  })
}

function checkTransport(baseUrl: URL, allowsInsecureHttp: boolean): void {
  if (baseUrl.protocol === 'https:' || isLoopback(baseUrl.hostname) || allowsInsecureHttp) return
  throw new CrmError('usage', `${baseUrl.origin} is plain http, so anyone on the network can read the key`, {
    hint: 'use https, or add --insecure-http if that network is yours',
  })
}
