import { DEFAULT_CONNECTOR } from '../core/default-connector.ts'
import { CrmError } from '../core/errors.ts'
import { baseUrlText } from '../core/http-rules.ts'
import { shellWord } from '../core/shell-words.ts'
import type { Env } from '../core/streams.ts'
import {
  appliesTo,
  type ChosenProfile,
  chooseAddress,
  chooseProfile,
  isProtectedAddress,
  type ProfileChoice,
  rejectInsecure,
  repositoryConnector,
  repositoryProfile,
} from './address.ts'
import { findKeys, type GivenKey, type KeyCandidate } from './key-candidates.ts'
import { type OAuthLogin, oauthLoginIn } from './oauth-login.ts'
import { checkKey } from './profile.ts'
import type { AskToAccept } from './repository-connector.ts'
import { parseConnectorName, parseVariables } from './setting-values.ts'
import type { Settings } from './settings.ts'

export interface TargetRequest {
  readonly env: Env
  /** `-p/--profile` as typed. */
  readonly profileFlag: string | undefined
  /** From `--key-file` or `--key-stdin`; the line end of the file is already trimmed. */
  readonly keyFromFlag: GivenKey | undefined
  /** A `.crm.toml` of the working folder. */
  readonly repository?: ProfileChoice['repository']
  /** The address that a connector names. */
  readonly addressOf?: (connector: NamedConnector) => Promise<URL>
  /** The names of the shipped connectors. */
  readonly connectorNames?: () => Promise<readonly string[]>
  /** Asks for the connector of a repository; without it, none is used. */
  readonly ask?: AskToAccept
}

/** Called with warnings about settings that cannot be read and are not needed. */
export type Warn = (line: string) => void

/** The server of the requests, and the key. */
export interface Target {
  readonly baseUrl: URL
  readonly key: {
    readonly value: string
    /** `--key-file`, `--key-stdin`, `CRM_API_KEY`, `key_command`, `keyring` or `file`. */
    readonly source: string
    /** The sign-in that `value` is a token of. */
    readonly login?: OAuthLogin | undefined
  }
  /** The profile whose settings apply; undefined when the address has none. */
  readonly profileName: string | undefined
  /** Whether any protected profile has this server, however the address was given. */
  readonly isProtected: boolean
  /** The next command when the server rejects the key. */
  readonly loginHint: string
  /** For hints: the last database of `crm serve` at this address. */
  readonly serveDatabase?: string | undefined
  /** The setting `page_size`. */
  readonly pageSize: number | undefined
  /** Undefined: the profile of the server names none. */
  readonly connector: NamedConnector | undefined
}

/** A connector by its name, or by the absolute path of its file. */
export interface NamedConnector {
  readonly name: string
  readonly variables: Readonly<Record<string, string>>
  /** What the file holds that could not be written. */
  readonly text?: string | undefined
}

/** Throws a CrmError before anything is sent: `usage`, `invalid_input`, or `no_key`. */
export async function resolveTarget(settings: Settings, request: TargetRequest, warn: Warn): Promise<Target> {
  const { env, keyFromFlag } = request
  const { chosen, isProtected } = await readProfiles(settings, request, warn)
  const named = connectorIn(env)
  const isAddressed = named !== undefined && !env.CRM_BASE_URL && chosen === undefined
  const baseUrl =
    isAddressed && request.addressOf ? await request.addressOf(named) : chooseAddress(settings, env, chosen)
  const byRepository = repositoryProfile(request)
  if (byRepository) warn(`Profile ${byRepository.name} (${baseUrlText(baseUrl)}), selected by ${byRepository.path}.`)
  rejectInsecure(env, baseUrl, chosen)
  const applying = chosen && appliesTo(chosen, baseUrl) ? chosen : undefined
  const login = loginCommand(baseUrl, applying)
  const hint = env.CRM_BASE_URL ? `set CRM_API_KEY beside CRM_BASE_URL, or: ${login}` : login
  const candidates = findKeys(settings, env, keyFromFlag, chosen)
  const key = await chooseKey(candidates, (key) => rejectOtherOrigin(key, baseUrl, chosen, hint), warn)
  if (!key) {
    settings.requireOpen()
    throw missingKey(baseUrl, applying, hint)
  }
  const isGuarded = await isProtected(baseUrl)
  const place = { baseUrl, applying, isProtected: isGuarded }
  return {
    baseUrl,
    key,
    profileName: applying?.name,
    isProtected: isGuarded,
    // Where there is no keyring, nobody may be there to ask, either.
    loginHint: otherKeyHint(key.source, key.login && key.source === 'file' ? `${login} --storage file` : login),
    serveDatabase: applying?.profile.serveDatabase,
    pageSize: applying?.profile.pageSize,
    connector: named ?? connectorOf(applying) ?? (await acceptedConnector(request, place, warn)),
  }
}

/** CrmError `not_supported` for a profile without a connector. */
export function requireConnector({
  connector,
  profileName,
  baseUrl,
}: Pick<Target, 'connector' | 'profileName' | 'baseUrl'>): NamedConnector {
  if (connector) return connector
  const name = profileName ?? 'NAME'
  throw new CrmError(
    'not_supported',
    `the profile ${name} has no connector, which describes the API of ${baseUrl.origin}`,
    {
      hint: `let crm find out: crm auth login --base-url ${shellWord(baseUrlText(baseUrl))} -p ${shellWord(name)}; or name it: crm config set connector NAME -p ${shellWord(name)}`,
    },
  )
}

/** The connector of the requests, for a command that needs neither an address nor a key; undefined: that of `crm serve`. */
export async function chooseConnector(settings: Settings, choice: ProfileChoice): Promise<NamedConnector | undefined> {
  const { env } = choice
  const named = connectorIn(env)
  if (named) return named
  const chosen = await chooseProfile(settings, choice)
  const isApplying = chosen && (!env.CRM_BASE_URL || appliesTo(chosen, chooseAddress(settings, env, chosen)))
  if (!isApplying) return undefined
  const own = connectorOf(chosen)
  const byRepository = repositoryConnector(choice)
  if (own || !byRepository) return own
  const { nameOfConnector } = await import('./repository-connector.ts')
  return { name: nameOfConnector(byRepository), variables: chosen.profile.connectorVariables }
}

interface ConnectorPlace {
  readonly baseUrl: URL
  readonly applying: ChosenProfile | undefined
  readonly isProtected: boolean
}

/**
 * The connector that a repository names, for a profile without one, when a person has accepted it. It changes no address: that of the
 * profile stays. CrmError `usage` for a protected server.
 */
async function acceptedConnector(
  request: TargetRequest,
  { baseUrl, applying, isProtected }: ConnectorPlace,
  warn: Warn,
): Promise<NamedConnector | undefined> {
  const asked = repositoryConnector(request)
  if (!asked || !applying || !request.ask) return undefined
  if (isProtected) {
    throw new CrmError(
      'usage',
      `${asked.path} names a connector for a protected server: a repository cannot choose it`,
      {
        hint: `to choose it yourself: crm config set connector ${shellWord(asked.word)} -p ${shellWord(applying.name)}`,
      },
    )
  }
  const { acceptConnector, nameOfConnector } = await import('./repository-connector.ts')
  const name = nameOfConnector(asked, await request.connectorNames?.())
  warn(`Connector ${asked.word}, selected by ${asked.path}.`)
  await acceptConnector({ ...asked, name, server: baseUrlText(baseUrl) }, request.env, request.ask)
  return { name, variables: applying.profile.connectorVariables }
}

/** CRM_CONNECTOR with CRM_CONNECTOR_VARS. */
function connectorIn(env: Env): NamedConnector | undefined {
  if (!env.CRM_CONNECTOR) return undefined
  const name = parseConnectorName(env.CRM_CONNECTOR, 'CRM_CONNECTOR')
  const text = env.CRM_CONNECTOR_VARS
  return name === null ? undefined : { name, variables: text ? parseVariables(text, 'CRM_CONNECTOR_VARS') : {} }
}

/** Without a profile, the server is taken for one of `crm serve`. */
export function connectorOf(applying: Pick<ChosenProfile, 'profile'> | undefined): NamedConnector | undefined {
  if (!applying) return { name: DEFAULT_CONNECTOR, variables: {} }
  const { connector, connectorVariables, connectorText } = applying.profile
  return connector === undefined ? undefined : { name: connector, variables: connectorVariables, text: connectorText }
}

interface Profiles {
  readonly chosen: ChosenProfile | undefined
  isProtected(address: URL): Promise<boolean>
}

/**
 * With an address and a key given elsewhere no profile is needed, so a damaged file must not fail a CI job. As protection
 * is then unknown, every server counts as protected.
 */
async function readProfiles(settings: Settings, request: TargetRequest, warn: Warn): Promise<Profiles> {
  const { env, profileFlag, keyFromFlag } = request
  try {
    await settings.profiles()
    const chosen = await chooseProfile(settings, request)
    return { chosen, isProtected: (address) => isProtectedAddress(settings, address) }
  } catch (error) {
    const isNeeded = profileFlag !== undefined || env.CRM_PROFILE || !env.CRM_BASE_URL
    if (isNeeded || !(env.CRM_API_KEY || keyFromFlag) || !(error instanceof CrmError)) throw error
    warn(`Warning: ${error.message}; its profiles are ignored`)
    return { chosen: undefined, isProtected: async () => true }
  }
}

/** The first available key. A keyring that fails is reported and skipped. `reject` throws for a key of another origin before it is read. */
async function chooseKey(
  candidates: AsyncIterable<KeyCandidate>,
  reject: (key: KeyCandidate) => void,
  warn: Warn,
): Promise<Target['key'] | undefined> {
  for await (const candidate of candidates) {
    reject(candidate)
    const { source, keptIn } = candidate
    const value = await readOrWarn(candidate, warn)
    if (value === undefined) continue
    const login = oauthLoginIn(value)
    return { value: checkKey(login?.access ?? value, source === 'file' ? (keptIn ?? source) : source), source, login }
  }
  return undefined
}

async function readOrWarn({ source, keptIn, read }: KeyCandidate, warn: Warn): Promise<string | undefined> {
  if (source !== 'keyring') return await read()
  try {
    const value = await read()
    if (value === undefined) warn(`Warning: the key is no longer in ${keptIn}`)
    return value
  } catch (error) {
    if (!(error instanceof CrmError)) throw error
    warn(`Warning: ${error.message}`)
    return undefined
  }
}

function missingKey(baseUrl: URL, applying: ChosenProfile | undefined, hint: string): CrmError {
  const profile = applying ? ` (profile ${applying.name})` : ''
  return new CrmError('no_key', `there is no key for ${baseUrl.origin}${profile}`, { hint })
}

function rejectOtherOrigin(key: KeyCandidate, baseUrl: URL, chosen: ChosenProfile | undefined, hint: string): void {
  if (key.origin === undefined || key.origin === baseUrl.origin) return
  const profile = chosen ? ` of the profile ${chosen.name}` : ''
  throw new CrmError('no_key', `the key${profile} belongs to ${key.origin} and is not sent to ${baseUrl.origin}`, {
    hint,
  })
}

/** A key from a flag or a variable overrides the profile's, so logging in alone would change nothing. */
function otherKeyHint(source: string, login: string): string {
  if (source === 'file' || source === 'keyring') return login
  if (source === 'key_command') return 'the key is printed by a command: crm config get key_command'
  return source === 'CRM_API_KEY'
    ? `set CRM_API_KEY to another key, or unset it and: ${login}`
    : `pass another key with ${source}`
}

/** A profile of another server is not suggested, as logging in under its name would replace it. */
function loginCommand(baseUrl: URL, applying: ChosenProfile | undefined): string {
  const name = applying ? shellWord(applying.name) : 'NAME'
  const connector = applying?.profile.connector
  const how = connector === undefined || connector === DEFAULT_CONNECTOR ? '' : ` --connector ${shellWord(connector)}`
  return `crm auth login${how} --base-url ${shellWord(baseUrlText(baseUrl))} -p ${name}`
}
