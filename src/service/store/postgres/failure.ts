import { CrmError } from '../../../core/errors.ts'

interface Failure {
  /** Of the code and the message. */
  readonly pattern: RegExp
  readonly what: string
  readonly hint: string
  /** Nothing was done, and the same may succeed in a moment: after a restart, a failover or a deadlock. */
  readonly isPassing: boolean
  /** The connection is of no use any more. */
  readonly isLost: boolean
}

const GONE = 'does not answer | check that PostgreSQL runs and is reachable, then try again | passing, lost'

const STANDBY =
  'can only be read: it is a standby, or set so | name the primary, or wait for the end of the failover | passing'

const NO_LINE = 'has no line in pg_hba.conf for this user, database and machine'

const POOLED = 'has another connection than before | try again | passing'

const BUSY_MACHINE = 'check the machine of PostgreSQL, then try again'

/**
 * What failed by the code and the message of the error, the first that matches: of `pg` itself, which gives no code, of TLS, of
 * the system, and of PostgreSQL (https://www.postgresql.org/docs/current/errcodes-appendix.html), last by the class of its code.
 */
const FAILURES: readonly Failure[] = String.raw`
^ (Connection terminated|Client has encountered a connection error|Query read timeout|timeout exceeded|timeout expired) | ${GONE}
^ (The server does not support SSL connections|There was an error establishing an SSL connection) | does not encrypt connections | set ssl=on in postgresql.conf, or where the network is yours: ?sslmode=disable
^28000 no pg_hba\.conf entry .*, no encryption$ | ${NO_LINE} without encryption | encrypt the connection: ?sslmode=verify-full; or add a line to pg_hba.conf, then reload PostgreSQL
^28000 no pg_hba\.conf entry | ${NO_LINE} | add one there, then reload PostgreSQL
^0A000 .*during recovery | ${STANDBY}
^08P01 .*statement pooling | is behind a pooler that allows no transactions | set pool_mode = transaction or session in the settings of the pooler | lost
^ERR_TLS_CERT_ALTNAME_INVALID | has a certificate of another name | write the name of the certificate in the address, or accept any name of its authority: ?sslmode=verify-ca
^CERT_HAS_EXPIRED | has a certificate that has expired | renew it in ssl_cert_file of PostgreSQL, and reload PostgreSQL
^CERT_NOT_YET_VALID | has a certificate that is not yet valid | compare the clocks of both machines
^(DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|CERT_) | has a certificate that cannot be verified | name the file of the authority that signed it: ?sslrootcert=FILE
^(ERR_SSL|ERR_OSSL|ERR_TLS|EPROTO ) | cannot be reached encrypted | check sslrootcert, sslcert and sslkey of the address, and the log of PostgreSQL
^(ENOTFOUND|EAI_AGAIN) | has a host whose name cannot be resolved | check the host of the address, and the name servers of this machine | passing, lost
^E[A-Z]{3} | ${GONE}
^3D000 | does not exist | make it first: createdb DATABASE
^25006 | ${STANDBY}
^25P03 | ended a transaction that was idle for too long | try again | passing
^42501 | does not permit this | grant the user CREATE on the schema, and the tables of crm
^53100 | cannot grow: its disk is full | free some space, then try again
^53200 | is out of memory | ${BUSY_MACHINE}
^53300 | has no connection left | raise max_connections, or run fewer processes | passing
^55P03 | is locked by another process | try again | passing
^57014 | took too long | try again, or check what else runs on it
^26000 | ${POOLED}
^42P05 | ${POOLED}
^XX00[12] | is damaged | restore a backup
^08 | ${GONE}
^28 | refuses this user | check the user, and the password in CRM_DATABASE_URL, PGPASSWORD or the password file
^40 | was busy with other transactions | try again | passing
^53 | is short of resources | ${BUSY_MACHINE}
^57 | is shutting down or starting | check that PostgreSQL runs and is reachable, then try again | passing, lost
^58 | cannot use its disk | check the log of PostgreSQL`
  .trim()
  .split('\n')
  .map((line) => {
    const [pattern = '', what = '', hint = '', flags = ''] = line.split(' | ')
    const [isPassing, isLost] = [flags.includes('passing'), flags.includes('lost')]
    return { pattern: new RegExp(pattern), what, hint, isPassing, isLost }
  })

/** The CrmError for a failed statement or connection; any other error is returned unchanged. */
export function databaseFailure(name: string, error: unknown): unknown {
  const failure = failureOf(error)
  if (!failure) return error
  const { what, hint, isPassing: isRetryable } = failure
  return new CrmError('machine', `database ${name} ${what}${namesOf(error)}`, { hint, isRetryable, cause: error })
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
  return error instanceof CrmError && codeOf(error.cause) === '53100'
}

/** Whether the connection itself is lost, so that the outcome of a statement under way is unknown. */
export function isConnectionLost(error: unknown): boolean {
  return failureOf(error)?.isLost ?? false
}

/** Whether a connection does not know a statement that was prepared: a pooler is in between. */
export function isPreparedLost(error: unknown): boolean {
  return ['26000', '42P05'].includes(codeOf(error))
}

function failureOf(error: unknown): Failure | undefined {
  const text = `${codeOf(error)} ${error instanceof Error ? error.message : ''}`
  return FAILURES.find(({ pattern }) => pattern.test(text))
}

/** Empty where there is none. */
function codeOf(error: unknown): string {
  if (error instanceof AggregateError) return codeOf(error.errors[0])
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
}
