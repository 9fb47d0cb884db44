import type { KeyringEntry, StoredKey } from '../stored-key.ts'
import type { Keyring } from './keyring.ts'

/** With the key stands the origin that it was stored for: who changes our file does not change where the key goes. Neither holds a blank. */
export function keyringSecret({ origin, key }: StoredKey): string {
  return `${origin} ${key}`
}

/** Undefined when it is not there, or belongs to another origin than our file says. CrmError `machine` when it cannot be asked. */
export async function readFromKeyring(keyring: Keyring, entry: KeyringEntry): Promise<StoredKey | undefined> {
  const [origin, key] = (await keyring.read(entry.account))?.split(' ') ?? []
  return key !== undefined && origin === entry.origin ? { origin, key } : undefined
}

/** How a person finds it there. */
export function keyringPlace(account: string): string {
  return `the system keyring (crm, ${account})`
}
