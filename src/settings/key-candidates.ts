import type { Env } from '../core/streams.ts'
import { checkKey } from './key-text.ts'
import type { Settings } from './settings.ts'

export interface GivenKey {
  readonly value: string
  /** `--key-file` or `--key-stdin`. */
  readonly source: string
}

export interface KeyCandidate extends GivenKey {
  /** The file it is kept in; undefined for flags and variables. */
  readonly path: string | undefined
  /** The origin it is bound to; undefined for a flag or a variable, which go where the address says. */
  readonly origin: string | undefined
}

/** Every key there is for the profile; the first wins. The winner is checked, what it shadows is not. */
export async function findKeys(
  settings: Settings,
  env: Env,
  fromFlag: GivenKey | undefined,
  profileName: string | undefined,
): Promise<readonly KeyCandidate[]> {
  const found: KeyCandidate[] = []
  if (fromFlag) found.push({ ...fromFlag, path: undefined, origin: undefined })
  if (env.CRM_API_KEY) found.push({ value: env.CRM_API_KEY, source: 'CRM_API_KEY', path: undefined, origin: undefined })
  const stored = profileName === undefined ? undefined : await settings.storedKey(profileName)
  if (stored) found.push({ value: stored.key, source: 'file', path: settings.paths().keys, origin: stored.origin })
  if (found[0]) checkKey(found[0].value, found[0].path ?? found[0].source)
  return found
}
