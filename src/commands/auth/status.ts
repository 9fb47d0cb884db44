import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Api } from '../../api/api.ts'
import type { ServerKey } from '../../api/server-key.ts'
import type { Act, Context } from '../../context.ts'
import { durationText } from '../../core/duration.ts'
import { CrmError } from '../../core/errors.ts'
import { baseUrlText } from '../../core/http-rules.ts'
import type { JsonObject } from '../../core/json.ts'
import { isProtectedAddress } from '../../settings/address.ts'
import { readKeyFlag } from '../../settings/key-candidates.ts'
import { describeKeySources, type KeySources, lastFourOf } from '../../settings/key-sources.ts'
import { type OAuthLogin, oauthLoginIn } from '../../settings/oauth-login.ts'
import { requireConnector, type Target } from '../../settings/target.ts'
import { examples } from '../command-tree.ts'
import { addScopedFlags } from '../flags.ts'
import { onePage, printList, printOne } from '../print.ts'

const COLUMNS = ['profile', 'active', 'base_url', 'protected', 'key', 'last_four']

export function addAuthStatus(auth: CommandUnknownOpts, act: Act): void {
  const status = auth
    .command('status')
    .description('show which key is in use, its source, and what the server states about it')
    .option('--all', 'list the stored profiles, without a request')
    .addHelpText('after', examples('crm auth status', 'crm auth status -p prod -o json', 'crm auth status --all'))
    .action(act(showStatus))
  addScopedFlags(status, ['fields'])
}

async function showStatus(ctx: Context, options: { readonly all?: true }): Promise<undefined> {
  if (options.all) return showAllProfiles(ctx)
  const settings = await ctx.settings()
  const sources = await describeKeySources(settings, {
    env: ctx.env,
    profileFlag: ctx.flags.profile,
    keyFromFlag: await readKeyFlag(ctx),
    repository: await ctx.repository(),
  })
  const { target, accepted, stated, refusal } = await tryKey(ctx)
  const profileName = target?.profileName ?? sources.profileName
  // After the request, which may have renewed them.
  const login = target?.key.login && (await ctx.tokens())?.login()
  await printOne(ctx, {
    profile: profileName ?? null,
    ...(target ? placeOf(target) : await keptPlace(ctx, profileName)),
    ...keyMembers(sources),
    ...oauthMembers(login),
    accepted,
    ...serverKeyMembers({ ...stated, scopes: stated.scopes ?? login?.scopes }),
  })
  if (login && target?.key.source === 'file')
    ctx.note('The tokens are in a file that only this user can read, and not in a keyring.')
  const unstated = target && accepted ? unstatedText(stated, login, target.baseUrl.host) : undefined
  if (unstated !== undefined) ctx.note(unstated)
  const others = [...(await settings.profiles()).keys()].filter((name) => name !== profileName)
  if (others.length > 0) ctx.note(`Other profiles: ${others.join(', ')}; crm auth status --all lists them.`)
  if (!refusal) return
  if (refusal.code !== 'unauthorized' || !target) throw refusal
  throw new CrmError('unauthorized', `${target.baseUrl.origin} does not accept the key from ${target.key.source}`, {
    ...refusal.details,
    hint: target.loginHint,
  })
}

/** Null for a key. `token_ends_at` is of the access token, `refresh_ends_at` of the refresh token; null, too, where the server did not say. */
function oauthMembers(login: OAuthLogin | undefined): JsonObject {
  const timeOf = (ms: number | undefined) => (ms === undefined ? null : new Date(ms).toISOString())
  const { flow = null, client = null, refresh, ends, refreshEnds } = login ?? {}
  return {
    ...{ sign_in: flow, client_id: client, token_ends_at: timeOf(ends), refresh_ends_at: timeOf(refreshEnds) },
    is_renewed: login ? flow !== 'code' || refresh !== undefined : null,
  }
}

function placeOf({ baseUrl, isProtected }: Target): JsonObject {
  return { base_url: baseUrlText(baseUrl), protected: isProtected }
}

/** The address of the profile, for a key that must not be sent there. */
async function keptPlace(ctx: Pick<Context, 'settings'>, profileName: string | undefined): Promise<JsonObject> {
  const profile = profileName === undefined ? undefined : (await (await ctx.settings()).profiles()).get(profileName)
  return { base_url: profile?.baseUrl ?? null, protected: profile?.isProtected ?? null }
}

function keyMembers({ winner, shadowed }: KeySources): JsonObject {
  return {
    source: winner?.source ?? null,
    kept_in: winner?.keptIn ?? null,
    bound_to: winner?.origin ?? null,
    last_four: winner?.lastFour ?? null,
    shadows: shadowed.map(({ source }) => source),
  }
}

interface TriedKey {
  readonly target?: Target
  /** Null if the server was not asked, or did not answer. */
  readonly accepted: boolean | null
  /** Empty if it was not. */
  readonly stated: Partial<ServerKey>
  readonly refusal?: CrmError
}

/** Requests one contact. A 403 counts as accepted: the server knows the key. */
async function tryKey(ctx: Pick<Context, 'api' | 'target' | 'tokens'>): Promise<TriedKey> {
  let target: Target | undefined
  let accepted: TriedKey['accepted'] = null
  try {
    target = await ctx.target()
    // What `--fields` and `--jq` name is of the status, and of no record.
    const own = { key: target.key.value, tokens: await ctx.tokens(), connector: requireConnector(target), asked: [] }
    const api = await ctx.api({ ...target, ...own })
    accepted = await isAccepted(api)
    return { target, accepted, stated: await api.readKey() }
  } catch (error) {
    if (!(error instanceof CrmError)) throw error
    if (error.code === 'unauthorized') accepted = false
    return { ...(target && { target }), accepted, stated: {}, refusal: error }
  }
}

async function isAccepted(api: Api): Promise<true> {
  try {
    for await (const _ of api.contacts.list({ limit: 1, cursor: undefined, filters: {} })) break
  } catch (error) {
    if (!(error instanceof CrmError) || error.code !== 'forbidden') throw error
  }
  return true
}

/** Lists the stored profiles in alphabetical order, without requests. */
async function showAllProfiles(ctx: Context): Promise<undefined> {
  if (ctx.flags.profile !== undefined) {
    throw new CrmError('usage', `--all and -p ${ctx.flags.profile} contradict each other`, { hint: 'give one of them' })
  }
  const settings = await ctx.settings()
  settings.requireOpen()
  const active = ctx.env.CRM_PROFILE || (await settings.active())
  const rows = []
  for (const [name, { baseUrl, isProtected, keyCommand }] of await settings.profiles()) {
    const stored = await settings.storedKey(name)
    const kept = (await settings.keyringEntry(name)) ? 'keyring' : stored && 'file'
    rows.push({
      profile: name,
      active: name === active,
      base_url: baseUrl ?? null,
      // Another profile of the same server protects it too.
      protected: isProtected || (baseUrl !== undefined && (await isProtectedAddress(settings, new URL(baseUrl)))),
      key: keyCommand === undefined ? (kept ?? null) : 'key_command',
      // Only for a key in a file: a list runs no command and reads no keyring.
      last_four: (stored && lastFourOf(oauthLoginIn(stored.key)?.access ?? stored.key)) ?? null,
    })
  }
  await printList(ctx, { pages: onePage(rows), columns: COLUMNS, plural: 'profiles' })
}

/** Null for what the server does not state, and for a key that does not expire. */
function serverKeyMembers({ id, name, scopes, expiresAt, rate, account }: Partial<ServerKey>): JsonObject {
  return {
    key_id: id ?? null,
    key_name: name ?? null,
    scopes: scopes ? [...scopes] : null,
    expires_at: expiresAt ?? null,
    rate_limit: rate === null ? 'none' : rateText(rate),
    account: account ?? null,
  }
}

/** In the format of `--rate` of `crm serve`; the number alone where the server states no window. */
function rateText(rate: NonNullable<ServerKey['rate']> | undefined): string | null {
  if (rate?.limit === undefined) return null
  return rate.windowMs === undefined ? `${rate.limit}` : `${rate.limit}/${durationText(rate.windowMs)}`
}

/** A sentence with what the server does not state; undefined if it states all. */
function unstatedText(
  { name, scopes, expiresAt, rate, account }: Partial<ServerKey>,
  login: OAuthLogin | undefined,
  host: string,
): string | undefined {
  const unstated = Object.entries({
    name: !login && name === undefined,
    scopes: (login?.scopes ?? scopes) === undefined,
    expiry: (login?.ends ?? expiresAt) === undefined,
    'end of the refresh token': login?.refresh !== undefined && login.refreshEnds === undefined,
    'rate limit': rate !== null && rate?.limit === undefined,
    account: account === undefined,
  }).flatMap(([what, isUnstated]) => (isUnstated ? [what] : []))
  return unstated.length === 0
    ? undefined
    : `${host} does not state this about the ${login ? 'sign-in' : 'key'}: ${unstated.join(', ')}.`
}
