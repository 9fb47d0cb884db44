import { CrmError } from '../core/errors.ts'
import { chooseProfile } from './address.ts'
import { findKeys, type KeyCandidate } from './key-candidates.ts'
import type { Settings } from './settings.ts'
import type { TargetRequest } from './target.ts'

interface KeySource extends Omit<KeyCandidate, 'read'> {}

interface Winner extends KeySource {
  /** Undefined when the key is so short that four characters would give it away, or could not be had. */
  readonly lastFour: string | undefined
}

export interface KeySources {
  readonly profileName: string | undefined
  readonly winner: Winner | undefined
  readonly shadowed: readonly KeySource[]
}

/** Four characters of a key this long leave more than anyone can guess. */
const LONG_ENOUGH = 16

/**
 * For `auth status`: who wins and what it shadows, without the key itself; whether a server takes it is not asked. What is shadowed is
 * not read: no command runs for it, and no keyring is asked.
 */
export async function describeKeySources(settings: Settings, request: TargetRequest): Promise<KeySources> {
  const chosen = await chooseProfile(settings, request)
  let winner: Winner | undefined
  const shadowed: KeySource[] = []
  for await (const { read, ...place } of findKeys(settings, request.env, request.keyFromFlag, chosen)) {
    if (winner) shadowed.push(place)
    else winner = await asWinner(place, read)
  }
  return { profileName: chosen?.name, winner, shadowed }
}

/** A keyring without the key is passed over; a command that fails is not, and who needs the key is told why. */
async function asWinner(place: KeySource, read: KeyCandidate['read']): Promise<Winner | undefined> {
  const value = await read().catch((error: unknown) => {
    if (error instanceof CrmError) return undefined
    throw error
  })
  if (value !== undefined) return { ...place, lastFour: lastFourOf(value) }
  return place.source === 'keyring' ? undefined : { ...place, lastFour: undefined }
}

/** Undefined for a key so short that four characters would give it away. */
export function lastFourOf(key: string): string | undefined {
  return key.length >= LONG_ENOUGH ? key.slice(-4) : undefined
}
