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

/**
 * Every key there is for the profile; the first wins, and is checked, what it shadows is not. Files are read only by who
 * goes on behind the keys of flags and variables.
 */
export async function* findKeys(
  settings: Settings,
  env: Env,
  fromFlag: GivenKey | undefined,
  profileName: string | undefined,
): AsyncGenerator<KeyCandidate, void, undefined> {
  const given: GivenKey[] = fromFlag ? [fromFlag] : []
  if (env.CRM_API_KEY) given.push({ value: env.CRM_API_KEY, source: 'CRM_API_KEY' })
  if (given[0]) checkKey(given[0].value, given[0].source)
  for (const key of given) yield { ...key, path: undefined, origin: undefined }
  const stored = profileName === undefined ? undefined : await settings.storedKey(profileName)
  if (!stored) return
  const path = settings.paths().keys
  if (given.length === 0) checkKey(stored.key, path)
  yield { value: stored.key, source: 'file', path, origin: stored.origin }
}
