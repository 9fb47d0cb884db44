import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Context } from '../../context.ts'
import { CrmError } from '../../core/errors.ts'
import { reachableHere } from '../../core/origin.ts'
import { shellWord } from '../../core/shell-words.ts'
import type { Env } from '../../core/streams.ts'
import { databaseFile } from '../../settings/default-places.ts'
import type { WithFlags } from '../global-flags.ts'
import type { Started } from './first-key.ts'

/** `:memory:`, or an absolute path; without `--database` a file in the data folder of the user (XDG). */
export function databaseLocation(env: Env, given: string | undefined): string {
  if (given === ':memory:') return given
  // Not repeated in the message, because an address may hold a password.
  const [scheme] = /^[a-z][a-z0-9+.-]*:(?=\/\/)/i.exec(given ?? '') ?? []
  if (scheme !== undefined) {
    throw new CrmError('usage', `--database is an address with ${scheme}, expected an SQLite file or :memory:`, {
      hint: 'crm serve --database crm.db',
    })
  }
  return given === undefined ? databaseFile(env) : resolve(given)
}

/**
 * Stores the database in the profile (`local`, or `-p`) of this address, for hints. Warns if it was another one before,
 * because its records would seem lost.
 */
export async function rememberDatabase(
  ctx: Pick<Context, 'note' | 'settings'> & WithFlags<'profile'>,
  { url, location }: Pick<Started, 'url' | 'location'>,
) {
  const name = ctx.flags.profile ?? 'local'
  try {
    const settings = await ctx.settings()
    const profile = (await settings.profiles()).get(name)
    if (profile?.baseUrl === undefined || URL.parse(profile.baseUrl)?.origin !== reachableHere(url).origin) return
    const before = profile.serveDatabase
    if (before === location) return
    if (before !== undefined && existsSync(before)) {
      const back = `crm serve --database ${shellWord(before)}`
      ctx.note(`Warning: profile ${name} used the database ${before}, and now uses ${location}; to go back: ${back}`)
    }
    if (location !== ':memory:') await settings.setSetting(name, 'serve_database', location)
  } catch (error) {
    // A service whose keys are known needs no profile.
    if (!(error instanceof CrmError)) throw error
    ctx.note(`Warning: ${error.message}`)
  }
}
