import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createSecureContext, getCACertificates, type SecureContext } from 'node:tls'
import { CrmError } from '../../core/errors.ts'
import { errorCode } from '../../files/error-code.ts'
import { toMachineError } from '../../files/machine-error.ts'

const HINT = 'expected certificates in PEM form, or: unset SSL_CERT_FILE'

/**
 * Trust in the certificates of the file that SSL_CERT_FILE names, in place of those that Node brings, as OpenSSL reads
 * the variable. What NODE_EXTRA_CA_CERTS adds stays.
 */
export function trustFile(path: string): SecureContext {
  const text = readText(path)
  if (!text.includes('-----BEGIN ')) throw unusable(path, 'holds no certificate')
  try {
    // The context below skips what it cannot read, and then trusts no certificate.
    new X509Certificate(text)
    return createSecureContext({ ca: [text, ...getCACertificates('extra')] })
  } catch (error) {
    throw unusable(path, 'holds no certificate that can be read', error)
  }
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (errorCode(error) === 'ENOENT') throw unusable(path, 'does not exist', error)
    if (errorCode(error) === 'EISDIR') throw unusable(path, 'is a folder', error)
    const trouble = toMachineError(error, path)
    if (!(trouble instanceof CrmError)) throw trouble
    throw new CrmError('machine', `SSL_CERT_FILE: ${trouble.message}`, { hint: HINT, cause: error })
  }
}

function unusable(path: string, what: string, cause?: unknown): CrmError {
  return new CrmError('machine', `SSL_CERT_FILE: ${path} ${what}`, { hint: HINT, cause })
}
