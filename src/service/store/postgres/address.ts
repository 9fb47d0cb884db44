import { readFileSync } from 'node:fs'
import type { ConnectionOptions } from 'node:tls'
import { withoutPassword } from '../../../core/database-uri.ts'
import { CrmError } from '../../../core/errors.ts'
import { filePassword } from './password-file.ts'

export type Env = Readonly<Record<string, string | undefined>>

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
  if (!URL.canParse(uri)) throw unreadable(withoutPassword(uri))
  const url = new URL(uri)
  const given = url.searchParams
  for (const name of given.keys()) {
    if (!PARAMETERS.includes(name)) throw unknownParameter(name)
  }
  const [pathHost, pathUser, path] = [url.hostname, url.username, url.pathname.slice(1)].map(decodeURIComponent)
  const host = given.get('host') ?? firstOf(unbracketed(pathHost), env.PGHOST, 'localhost')
  const user = given.get('user') ?? firstOf(pathUser, env.PGUSER, env.USER, 'postgres')
  const database = given.get('dbname') ?? firstOf(path, env.PGDATABASE, user)
  const port = portOf(given.get('port') ?? firstOf(url.port, env.PGPORT, `${DEFAULT_PORT}`))
  const name = host.startsWith('/')
    ? `postgres:///${database}?host=${host}`
    : `postgres://${user}@${host.includes(':') ? `[${host}]` : host}:${port}/${database}`
  const login = { host, port, user, database, name }
  const password = firstOf(decodeURIComponent(url.password), env.PGPASSWORD) || (() => filePassword(login, env))
  return { ...login, password, ssl: encryption(host, given, env) }
}

function portOf(text: string): number {
  const port = Number(text)
  if (Number.isInteger(port) && port > 0 && port < 65_536) return port
  throw new CrmError('invalid_input', `expected a port of PostgreSQL, got ${text}`, {
    hint: 'name it in the address: postgres://user@host:5432/database',
  })
}

/** All modes but `disable` encrypt and verify the certificate; libpq would accept any, or none, in `allow`, `prefer` and `require`. */
const VERIFYING = ['allow', 'prefer', 'require', 'verify-ca', 'verify-full']

/** A connection to a database on another machine is encrypted; one to this machine is not, unless asked for. */
function encryption(host: string, given: URLSearchParams, env: Env): Address['ssl'] {
  const mode = given.get('sslmode') ?? env.PGSSLMODE ?? (isThisMachine(host) ? 'disable' : 'verify-full')
  if (mode === 'disable') return false
  if (mode === 'no-verify') return { rejectUnauthorized: false }
  if (!VERIFYING.includes(mode)) {
    const expected = `${VERIFYING.join(', ')}, no-verify or disable`
    throw new CrmError('invalid_input', `expected sslmode ${expected}, got ${mode}`, {
      hint: 'leave it out to verify the certificate of the database',
    })
  }
  const files = {
    ca: given.get('sslrootcert') ?? env.PGSSLROOTCERT,
    cert: given.get('sslcert') ?? env.PGSSLCERT,
    key: given.get('sslkey') ?? env.PGSSLKEY,
  }
  const read = Object.entries(files).flatMap(([name, file]) => (file ? [[name, textOf(file)] as const] : []))
  const anyName = mode === 'verify-ca' && { checkServerIdentity: () => undefined }
  return { rejectUnauthorized: true, ...anyName, ...Object.fromEntries(read) }
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

function firstOf(...texts: readonly (string | undefined)[]): string {
  return texts.find((text) => text !== undefined && text !== '') ?? ''
}

function unbracketed(host = ''): string {
  return host.replace(/^\[(.*)\]$/, '$1')
}

function unreadable(uri: string): CrmError {
  return new CrmError('invalid_input', `expected the address of a PostgreSQL database, got ${uri}`, {
    hint: 'write postgres://user@host:5432/database, with %-escapes for characters such as @ and /',
  })
}

function unknownParameter(name: string): CrmError {
  return new CrmError('invalid_input', `unknown parameter ${name} in the address of the database`, {
    hint: `it knows ${PARAMETERS.join(', ')}`,
  })
}
