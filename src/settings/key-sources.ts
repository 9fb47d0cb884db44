import { chooseProfile } from './address.ts'
import { findKeys, type KeyCandidate } from './key-candidates.ts'
import type { Settings } from './settings.ts'
import type { TargetRequest } from './target.ts'

interface KeySource {
  /** `--key-file`, `--key-stdin`, `CRM_API_KEY`, or `file`. */
  readonly source: string
  /** The file it is kept in; undefined for flags and variables. */
  readonly path: string | undefined
  /** The origin it is bound to; undefined for a flag or a variable, which go where the address says. */
  readonly origin: string | undefined
  /** Undefined when the key is so short that four characters would give it away. */
  readonly lastFour: string | undefined
}

export interface KeySources {
  readonly profileName: string | undefined
  readonly winner: KeySource | undefined
  readonly shadowed: readonly KeySource[]
}

/** Four characters of a key this long leave more than anyone can guess. */
const LONG_ENOUGH = 16

/** For `auth status`: who wins and what it shadows, without the key itself; whether a server takes it is not asked. */
export async function describeKeySources(settings: Settings, request: TargetRequest): Promise<KeySources> {
  const chosen = await chooseProfile(settings, request.env, request.profileFlag)
  const found: KeySource[] = []
  for await (const key of findKeys(settings, request.env, request.keyFromFlag, chosen?.name)) found.push(describe(key))
  const [winner, ...shadowed] = found
  return { profileName: chosen?.name, winner, shadowed }
}

function describe({ value, source, path, origin }: KeyCandidate): KeySource {
  return { source, path, origin, lastFour: lastFourOf(value) }
}

/** Undefined for a key so short that four characters would give it away. */
export function lastFourOf(key: string): string | undefined {
  return key.length >= LONG_ENOUGH ? key.slice(-4) : undefined
}
