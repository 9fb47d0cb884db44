import type { Context } from '../../context.ts'
import { DEFAULT_CONNECTOR } from '../../core/default-connector.ts'
import { CrmError } from '../../core/errors.ts'
import { isLoopback, reachableHere } from '../../core/http-rules.ts'
import { shellWord } from '../../core/shell-words.ts'
import type { Store } from '../../service/store/store.ts'
import { keepInFile, keptKey } from '../../settings/keep-key.ts'
import { type GivenKey, readKeyFlag } from '../../settings/key-candidates.ts'
import { defaultProfile } from '../../settings/profile.ts'
import { commandLine } from '../command-line.ts'
import { isNewFile } from './database.ts'

export interface Started {
  readonly store: Store
  readonly url: string
  readonly location: string
  /** The key of `--key-file` or `--key-stdin`, if already read. */
  readonly given: GivenKey | undefined
}

/** Reads the key for a new database before it is made, so that an unreadable key file leaves no database. */
export async function readKeyForNew(ctx: Context, location: string): Promise<GivenKey | undefined> {
  if (!isNewFile(location)) return undefined
  const given = await readKeyFlag(ctx)
  if (given) (await import('../../service/keys.ts')).requireKeyText(given.value)
  return given
}

/**
 * Adds a key to a database without keys, so that the first command works: that of `--key-file` or `--key-stdin`; else that
 * of the profile (`local`, or `-p`) for this origin; else a new one, stored in the key file of that profile. Not in the
 * keyring, which may need a person to unlock it.
 */
export async function provideFirstKey(ctx: Context, started: Started): Promise<void> {
  if ((await started.store.keys()).length > 0) return
  const { createKey, newKeyText } = await import('../../service/keys.ts')
  const add = (text: string) => {
    ctx.addSecret(text)
    return createKey(
      started.store,
      { name: 'first', scopes: ['read', 'write'], expiresAtMs: undefined, text },
      ctx.now(),
    )
  }
  const given = started.given ?? (await readKeyFlag(ctx))
  if (given) {
    await add(given.value)
    ctx.note(`The service accepts the key from ${given.source}.`)
    return
  }
  const settings = await ctx.settings()
  const name = ctx.flags.profile ?? 'local'
  const origin = reachableHere(started.url).origin
  if (!(await claimProfile(ctx, name, origin))) return noteWithoutKey(ctx, started, name)
  const stored = await keptKey(settings, name, ctx.note)
  if (stored?.origin === origin) {
    await add(stored.key)
    ctx.note(`The service also accepts the key of profile ${name}.`)
    return
  }
  const text = newKeyText()
  await keepInFile(settings, name, { origin, key: text }, ctx.note)
  await add(text)
  ctx.note(`Made a key for this database and kept it under profile ${name} (${settings.paths().keys}).`)
}

/** False if the profile belongs to another origin and is left unchanged. The active profile stays active. */
async function claimProfile(ctx: Pick<Context, 'settings'>, name: string, origin: string): Promise<boolean> {
  const settings = await ctx.settings()
  const existing = (await settings.profiles()).get(name)
  if (existing?.baseUrl !== undefined) return URL.parse(existing.baseUrl)?.origin === origin
  const { protocol, hostname } = new URL(origin)
  const allowsInsecureHttp = protocol === 'http:' && !isLoopback(hostname)
  await settings.putProfile(name, { ...defaultProfile(origin), allowsInsecureHttp, connector: DEFAULT_CONNECTOR })
  if ((await settings.active()) === undefined) await settings.setActive(name)
  return true
}

/** A database in memory is of no use without a key; one in a file can get a key at any time. */
function noteWithoutKey(ctx: Pick<Context, 'argv' | 'note'>, { location }: Started, name: string): void {
  const why = `profile ${name} belongs to another origin and is left unchanged`
  if (location !== ':memory:') {
    ctx.note(`No key was made, because ${why}. To make one: crm serve keys create --database ${shellWord(location)}`)
    return
  }
  throw new CrmError('usage', `${why}, so nothing could open this database`, {
    hint: `${commandLine(ctx.argv)} -p ANOTHER_NAME, or --key-file FILE`,
  })
}
