import { isJsonObject, type JsonObject } from '../core/json.ts'
import { damaged } from './document.ts'
import type { Keyring } from './keyring/keyring.ts'

/** A stored key, bound to its origin and never sent to another one. */
export interface StoredKey {
  readonly origin: string
  readonly key: string
}

/** A key in the system keyring, under the name `account`. */
export interface KeyringEntry {
  readonly origin: string
  readonly account: string
}

/** CrmError `invalid_input` for a malformed entry, without its contents. */
export function readStoredKey(document: JsonObject, name: string, path: string): StoredKey | undefined {
  const { origin, key } = entryIn(document, name, path) ?? {}
  return origin === undefined || key === undefined ? undefined : { origin, key }
}

/** Like readStoredKey, for a key that the file records as stored in the keyring. */
export function readKeyringEntry(document: JsonObject, name: string, path: string): KeyringEntry | undefined {
  const { origin, keyring: account } = entryIn(document, name, path) ?? {}
  return origin === undefined || account === undefined ? undefined : { origin, account }
}

interface Entry {
  readonly origin: string
  readonly key?: string
  readonly keyring?: string
}

function entryIn(document: JsonObject, name: string, path: string): Entry | undefined {
  if (!Object.hasOwn(document, name)) return undefined
  const entry = document[name]
  if (isJsonObject(entry) && typeof entry.origin === 'string') {
    const { origin, key, keyring } = entry
    if (typeof key === 'string' && typeof keyring === 'string') return { origin, key, keyring }
    if (typeof key === 'string' && keyring === undefined) return { origin, key }
    if (typeof keyring === 'string' && key === undefined) return { origin, keyring }
  }
  throw damaged(path, `${name} is not an object with origin and key`)
}

/** Stored with its origin, so that a changed keys.json cannot redirect the key. Neither contains a blank. */
export function keyringSecret({ origin, key }: StoredKey): string {
  return `${origin} ${key}`
}

/** Undefined when it is missing, or its origin differs from the one in keys.json. CrmError `machine` when the keyring fails. */
export async function readFromKeyring(keyring: Keyring, entry: KeyringEntry): Promise<StoredKey | undefined> {
  const [origin, key] = (await keyring.read(entry.account))?.split(' ') ?? []
  return key !== undefined && origin === entry.origin ? { origin, key } : undefined
}

/** How a person finds it. */
export function keyringPlace(account: string): string {
  return `the system keyring (crm, ${account})`
}
