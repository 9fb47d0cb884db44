import type { KeyringEntry, StoredKey } from '../stored-key.ts'
import type { Keyring } from './keyring.ts'

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
