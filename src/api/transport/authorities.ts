import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createSecureContext, getCACertificates, type SecureContext } from 'node:tls'
import { CrmError } from '../../core/errors.ts'
import { errorCode, toMachineError } from '../../files/machine-error.ts'

const HINT = 'expected certificates in PEM form, or: unset SSL_CERT_FILE'

/**
 * Trusts the certificates in the file of SSL_CERT_FILE instead of those of Node, like OpenSSL. Those of
 * NODE_EXTRA_CA_CERTS are trusted as well.
 */
export function trustFile(path: string): SecureContext {
  const text = readText(path)
  if (!text.includes('-----BEGIN ')) throw unusable(path, 'contains no certificate')
  try {
    // The context below ignores what it cannot read, and would trust no certificate.
    new X509Certificate(text)
    return createSecureContext({ ca: [text, ...getCACertificates('extra')] })
  } catch (error) {
    throw unusable(path, 'contains no readable certificate', error)
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
