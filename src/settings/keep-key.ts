import { Buffer } from 'node:buffer'
import { CrmError } from '../core/errors.ts'
import type { Settings } from './settings.ts'
import { keyringPlace, keyringSecret, readFromKeyring, type StoredKey } from './stored-key.ts'
import type { Warn } from './target.ts'

/**
 * Stores the key in the keyring, under an account name that is stable per origin; keys.json records the account name.
 * Returns where the key is. CrmError `machine` when the keyring cannot be used; nothing has changed then.
 */
export async function keepInKeyring(settings: Settings, name: string, { origin, key }: StoredKey): Promise<string> {
  const before = await settings.keyringEntry(name)
  // Two settings folders may have different keys for the same profile name and origin.
  const account = before?.origin === origin ? before.account : `${name} ${origin} ${randomHex()}`
  await settings.keyring.write(account, keyringSecret({ origin, key }))
  await settings.storeKey(name, { origin, account })
  return keyringPlace(account)
}

/** Uses the global `crypto`, loaded on first use: importing node:crypto would slow every start by milliseconds. */
function randomHex(): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(3))).toString('hex')
}

/** Stores the key in keys.json. An earlier key in the keyring is removed, or reported when that fails. */
export async function keepInFile(settings: Settings, name: string, stored: StoredKey, warn: Warn): Promise<void> {
  const before = await settings.keyringEntry(name)
  await settings.storeKey(name, stored)
  if (!before) return
  try {
    await settings.keyring.remove(before.account)
  } catch (error) {
    if (!(error instanceof CrmError)) throw error
    warn(`Warning: ${error.message}; an older key stays in ${keyringPlace(before.account)}`)
  }
}

/**
 * Removes the key from the keyring and the file; false when there was none. CrmError `machine` when the keyring cannot be
 * used, as the key may still be there.
 */
export async function forgetEverywhere(settings: Settings, name: string): Promise<boolean> {
  const entry = await settings.keyringEntry(name)
  if (entry) await settings.keyring.remove(entry.account)
  return await settings.forgetKey(name)
}

/** The stored key of the profile, from keyring or file. A keyring that cannot be used is reported and skipped. */
export async function keptKey(settings: Settings, name: string, warn: Warn): Promise<StoredKey | undefined> {
  const entry = await settings.keyringEntry(name)
  try {
    const inKeyring = entry && (await readFromKeyring(settings.keyring, entry))
    if (inKeyring) return inKeyring
  } catch (error) {
    if (!(error instanceof CrmError)) throw error
    warn(`Warning: ${error.message}`)
  }
  return await settings.storedKey(name)
}
