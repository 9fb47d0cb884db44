import { Buffer } from 'node:buffer'
import { CrmError } from '../core/errors.ts'
import { keyringPlace, keyringSecret, readFromKeyring } from './keyring/keyring-secret.ts'
import type { Settings } from './settings.ts'
import type { StoredKey } from './stored-key.ts'
import type { Warn } from './target.ts'

/**
 * Keeps the key in the keyring, under a name that stays while the origin does; our file only says so. Gives where it is.
 * CrmError `machine` when the keyring cannot be used; nothing has changed then.
 */
export async function keepInKeyring(settings: Settings, name: string, { origin, key }: StoredKey): Promise<string> {
  const before = await settings.keyringEntry(name)
  // Two settings folders may both have a profile of this name and origin, with keys of their own.
  const account = before?.origin === origin ? before.account : `${name} ${origin} ${chance()}`
  await settings.keyring.write(account, keyringSecret({ origin, key }))
  await settings.storeKey(name, { origin, account })
  return keyringPlace(account)
}

/** Of the global, which loads only when it is asked: every start reads this file, and node:crypto costs it milliseconds. */
function chance(): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(3))).toString('hex')
}

/** Keeps the key in our private file; an earlier one in the keyring is removed, or reported as left behind. */
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
 * Forgets the key wherever it is kept; false when there was none. CrmError `machine` when the keyring cannot be asked: a key that
 * may still be there is not called forgotten.
 */
export async function forgetEverywhere(settings: Settings, name: string): Promise<boolean> {
  const entry = await settings.keyringEntry(name)
  if (entry) await settings.keyring.remove(entry.account)
  return await settings.forgetKey(name)
}

/** The key that is kept for the profile, wherever; a keyring that cannot be asked is reported, and counts as none. */
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
