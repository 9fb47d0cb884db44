import { dirname, join } from 'node:path'
import { DEFAULT_CONNECTOR } from '../core/default-connector.ts'
import { CrmError } from '../core/errors.ts'
import type { JsonObject, JsonValue } from '../core/json.ts'
import type { Env } from '../core/streams.ts'
import { settingsFolder } from '../files/folders.ts'
import { rejectClosed } from '../files/machine-error.ts'
import { readOwnFile, readPrivateFile } from '../files/private-file.ts'
import { damaged, type EarlierSettings, earlierSettings, objectIn, openDocument, replaceIn } from './document.ts'
import { checkProfileName, listValues, type Profile, readProfile, writeProfile } from './profile.ts'
import { EARLIER_PAGE_SIZE, SETTINGS, type SettingKey, type SettingValue } from './setting.ts'
import {
  type Keyring,
  type KeyringEntry,
  openKeyring,
  readKeyringEntry,
  readStoredKey,
  type StoredKey,
} from './stored-key.ts'
import {
  findSubscription,
  type KeptSubscription,
  listSubscriptions,
  readSubscription,
  type Subscription,
  type SubscriptionPlace,
  writeSubscription,
} from './subscriptions.ts'

export interface SettingsPaths {
  readonly folder: string
  readonly config: string
  readonly keys: string
  readonly webhooks: string
}

/**
 * Profiles, their keys and the secrets of webhooks, in three files of a private folder. A missing file reads as empty.
 * Reads are cached until this object writes. Unknown profile: CrmError `usage`. Damaged file: CrmError `invalid_input`;
 * the file is unchanged.
 */
export interface Settings {
  paths(): SettingsPaths
  /** CrmError `machine` when this user may not enter the folder: it reads as empty, but nothing is known about it. */
  requireOpen(): void
  /** By name, in alphabetical order. */
  profiles(): Promise<ReadonlyMap<string, Profile>>
  profile(name: string): Promise<Profile>
  /** The active profile, even if it was removed since; undefined when none was set. */
  active(): Promise<string | undefined>
  /** Every setting of the profile, set or default, in the order of the table. */
  values(name: string): Promise<readonly SettingValue[]>
  /** What profiles of an earlier version say of their servers, by name. */
  earlier(): Promise<ReadonlyMap<string, EarlierSettings>>
  setActive(name: string): Promise<void>
  /** Creates the profile or replaces its settings, with those of an earlier version. Unknown members of the file are kept. */
  putProfile(name: string, profile: Profile): Promise<void>
  /** `text` as typed. Setting `base_url` creates a missing profile. */
  setSetting(name: string, key: SettingKey, text: string): Promise<void>
  /** Removes its key too. No profile is active afterwards if it was the active one. */
  removeProfile(name: string): Promise<void>
  /** The key in keys.json. */
  storedKey(profileName: string): Promise<StoredKey | undefined>
  /** The recorded entry of a key in the keyring; the keyring is not asked. */
  keyringEntry(profileName: string): Promise<KeyringEntry | undefined>
  /** Replaces an earlier key or keyring entry. */
  storeKey(profileName: string, kept: StoredKey | KeyringEntry): Promise<void>
  /** In keys.json only; false when there was none. */
  forgetKey(profileName: string): Promise<boolean>
  readonly keyring: Keyring
  /** The key printed by the `key_command` of a profile; the command runs once. */
  commandKey(profileName: string, command: string): Promise<string>
  /** Kept when the key is removed, as the server never shows the secret again. */
  subscription(place: SubscriptionPlace): Promise<KeptSubscription | undefined>
  /** Of all servers. */
  subscriptions(): Promise<readonly (KeptSubscription & SubscriptionPlace)[]>
  /** Searches all servers. */
  findSubscription(wanted: { readonly id: string } | { readonly url: string }): Promise<KeptSubscription | undefined>
  /** Keeps the secrets of earlier subscriptions at the same place. */
  storeSubscription(place: SubscriptionPlace, subscription: Subscription): Promise<void>
}

/** `keyringProgram` accesses the system keyring; without it there is none. */
export function openSettings(env: Env, keyringProgram?: string): Settings {
  const folder = settingsFolder(env)
  const config = openDocument(join(folder, 'config.json'), readOwnFile)
  const keys = openDocument(join(folder, 'keys.json'), readPrivateFile)
  const webhooks = openDocument(join(folder, 'webhooks.json'), readPrivateFile)
  const commandKeys = new Map<string, Promise<string>>()

  async function forgetKey(name: string): Promise<boolean> {
    if (!Object.hasOwn(await keys.read(), name)) return false
    await keys.update((document) => replaceIn(document, [name], undefined))
    return true
  }

  return {
    requireOpen: () => rejectClosed(config.path),
    paths: () => ({ folder: dirname(config.path), config: config.path, keys: keys.path, webhooks: webhooks.path }),
    profiles: async () => {
      const document = await config.read()
      const names = profileNames(document, config.path).toSorted()
      return new Map(names.map((name) => [name, readProfile(storedIn(document, name, config.path), name, config.path)]))
    },
    profile: async (name) => readProfile(knownIn(await config.read(), name, config.path), name, config.path),
    active: async () => activeIn(await config.read(), config.path),
    values: async (name) => listValues(readProfile(knownIn(await config.read(), name, config.path), name, config.path)),
    earlier: async () => earlierIn(await config.read(), config.path),
    setActive: async (name) => {
      // Checked before the folder is created, and again under the lock.
      knownIn(await config.read(), name, config.path)
      await config.update((document) => {
        knownIn(document, name, config.path)
        return replaceIn(document, ['active'], name)
      })
    },
    putProfile: (name, profile) =>
      config.update((document) => {
        checkProfileName(name)
        const stored = profileNames(document, config.path).includes(name) ? storedIn(document, name, config.path) : {}
        return replaceIn(document, ['profiles', name], writeProfile(stored, profile))
      }),
    setSetting: async (name, key, text) => {
      checkProfileName(name)
      const value = SETTINGS[key].parse(text, key)
      rejectUnknownProfile(await config.read(), { name, key }, config.path)
      await config.update((document) => {
        rejectUnknownProfile(document, { name, key }, config.path)
        return withSetting(document, { name, key, value }, config.path)
      })
    },
    removeProfile: async (name) => {
      knownIn(await config.read(), name, config.path)
      // The key first: a key without its profile is the worse leftover.
      await forgetKey(name)
      await config.update((document) => {
        const rest = replaceIn(document, ['profiles', name], undefined)
        return activeIn(rest, config.path) === name ? replaceIn(rest, ['active'], undefined) : rest
      })
    },
    storedKey: async (name) => readStoredKey(await keys.read(), name, keys.path),
    keyringEntry: async (name) => readKeyringEntry(await keys.read(), name, keys.path),
    storeKey: (name, kept) => {
      const { origin } = kept
      const entry = 'key' in kept ? { origin, key: kept.key } : { origin, keyring: kept.account }
      return keys.update((document) => replaceIn(document, [checkProfileName(name)], entry))
    },
    forgetKey,
    keyring: openKeyring(env, keyringProgram),
    commandKey: (name, command) => {
      const running = commandKeys.get(name) ?? commandKey(name, command, env)
      commandKeys.set(name, running)
      return running
    },
    subscription: (place) => readSubscription(webhooks, place),
    subscriptions: () => listSubscriptions(webhooks),
    findSubscription: (wanted) => findSubscription(webhooks, wanted),
    storeSubscription: (place, subscription) => writeSubscription(webhooks, place, subscription),
  }
}

async function commandKey(name: string, command: string, env: Env): Promise<string> {
  const { runKeyCommand } = await import('./key-command.ts')
  return runKeyCommand(command, name, env)
}

function profileNames(document: JsonObject, path: string): string[] {
  return Object.keys(objectIn(document, 'profiles', path))
}

function storedIn(document: JsonObject, name: string, path: string): JsonObject {
  return objectIn(objectIn(document, 'profiles', path), name, path)
}

function earlierIn(document: JsonObject, path: string): ReadonlyMap<string, EarlierSettings> {
  const found = profileNames(document, path).flatMap((name) => {
    const said = earlierSettings(storedIn(document, name, path), name, path)
    return said ? [[name, said] as const] : []
  })
  return new Map(found)
}

function activeIn(document: JsonObject, path: string): string | undefined {
  const active = Object.hasOwn(document, 'active') ? document.active : undefined
  if (active === undefined || typeof active === 'string') return active
  throw damaged(path, 'active is not the name of a profile')
}

function knownIn(document: JsonObject, name: string, path: string): JsonObject {
  const names = profileNames(document, path)
  if (names.includes(name)) return storedIn(document, name, path)
  rejectClosed(path)
  throw unknownProfile(names, name, {
    hint: names.length === 0 ? 'crm auth login --base-url https://crm.example.com' : 'crm auth status --all',
  })
}

function unknownProfile(names: readonly string[], name: string, details: { readonly hint: string }): CrmError {
  const known = names.length === 0 ? 'there are no profiles yet' : `expected one of ${names.toSorted().join(', ')}`
  return new CrmError('usage', `there is no profile ${JSON.stringify(name)}: ${known}`, details)
}

/** Setting the address creates a profile; any other setting needs an existing one. */
function rejectUnknownProfile(document: JsonObject, { name, key }: Omit<NewSetting, 'value'>, path: string): void {
  const names = profileNames(document, path)
  if (key === 'base_url' || names.includes(name)) return
  rejectClosed(path)
  throw unknownProfile(names, name, {
    hint: `create it first: crm config set base_url https://crm.example.com -p ${name}`,
  })
}

interface NewSetting {
  readonly name: string
  readonly key: SettingKey
  readonly value: JsonValue
}

/** A new profile is one of `crm serve` until it names another connector. */
function withSetting(document: JsonObject, { name, key, value }: NewSetting, path: string): JsonObject {
  const isNew = !profileNames(document, path).includes(name)
  const set = (whole: JsonObject, names: readonly string[], to: JsonValue) =>
    replaceIn(whole, ['profiles', name, ...names], to ?? undefined)
  const changed = set(isNew ? set(document, ['connector'], DEFAULT_CONNECTOR) : document, [key], value)
  return key === 'page_size' ? set(changed, EARLIER_PAGE_SIZE.split('.'), null) : changed
}
