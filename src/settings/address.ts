import { CrmError } from '../core/errors.ts'
import { baseUrlText, isLoopback, parseBaseUrl } from '../core/http-rules.ts'
import { shellWord } from '../core/shell-words.ts'
import type { Env } from '../core/streams.ts'
import { checkProfileName, type Profile } from './profile.ts'
import type { RepositoryConnector } from './repository-connector.ts'
import type { Settings } from './settings.ts'

export interface ChosenProfile {
  readonly name: string
  readonly profile: Profile
}

/** The inputs that select a profile. */
export interface ProfileChoice {
  readonly env: Env
  /** `-p/--profile` as typed. */
  readonly profileFlag: string | undefined
  /** A `.crm.toml`. */
  readonly repository?:
    | { readonly path: string; readonly profile: string | undefined; readonly connector?: string | undefined }
    | undefined
  /** A key from the command line, bound to no profile. */
  readonly keyFromFlag?: unknown
}

/**
 * `-p`, else CRM_PROFILE, else the profile of the repository, else the active one. CrmError `usage` for `-p` together with
 * CRM_API_KEY or CRM_BASE_URL. CRM_PROFILE may be combined with them: each variable overrides what it names.
 */
export async function chooseProfile(settings: Settings, choice: ProfileChoice): Promise<ChosenProfile | undefined> {
  const { env, profileFlag } = choice
  if (profileFlag !== undefined) {
    rejectWithVariables(profileFlag, env)
    return { name: profileFlag, profile: await settings.profile(profileFlag) }
  }
  if (env.CRM_PROFILE) return { name: env.CRM_PROFILE, profile: await settings.profile(env.CRM_PROFILE) }
  const repository = repositoryProfile(choice)
  if (repository) return await chooseForRepository(settings, repository)
  const active = await settings.active()
  const profile = active === undefined ? undefined : (await settings.profiles()).get(active)
  return active === undefined || !profile ? undefined : { name: active, profile }
}

interface RepositoryProfile {
  readonly path: string
  readonly name: string
}

/**
 * Undefined when a key or an address is given elsewhere: a key that is bound to no origin must not go to an address that a
 * repository selects.
 */
export function repositoryProfile(choice: ProfileChoice): RepositoryProfile | undefined {
  const { repository } = choice
  if (isChosenByPerson(choice) || repository?.profile === undefined) return undefined
  return { path: repository.path, name: repository.profile }
}

/** The connector that a repository names; undefined as for its profile. */
export function repositoryConnector(choice: ProfileChoice): RepositoryConnector | undefined {
  const { repository } = choice
  if (isChosenByPerson(choice) || repository?.connector === undefined) return undefined
  return { path: repository.path, word: repository.connector }
}

function isChosenByPerson({ env, profileFlag, keyFromFlag }: ProfileChoice): boolean {
  return profileFlag !== undefined || Boolean(env.CRM_PROFILE || env.CRM_API_KEY || env.CRM_BASE_URL || keyFromFlag)
}

/** CrmError `usage` when there is no such profile, or its server is protected: only a person may select that one. */
async function chooseForRepository(settings: Settings, { path, name }: RepositoryProfile): Promise<ChosenProfile> {
  const profile = (await settings.profiles()).get(checkProfileName(name))
  if (!profile) {
    settings.requireOpen()
    throw new CrmError('usage', `${path} names the profile ${name}, which does not exist here`, {
      hint: `crm auth login --base-url https://crm.example.com -p ${name}, or select another with -p`,
    })
  }
  const isGuarded =
    profile.isProtected ||
    (profile.baseUrl !== undefined && (await isProtectedAddress(settings, new URL(profile.baseUrl))))
  if (!isGuarded) return { name, profile }
  throw new CrmError(
    'usage',
    `${path} names the profile ${name}, whose server is protected: a repository cannot select it`,
    {
      hint: `to select it yourself: -p ${name}`,
    },
  )
}

/** CRM_BASE_URL, else the address of the profile; CrmError `usage` when there is none, `machine` when that cannot be known. */
export function chooseAddress(settings: Settings, env: Env, chosen: ChosenProfile | undefined): URL {
  if (env.CRM_BASE_URL) return parseBaseUrl(env.CRM_BASE_URL, 'CRM_BASE_URL')
  if (!chosen) {
    settings.requireOpen()
    throw new CrmError('usage', 'no server is named: no profile is active and CRM_BASE_URL is not set', {
      hint: 'start one: crm serve, or name one: crm auth login --base-url https://crm.example.com',
    })
  }
  if (chosen.profile.baseUrl === undefined) {
    throw new CrmError('usage', `the profile ${chosen.name} has no base_url`, {
      hint: `crm config set base_url https://crm.example.com -p ${chosen.name}`,
    })
  }
  return parseBaseUrl(chosen.profile.baseUrl, `base_url of the profile ${chosen.name}`)
}

/** Whether the profile's settings apply to the address: another path of its origin may be another API. */
export function appliesTo({ profile }: Pick<ChosenProfile, 'profile'>, address: URL): boolean {
  return profile.baseUrl !== undefined && baseUrlText(new URL(profile.baseUrl)) === baseUrlText(address)
}

/** CrmError `usage` for plain http beyond loopback, unless the profile has `insecure_http`, or CRM_INSECURE_HTTP is set beside CRM_BASE_URL. */
export function rejectInsecure(env: Env, address: URL, chosen: ChosenProfile | undefined): void {
  if (address.protocol === 'https:' || isLoopback(address.hostname)) return
  if (env.CRM_BASE_URL && env.CRM_INSECURE_HTTP === '1') return
  if (chosen && appliesTo(chosen, address) && chosen.profile.allowsInsecureHttp) return
  const allow = (name: string) => `crm config set insecure_http true -p ${name}`
  const isOwn = chosen && appliesTo(chosen, address)
  // A profile of the address has to be there first, and to be the chosen one.
  const hint = isOwn
    ? allow(chosen.name)
    : env.CRM_BASE_URL
      ? 'export CRM_INSECURE_HTTP=1'
      : `crm config set base_url ${shellWord(baseUrlText(address))} -p plain && ${allow('plain')} && export CRM_PROFILE=plain`
  throw new CrmError('usage', `plain http to ${address.host} would send the key unencrypted`, {
    hint: `use https, or, if the network between is yours: ${hint}`,
  })
}

/** Whether the address is the server of any protected profile. All loopback names count as the same host. */
export async function isProtectedAddress(settings: Settings, address: URL): Promise<boolean> {
  const profiles = [...(await settings.profiles()).values()]
  return profiles.some(
    ({ isProtected, baseUrl }) =>
      isProtected && baseUrl !== undefined && serverOf(new URL(baseUrl)) === serverOf(address),
  )
}

function serverOf({ protocol, hostname, port }: URL): string {
  const host = hostname.replace(/\.$/, '')
  return `${protocol}//${isLoopback(host) ? 'localhost' : host}:${port}`
}

function rejectWithVariables(profileFlag: string, env: Env): void {
  const variables = ['CRM_API_KEY', 'CRM_BASE_URL'].filter((name) => env[name])
  if (variables.length === 0) return
  const both = variables.join(' and ')
  throw new CrmError(
    'usage',
    `-p ${profileFlag} contradicts ${both}, which ${variables.length > 1 ? 'are' : 'is'} set`,
    {
      hint: `leave out -p, or: unset ${variables.join(' ')}`,
    },
  )
}
