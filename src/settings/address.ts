import { CrmError } from '../core/errors.ts'
import { isLoopback, parseBaseUrl } from '../core/origin.ts'
import type { Env } from '../core/streams.ts'
import type { Profile } from './profile.ts'
import type { Settings } from './settings.ts'

export interface ChosenProfile {
  readonly name: string
  readonly profile: Profile
}

/**
 * `-p`, else CRM_PROFILE, else the active one. `-p` beside a variable that would win over it is CrmError `usage`;
 * CRM_PROFILE beside one is not, for both were set in one place: the variable wins for what it names.
 */
export async function chooseProfile(
  settings: Settings,
  env: Env,
  profileFlag: string | undefined,
): Promise<ChosenProfile | undefined> {
  if (profileFlag !== undefined) {
    refuseBeside(profileFlag, env)
    return { name: profileFlag, profile: await settings.profile(profileFlag) }
  }
  if (env.CRM_PROFILE) return { name: env.CRM_PROFILE, profile: await settings.profile(env.CRM_PROFILE) }
  const active = await settings.active()
  const profile = active === undefined ? undefined : (await settings.profiles()).get(active)
  return active === undefined || !profile ? undefined : { name: active, profile }
}

/** CRM_BASE_URL, else the address of the profile; CrmError `usage` when there is none. */
export function chooseAddress(env: Env, chosen: ChosenProfile | undefined): URL {
  if (env.CRM_BASE_URL) return parseBaseUrl(env.CRM_BASE_URL, 'CRM_BASE_URL')
  if (!chosen) {
    throw new CrmError('usage', 'no server is named: no profile is active and CRM_BASE_URL is not set', {
      hint: 'start one here: crm serve, or name one: crm auth login --base-url https://crm.example.com',
    })
  }
  if (chosen.profile.baseUrl === undefined) {
    throw new CrmError('usage', `the profile ${chosen.name} has no base_url`, {
      hint: `crm config set base_url https://crm.example.com -p ${chosen.name}`,
    })
  }
  return parseBaseUrl(chosen.profile.baseUrl, `base_url of the profile ${chosen.name}`)
}

/** A profile's settings describe its own server: beside an address of another origin they mean nothing. */
export function describes({ profile }: ChosenProfile, address: URL): boolean {
  return profile.baseUrl !== undefined && new URL(profile.baseUrl).origin === address.origin
}

/** CrmError `usage` for plain http beyond this machine, where a key could be read on the way, unless the profile consents. */
export function refuseInsecure(address: URL, chosen: ChosenProfile | undefined): void {
  if (address.protocol === 'https:' || isLoopback(address.hostname)) return
  if (chosen && describes(chosen, address) && chosen.profile.allowsInsecureHttp) return
  const name = chosen && describes(chosen, address) ? chosen.name : 'NAME'
  throw new CrmError('usage', `plain http to ${address.host} would show the key to the network`, {
    hint: `use https, or consent in a profile of this address: crm config set insecure_http true -p ${name}`,
  })
}

/** Whether the address leads to the server of any protected profile; every name of this machine is the same one. */
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

function refuseBeside(profileFlag: string, env: Env): void {
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
