import { CrmError } from '../core/errors.ts'
import { shellWords } from '../core/shell-words.ts'
import type { Env } from '../core/streams.ts'
import type { ChosenProfile } from './address.ts'
import { type InputContext, readInput } from './read-input.ts'
import type { Settings } from './settings.ts'
import { keyringPlace, readFromKeyring } from './stored-key.ts'

export interface GivenKey {
  readonly value: string
  /** `--key-file` or `--key-stdin`. */
  readonly source: string
}

/** A possible source of a key. */
export interface KeyCandidate {
  /** `--key-file`, `--key-stdin`, `CRM_API_KEY`, `key_command`, `keyring` or `file`. */
  readonly source: string
  /** For people; undefined for flags and variables. */
  readonly keptIn: string | undefined
  /** The origin it is bound to; undefined for a flag or a variable, which is sent to any address. */
  readonly origin: string | undefined
  /** Undefined when there is no key. CrmError when the source cannot be read. */
  read(): Promise<string | undefined>
}

/**
 * Every source of a key for the profile, in order of precedence. Sources are evaluated lazily: files are read only after
 * flags and variables, the keyring only when keys.json records an entry in it.
 */
export async function* findKeys(
  settings: Settings,
  env: Env,
  fromFlag: GivenKey | undefined,
  chosen: ChosenProfile | undefined,
): AsyncGenerator<KeyCandidate, void, undefined> {
  const given: GivenKey[] = fromFlag ? [fromFlag] : []
  if (env.CRM_API_KEY) given.push({ value: env.CRM_API_KEY, source: 'CRM_API_KEY' })
  for (const { value, source } of given) yield { source, keptIn: undefined, origin: undefined, read: async () => value }
  if (!chosen) return
  const { name, profile } = chosen
  const { keyCommand, baseUrl } = profile
  if (keyCommand !== undefined && baseUrl !== undefined) {
    const { origin } = new URL(baseUrl)
    const read = () => settings.commandKey(name, keyCommand)
    yield { source: 'key_command', keptIn: `the output of ${shellWords(keyCommand, 'key_command')[0]}`, origin, read }
  }
  const entry = await settings.keyringEntry(name)
  if (entry) {
    const read = async () => (await readFromKeyring(settings.keyring, entry))?.key
    yield { source: 'keyring', keptIn: keyringPlace(entry.account), origin: entry.origin, read }
  }
  const stored = await settings.storedKey(name)
  if (!stored) return
  yield { source: 'file', keptIn: settings.paths().keys, origin: stored.origin, read: async () => stored.key }
}

/** What a command line says of its key. */
interface KeyContext extends InputContext {
  readonly flags: InputContext['flags'] & { readonly keyFile: string | undefined }
}

/** What was read from stdin, which can be read once, by the stream. */
const read = new WeakMap<object, Promise<string>>()

function keyOnStdin(ctx: KeyContext): Promise<string> {
  const reading = read.get(ctx.io) ?? readInput(ctx, '-', '--key-stdin')
  read.set(ctx.io, reading)
  return reading
}

/** The key that the command line points at; there is no flag that takes the key itself, because argv is public. */
export async function readKeyFlag(ctx: KeyContext): Promise<GivenKey | undefined> {
  const { keyFile, isKeyOnStdin } = ctx.flags
  if (keyFile !== undefined && isKeyOnStdin) {
    throw new CrmError('usage', '--key-file and --key-stdin are two keys', { hint: 'give one of them' })
  }
  if (keyFile !== undefined) {
    return { value: (await readInput(ctx, keyFile, '--key-file')).trim(), source: '--key-file' }
  }
  return isKeyOnStdin ? { value: (await keyOnStdin(ctx)).trim(), source: '--key-stdin' } : undefined
}
