import { CrmError } from '../../../core/errors.ts'

interface Failure {
  readonly what: string
  readonly hint: string
  /** Nothing was done, and the same may succeed in a moment: after a restart, a failover or a deadlock. */
  readonly isPassing?: true
}

const GONE: Failure = {
  what: 'does not answer',
  hint: 'check that PostgreSQL runs and is reachable, then try again',
  isPassing: true,
}

const UNKNOWN_HOST: Failure = {
  what: 'has a host whose name cannot be resolved',
  hint: 'check the host of the address, and the name servers of this machine',
  isPassing: true,
}

const REFUSED: Failure = {
  what: 'refuses this user',
  hint: 'check the user, and the password in CRM_DATABASE_URL, PGPASSWORD or the password file',
}

const NOT_ADMITTED: Failure = {
  what: 'has no line in pg_hba.conf for this user, database and machine',
  hint: 'add one there, then reload PostgreSQL',
}

const NOT_ADMITTED_PLAIN: Failure = {
  what: 'has no line in pg_hba.conf for this user, database and machine without encryption',
  hint: 'encrypt the connection: ?sslmode=verify-full; or add a line to pg_hba.conf, then reload PostgreSQL',
}

const DISK_FULL = '53100'

const READ_ONLY: Failure = {
  what: 'can only be read: it is a standby, or set so',
  hint: 'name the primary, or wait for the end of the failover',
  isPassing: true,
}

/** Codes of PostgreSQL (https://www.postgresql.org/docs/current/errcodes-appendix.html), and the first two characters of classes. */
const FAILURES: Readonly<Record<string, Failure>> = {
  '08': GONE,
  '28': REFUSED,
  '3D000': { what: 'does not exist', hint: 'make it first: createdb DATABASE' },
  '25006': READ_ONLY,
  '25P03': { what: 'ended a transaction that was idle for too long', hint: 'try again', isPassing: true },
  '40': { what: 'was busy with other transactions', hint: 'try again', isPassing: true },
  '42501': { what: 'does not permit this', hint: 'grant the user CREATE on the schema, and the tables of crm' },
  [DISK_FULL]: { what: 'cannot grow: its disk is full', hint: 'free some space, then try again' },
  '53200': { what: 'is out of memory', hint: 'check the machine of PostgreSQL, then try again' },
  '53300': {
    what: 'has no connection left',
    hint: 'raise max_connections, or run fewer processes',
    isPassing: true,
  },
  '53': { what: 'is short of resources', hint: 'check the machine of PostgreSQL, then try again' },
  '55P03': { what: 'is locked by another process', hint: 'try again', isPassing: true },
  '57014': { what: 'took too long', hint: 'try again, or check what else runs on it' },
  '57': { ...GONE, what: 'is shutting down or starting' },
  '58': { what: 'cannot use its disk', hint: 'check the log of PostgreSQL' },
  // A pooler that gives each transaction another connection has lost a prepared statement.
  '26000': { what: 'has another connection than before', hint: 'try again', isPassing: true },
  '42P05': { what: 'has another connection than before', hint: 'try again', isPassing: true },
  XX001: { what: 'is damaged', hint: 'restore a backup' },
  XX002: { what: 'is damaged', hint: 'restore a backup' },
}

const POOLED_STATEMENTS: Failure = {
  what: 'is behind a pooler that allows no transactions',
  hint: 'set pool_mode = transaction or session in the settings of the pooler',
}

const UNENCRYPTED: Failure = {
  what: 'does not encrypt connections',
  hint: 'set ssl=on in postgresql.conf, or where the network is yours: ?sslmode=disable',
}

const OTHER_NAME: Failure = {
  what: 'has a certificate of another name',
  hint: 'write the name of the certificate in the address, or accept any name of its authority: ?sslmode=verify-ca',
}

const UNVERIFIED: Failure = {
  what: 'has a certificate that cannot be verified',
  hint: 'name the file of the authority that signed it: ?sslrootcert=FILE',
}

const EXPIRED: Failure = {
  what: 'has a certificate that has expired',
  hint: 'renew it in ssl_cert_file of PostgreSQL, and reload PostgreSQL',
}

const TOO_NEW: Failure = {
  what: 'has a certificate that is not yet valid',
  hint: 'compare the clocks of both machines',
}

const TLS_FAILED: Failure = {
  what: 'cannot be reached encrypted',
  hint: 'check sslrootcert, sslcert and sslkey of the address, and the log of PostgreSQL',
}

/** Those that their code does not tell; `pg` itself gives none. */
const BY_MESSAGE: readonly {
  readonly code: string | undefined
  readonly message: RegExp
  readonly failure: Failure
}[] = [
  {
    code: undefined,
    message:
      /^(Connection terminated|Client has encountered a connection error|Query read timeout|timeout exceeded|timeout expired)/,
    failure: GONE,
  },
  {
    code: undefined,
    message: /^The server does not support SSL connections|^There was an error establishing an SSL connection/,
    failure: UNENCRYPTED,
  },
  { code: '28000', message: /^no pg_hba\.conf entry .*, no encryption$/, failure: NOT_ADMITTED_PLAIN },
  { code: '28000', message: /^no pg_hba\.conf entry /, failure: NOT_ADMITTED },
  // A standby has no unlogged tables.
  { code: '0A000', message: /during recovery/, failure: READ_ONLY },
  { code: '08P01', message: /statement pooling/, failure: POOLED_STATEMENTS },
]

/** The CrmError for a failed statement or connection; any other error is returned unchanged. */
export function databaseFailure(name: string, error: unknown): unknown {
  const failure = failureOf(error)
  if (!failure) return error
  return new CrmError('machine', `database ${name} ${failure.what}${namesOf(error)}`, {
    hint: failure.hint,
    isRetryable: failure.isPassing ?? false,
    cause: error,
  })
}

/** Those of a certificate of another host. */
function namesOf(error: unknown): string {
  if (codeOf(error) !== 'ERR_TLS_CERT_ALTNAME_INVALID') return ''
  const { cert } = error as { readonly cert?: { readonly subjectaltname?: string } }
  const names = [...(cert?.subjectaltname ?? '').matchAll(/(?:DNS|IP Address):([\w.*:-]+)/g)].map(([, name]) => name)
  return names.length === 0 ? '' : `: ${names.slice(0, 5).join(', ')}`
}

/** A COMMIT whose answer was lost. */
export class CommitInDoubt extends CrmError {
  constructor(name: string, cause: unknown) {
    super('machine', `it is unknown whether database ${name} has stored the write`, {
      hint: 'send it again with the same Idempotency-Key',
      isInDoubt: true,
      cause,
    })
  }
}

/** Whether nothing was done because of something that passes. */
export function isPassing(error: unknown): boolean {
  if (error instanceof CommitInDoubt) return false
  return error instanceof CrmError && (failureOf(error.cause)?.isPassing ?? false)
}

export function isDiskFull(error: unknown): boolean {
  return error instanceof CrmError && codeOf(error.cause) === DISK_FULL
}

/** Whether the connection itself is lost, so that the outcome of a statement under way is unknown. */
export function isConnectionLost(error: unknown): boolean {
  const failure = failureOf(error)
  return (
    failure === GONE ||
    failure === UNKNOWN_HOST ||
    failure === POOLED_STATEMENTS ||
    (failure?.what.startsWith('is shutting down') ?? false)
  )
}

/** Whether a connection does not know a statement that was prepared: a pooler is in between. */
export function isPreparedLost(error: unknown): boolean {
  const code = codeOf(error)
  return code === '26000' || code === '42P05'
}

function failureOf(error: unknown): Failure | undefined {
  const code = codeOf(error)
  const said = BY_MESSAGE.find(
    (each) => each.code === code && error instanceof Error && each.message.test(error.message),
  )
  if (said || code === undefined) return said?.failure
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return OTHER_NAME
  if (code === 'CERT_HAS_EXPIRED') return EXPIRED
  if (code === 'CERT_NOT_YET_VALID') return TOO_NEW
  if (isUnverified(code)) return UNVERIFIED
  if (/^(ERR_SSL|ERR_OSSL|ERR_TLS|EPROTO$)/.test(code)) return TLS_FAILED
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return UNKNOWN_HOST
  // Codes of the system, such as ECONNREFUSED; five characters are a code of PostgreSQL.
  if (/^E[A-Z]{3,}/.test(code)) return GONE
  return FAILURES[code] ?? FAILURES[code.slice(0, 2)]
}

function isUnverified(code: string): boolean {
  return /^(DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|CERT_)/.test(code)
}

function codeOf(error: unknown): string | undefined {
  if (error instanceof AggregateError) return codeOf(error.errors[0])
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}
