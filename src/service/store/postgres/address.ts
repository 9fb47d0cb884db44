import { readFileSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { platform } from 'node:os'
import { join } from 'node:path'
import { type ConnectionOptions, createSecureContext } from 'node:tls'
import { withoutSecrets } from '../../../core/database-uri.ts'
import { CrmError } from '../../../core/errors.ts'
import type { Env } from '../../../core/streams.ts'

/** Where a database is, as `pg` reads it. */
export interface Address {
  readonly host: string
  readonly port: number
  readonly user: string
  readonly database: string
  /** A function looks into the password file, when the database asks for a password. */
  readonly password: string | (() => Promise<string>)
  readonly ssl: ConnectionOptions | false
  /** For messages: without the password. */
  readonly name: string
}

const DEFAULT_PORT = 5432

const PARAMETERS = ['host', 'port', 'user', 'dbname', 'sslmode', 'sslrootcert', 'sslcert', 'sslkey', 'application_name']

/**
 * Reads a connection URI; what it lacks comes from the variables of libpq, PGHOST and others
 * (https://www.postgresql.org/docs/current/libpq-connect.html). CrmError `invalid_input` for one that cannot be read.
 */
export function readAddress(uri: string, env: Env): Address {
  const { url, parts } = readParts(uri)
  const given = url.searchParams
  const unknown = [...given.keys()].find((name) => !PARAMETERS.includes(name))
  if (unknown !== undefined) {
    const hint = `it knows ${PARAMETERS.join(', ')}`
    throw new CrmError('invalid_input', `unknown parameter ${unknown} in the address of the database`, { hint })
  }
  const [pathHost, pathUser, path, pathPassword] = parts
  const host = given.get('host') ?? firstOf(pathHost?.replace(/^\[(.*)\]$/, '$1'), env.PGHOST, 'localhost')
  const user = given.get('user') ?? firstOf(pathUser, env.PGUSER, env.USER, 'postgres')
  const database = given.get('dbname') ?? firstOf(path, env.PGDATABASE, user)
  const port = portOf(given.get('port') ?? firstOf(url.port, env.PGPORT, `${DEFAULT_PORT}`))
  const name = host.startsWith('/')
    ? `postgres:///${database}?host=${host}`
    : `postgres://${user}@${host.includes(':') ? `[${host}]` : host}:${port}/${database}`
  const login = { host, port, user, database, name }
  const password = firstOf(pathPassword, env.PGPASSWORD) || (() => filePassword(login, env))
  return { ...login, password, ssl: encryption(host, given, env) }
}

function readParts(uri: string): { readonly url: URL; readonly parts: readonly string[] } {
  if (/^[a-z]+:\/\/(?:[^/]*@)?[^/?@,]*,[^@]*$/i.test(uri)) {
    const hint = 'name the primary, or a name that leads to it after a failover'
    throw new CrmError('invalid_input', 'the address of the database names several hosts, expected one', { hint })
  }
  if (!URL.canParse(uri)) throw unreadable(uri)
  const url = new URL(uri)
  // Where a password has signs that must be escaped, the rest of it is taken for a path, a parameter or a fragment.
  const isMisread = url.hash !== '' || url.pathname.includes('@') || /[?&][^=&]*@/.test(url.search)
  if (isMisread) throw unreadable(uri)
  const parts = [url.hostname, url.username, url.pathname.slice(1), url.password]
  try {
    return { url, parts: parts.map(decodeURIComponent) }
  } catch {
    throw unreadable(uri)
  }
}

function portOf(text: string): number {
  const port = Number(text)
  if (Number.isInteger(port) && port > 0 && port < 65_536) return port
  throw new CrmError('invalid_input', `expected a port of PostgreSQL, got ${text}`, {
    hint: 'name it in the address: postgres://user@host:5432/database',
  })
}

function firstOf(...texts: readonly (string | undefined)[]): string {
  return texts.find((text) => text !== undefined && text !== '') ?? ''
}

function unreadable(uri: string): CrmError {
  return new CrmError('invalid_input', `expected the address of a PostgreSQL database, got ${withoutSecrets(uri)}`, {
    hint: 'write postgres://user@host:5432/database, with %-escapes for characters such as @ and /',
  })
}

/** All modes but `disable` encrypt and verify the certificate; libpq would accept any, or none, in `allow`, `prefer` and `require`. */
const VERIFYING = ['allow', 'prefer', 'require', 'verify-ca', 'verify-full']

/** A connection to a database on another machine is encrypted; one to this machine is not, unless a mode or an authority is given. */
function encryption(host: string, given: URLSearchParams, env: Env): ConnectionOptions | false {
  const isUnencrypted = isThisMachine(host) && !given.has('sslrootcert')
  const mode = given.get('sslmode') ?? env.PGSSLMODE ?? (isUnencrypted ? 'disable' : 'verify-full')
  if (mode === 'disable') return false
  if (mode === 'no-verify') return { rejectUnauthorized: false }
  if (!VERIFYING.includes(mode)) {
    const expected = `${VERIFYING.join(', ')}, no-verify or disable`
    throw new CrmError('invalid_input', `expected sslmode ${expected}, got ${mode}`, {
      hint: 'leave it out to verify the certificate of the database',
    })
  }
  const files: TlsFiles = {
    ca: given.get('sslrootcert') ?? env.PGSSLROOTCERT,
    cert: given.get('sslcert') ?? env.PGSSLCERT,
    key: given.get('sslkey') ?? env.PGSSLKEY,
  }
  const read = Object.entries(files).flatMap(([name, file]) => (file ? [[name, textOf(file)] as const] : []))
  const anyName = mode === 'verify-ca' && { checkServerIdentity: () => undefined }
  const options: ConnectionOptions = { rejectUnauthorized: true, ...anyName, ...Object.fromEntries(read) }
  checkFiles(files, options)
  return options
}

type TlsFiles = Readonly<Record<'ca' | 'cert' | 'key', string | undefined>>

/** pg would find out in the middle of a connection, and leave it open. */
function checkFiles({ ca, cert, key }: TlsFiles, options: ConnectionOptions): void {
  if (ca && !String(options.ca).includes('-----BEGIN CERTIFICATE-----')) {
    throw new CrmError('machine', `the file ${ca} has no certificate in PEM, expected that of an authority`, {
      hint: 'check sslrootcert of the address, or PGSSLROOTCERT',
    })
  }
  if (!cert !== !key) {
    const message = 'a certificate for the database needs its private key, and the other way round'
    throw new CrmError('invalid_input', message, { hint: 'give both sslcert and sslkey' })
  }
  try {
    createSecureContext(options)
  } catch (cause) {
    throw new CrmError('machine', `the certificate ${cert} and the key ${key} cannot be used together`, {
      hint: 'check sslcert and sslkey of the address: both in PEM, the key without a passphrase',
      cause,
    })
  }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (cause) {
    throw new CrmError('machine', `the file ${file} for the encryption of the database cannot be read`, {
      hint: 'check sslrootcert, sslcert and sslkey of the address',
      cause,
    })
  }
}

function isThisMachine(host: string): boolean {
  return host.startsWith('/') || host === 'localhost' || host === '::1' || /^127\./.test(host)
}

type Login = Omit<Address, 'password' | 'ssl'>

/** Where libpq looks for the password. */
function passwordFile({ PGPASSFILE, APPDATA, HOME }: Env): string | undefined {
  if (PGPASSFILE) return PGPASSFILE
  if (platform() === 'win32') return APPDATA && join(APPDATA, 'postgresql', 'pgpass.conf')
  return HOME && join(HOME, '.pgpass')
}

/**
 * The password of the password file of libpq, PGPASSFILE or ~/.pgpass (https://www.postgresql.org/docs/current/libpq-pgpass.html),
 * for a database that asks for one. CrmError `machine` where there is none.
 */
async function filePassword(login: Login, env: Env): Promise<string> {
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
