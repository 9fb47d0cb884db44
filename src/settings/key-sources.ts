import { CrmError } from '../core/errors.ts'
import { chooseProfile } from './address.ts'
import { findKeys, type KeyCandidate } from './key-candidates.ts'
import { oauthLoginIn } from './oauth-login.ts'
import type { Settings } from './settings.ts'
import type { TargetRequest } from './target.ts'

interface KeySource extends Omit<KeyCandidate, 'read'> {}

interface Winner extends KeySource {
  /** Undefined when the key could not be read, or is too short to show four characters. */
  readonly lastFour: string | undefined
}

export interface KeySources {
  readonly profileName: string | undefined
  readonly winner: Winner | undefined
  readonly shadowed: readonly KeySource[]
}

/** The shortest key of which four characters may be shown. */
const LONG_ENOUGH = 16

/**
 * For `auth status`: the source in use and the sources it shadows, without the key itself. The server is not asked.
 * Shadowed sources are not read: their command does not run, and the keyring is not asked.
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

/** A keyring without the key is skipped. A failing command is not: requests then fail with its reason. */
async function asWinner(place: KeySource, read: KeyCandidate['read']): Promise<Winner | undefined> {
  const value = await read().catch((error: unknown) => {
    if (error instanceof CrmError) return undefined
    throw error
  })
  if (value !== undefined) return { ...place, lastFour: lastFourOf(oauthLoginIn(value)?.access ?? value) }
  return place.source === 'keyring' ? undefined : { ...place, lastFour: undefined }
}

/** Undefined for a key too short to show four characters. */
export function lastFourOf(key: string): string | undefined {
  return key.length >= LONG_ENOUGH ? key.slice(-4) : undefined
}
