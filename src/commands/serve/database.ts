import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Context } from '../../context.ts'
import { hasPassword, isPostgresUri, withoutPassword } from '../../core/database-uri.ts'
import { CrmError } from '../../core/errors.ts'
import { reachableHere } from '../../core/http-rules.ts'
import { shellWord } from '../../core/shell-words.ts'
import type { Env } from '../../core/streams.ts'
import { databaseFile } from '../../settings/default-places.ts'
import type { WithFlags } from '../global-flags.ts'

/** A database as `openStore` takes it, and as messages name it. */
export interface ChosenDatabase {
  /** May hold a password. */
  readonly address: string
  /** `:memory:`, an absolute path, or the URI of a PostgreSQL database without its password. */
  readonly location: string
}

const EXPECTED = 'an SQLite file, postgres:// or :memory:'

/**
 * `--database`, or CRM_DATABASE_URL, or else a file in the data folder of the user (XDG). A password may stand in the variable;
 * on the command line every user of the machine could see it.
 */
export function chooseDatabase(env: Env, given: string | undefined, flag = '--database'): ChosenDatabase {
  if (given !== undefined && isPostgresUri(given) && hasPassword(given)) {
    throw new CrmError('usage', `${flag} has a password, which every user of this machine could read`, {
      hint: `put the address into CRM_DATABASE_URL, or the password into PGPASSWORD or a file: PGPASSFILE=FILE ${commandOf(flag)} ${flag} ${shellWord(withoutPassword(given))}`,
    })
  }
  if (given === '' || /(?:^|\s)(?:host|dbname|user|port)\s*=/.test(given ?? '')) {
    throw new CrmError('usage', `${flag} is ${given ? 'a list of parameters' : 'empty'}, expected ${EXPECTED}`, {
      hint: `${commandOf(flag)} ${flag} crm.db, or postgres://user@host:5432/database`,
    })
  }
  const name = given ?? (env.CRM_DATABASE_URL || undefined)
  if (name === undefined) return same(databaseFile(env))
  if (isPostgresUri(name)) return { address: name, location: withoutPassword(name) }
  if (name === ':memory:') return same(name)
  const source = given === undefined ? 'CRM_DATABASE_URL' : flag
  // Not repeated in the message, because an address may hold a password.
  // One letter is a drive of Windows.
  const [scheme] = /^[a-z][a-z0-9+.-]+:/i.exec(name) ?? []
  if (scheme !== undefined) {
    throw new CrmError('usage', `${source} is an address with ${scheme}, expected ${EXPECTED}`, {
      hint: `${commandOf(flag)} ${flag} crm.db; for a file whose name starts so, write ./ before it`,
    })
  }
  return same(resolve(name))
}

function commandOf(flag: string): string {
  return flag === '--database' ? 'crm serve' : 'crm serve copy'
}

/** A file of SQLite, for what copies files; `instead` is the command for a database of PostgreSQL, before its address. */
export function chooseFile(env: Env, given: string | undefined, instead: string): string {
  const { location } = chooseDatabase(env, given)
  if (isPostgresUri(location)) {
    throw new CrmError('usage', `${location} is a database of PostgreSQL, which has tools of its own for this`, {
      hint: `${instead}${shellWord(location)}`,
    })
  }
  return location
}

function same(location: string): ChosenDatabase {
  return { address: location, location }
}

/** Whether a file would be made; a database of PostgreSQL is looked at when it is opened. */
export function isNewFile(location: string): boolean {
  return !isPostgresUri(location) && !existsSync(location)
}

/**
 * Stores the database in the profile (`local`, or `-p`) of this address, for hints. Warns if it was another one before,
 * because its records would seem lost.
 */
export async function rememberDatabase(
  ctx: Pick<Context, 'note' | 'settings'> & WithFlags<'profile'>,
  { url, location }: { readonly url: string; readonly location: string },
) {
  const name = ctx.flags.profile ?? 'local'
  try {
    const settings = await ctx.settings()
    const profile = (await settings.profiles()).get(name)
    if (profile?.baseUrl === undefined || URL.parse(profile.baseUrl)?.origin !== reachableHere(url).origin) return
    const before = profile.serveDatabase
    if (before === location) return
    if (before !== undefined && (isPostgresUri(before) || existsSync(before))) {
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
