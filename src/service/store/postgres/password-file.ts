import { readFile, stat } from 'node:fs/promises'
import { platform } from 'node:os'
import { join } from 'node:path'
import { CrmError } from '../../../core/errors.ts'
import type { Env } from '../../../core/streams.ts'

interface Login {
  readonly host: string
  readonly port: number
  readonly user: string
  readonly database: string
  /** For messages. */
  readonly name: string
}

/** Where libpq looks for it. */
function passwordFile({ PGPASSFILE, APPDATA, HOME }: Env): string | undefined {
  if (PGPASSFILE) return PGPASSFILE
  if (platform() === 'win32') return APPDATA && join(APPDATA, 'postgresql', 'pgpass.conf')
  return HOME && join(HOME, '.pgpass')
}

/**
 * The password of the password file of libpq, PGPASSFILE or ~/.pgpass (https://www.postgresql.org/docs/current/libpq-pgpass.html),
 * for a database that asks for one. CrmError `machine` where there is none.
 */
export async function filePassword(login: Login, env: Env): Promise<string> {
  const file = passwordFile(env)
  const password = file ? matching(await linesOf(file), login) : undefined
  if (password !== undefined) return password
  const line = `${login.host}:${login.port}:${login.database}:${login.user}:PASSWORD`
  throw new CrmError('machine', `database ${login.name} asks for a password, and none is given`, {
    hint: `set PGPASSWORD, or write ${line} into ${file || 'a file that PGPASSFILE names'}`,
  })
}

/** None for a file that is missing. One that others can read is refused; libpq ignores it. */
async function linesOf(file: string): Promise<readonly string[]> {
  try {
    if (platform() !== 'win32' && ((await stat(file)).mode & 0o077) !== 0) {
      throw new CrmError('machine', `other users can read the password file ${file}`, { hint: `chmod 600 ${file}` })
    }
    return (await readFile(file, 'utf8')).split(/\r?\n/)
  } catch (cause) {
    if (cause instanceof CrmError) throw cause
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return []
    throw new CrmError('machine', `the password file ${file} cannot be read`, { hint: `ls -l ${file}`, cause })
  }
}

/** That of the first line whose four members are those of the login, or `*`. */
function matching(lines: readonly string[], { host, port, database, user }: Login): string | undefined {
  // A socket is named as libpq does.
  const wanted = [host.startsWith('/') ? 'localhost' : host, String(port), database, user]
  for (const line of lines) {
    if (line.startsWith('#')) continue
    const members = [...line.matchAll(/((?:\\.|[^:\\])*)(?::|$)/g)].map(([, text = '']) => text.replace(/\\(.)/g, '$1'))
    const [password] = members.slice(wanted.length)
    const isLogin = wanted.every((text, place) => members[place] === '*' || members[place] === text)
    if (isLogin && password) return password
  }
  return undefined
}
