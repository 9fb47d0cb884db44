import type { ConnectionOptions } from 'node:tls'
import { withoutSecrets } from '../../../core/database-uri.ts'
import { CrmError } from '../../../core/errors.ts'
import type { Env } from '../../../core/streams.ts'
import { encryption } from './encryption.ts'
import { filePassword } from './password-file.ts'

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
  for (const name of given.keys()) {
    if (!PARAMETERS.includes(name)) throw unknownParameter(name)
  }
  const [pathHost, pathUser, path, pathPassword] = parts
  const host = given.get('host') ?? firstOf(unbracketed(pathHost), env.PGHOST, 'localhost')
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
  if (/^[a-z]+:\/\/(?:[^/]*@)?[^/?@,]*,[^@]*$/i.test(uri)) throw severalHosts()
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

function unbracketed(host = ''): string {
  return host.replace(/^\[(.*)\]$/, '$1')
}

function severalHosts(): CrmError {
  return new CrmError('invalid_input', 'the address of the database names several hosts, expected one', {
    hint: 'name the primary, or a name that leads to it after a failover',
  })
}

function unreadable(uri: string): CrmError {
  return new CrmError('invalid_input', `expected the address of a PostgreSQL database, got ${withoutSecrets(uri)}`, {
    hint: 'write postgres://user@host:5432/database, with %-escapes for characters such as @ and /',
  })
}

function unknownParameter(name: string): CrmError {
  return new CrmError('invalid_input', `unknown parameter ${name} in the address of the database`, {
    hint: `it knows ${PARAMETERS.join(', ')}`,
  })
}
