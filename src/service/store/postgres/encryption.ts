import { readFileSync } from 'node:fs'
import { type ConnectionOptions, createSecureContext } from 'node:tls'
import { CrmError } from '../../../core/errors.ts'
import type { Env } from '../../../core/streams.ts'

/** All modes but `disable` encrypt and verify the certificate; libpq would accept any, or none, in `allow`, `prefer` and `require`. */
const VERIFYING = ['allow', 'prefer', 'require', 'verify-ca', 'verify-full']

/** A connection to a database on another machine is encrypted; one to this machine is not, unless a mode or an authority is given. */
export function encryption(host: string, given: URLSearchParams, env: Env): ConnectionOptions | false {
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
  const files = {
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

interface TlsFiles {
  readonly ca: string | undefined
  readonly cert: string | undefined
  readonly key: string | undefined
}

/** pg would find out in the middle of a connection, and leave it open. */
function checkFiles({ ca, cert, key }: TlsFiles, options: ConnectionOptions): void {
  if (ca && !String(options.ca).includes('-----BEGIN CERTIFICATE-----')) {
    throw new CrmError('machine', `the file ${ca} has no certificate in PEM, expected that of an authority`, {
      hint: 'check sslrootcert of the address, or PGSSLROOTCERT',
    })
  }
  if (!cert !== !key) {
    throw new CrmError(
      'invalid_input',
      'a certificate for the database needs its private key, and the other way round',
      {
        hint: 'give both sslcert and sslkey',
      },
    )
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
