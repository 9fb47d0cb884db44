import { ADDRESS_HINT, type Explanation, type Place } from './failure.ts'

const TRUST_HINT =
  'to trust its authority: SSL_CERT_FILE=FILE crm ..., or NODE_EXTRA_CA_CERTS=FILE beside the usual ones'
const ASK_HINT = 'ask whoever runs the server for a valid certificate'

/** What is wrong with a certificate, by the code that OpenSSL gives (X509_STORE_CTX_get_error). */
const CERTIFICATES: Readonly<Record<string, readonly [reason: string, hint: string]>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: ['is self-signed', TRUST_HINT],
  SELF_SIGNED_CERT_IN_CHAIN: ['comes from a self-signed authority', TRUST_HINT],
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: ['comes from an authority that is not known here', TRUST_HINT],
  UNABLE_TO_GET_ISSUER_CERT: ['comes from an authority that is not known here', TRUST_HINT],
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: ['comes from an authority that is not known here', TRUST_HINT],
  CERT_HAS_EXPIRED: ['has expired', ASK_HINT],
  CERT_NOT_YET_VALID: ['is not valid yet', 'is the clock of this machine right?'],
  CERT_REVOKED: ['was revoked', ASK_HINT],
  ERR_TLS_CERT_ALTNAME_INVALID: ['is for another name', ADDRESS_HINT],
}

/** Whether a connection stood, and TLS did not come about on it. */
export function isTlsFailure(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return explainTls(code, { name: '', url: new URL('https://crm.invalid') }) !== undefined
}

/** A retry does not help with any of these. Undefined when the error has nothing to do with TLS. */
export function explainTls(code: string, { name, url }: Place): Explanation | undefined {
  const certificate = CERTIFICATES[code]
  if (certificate) {
    const [reason, hint] = certificate
    return { code: 'unreachable', rule: 'never', reason: `the certificate of ${name} ${reason}`, hint }
  }
  if (code === 'EPROTO' || /^ERR_SSL_(WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|HTTP_REQUEST)$/.test(code)) {
    const hint = `is it http://${url.host}?`
    return { code: 'unreachable', rule: 'never', reason: `${name} does not speak TLS`, hint }
  }
  if (!/^(ERR_TLS_|ERR_SSL_|CERT_|UNABLE_TO_|INVALID_CA)/.test(code)) return undefined
  const hint = 'openssl s_client -connect shows what the server offers'
  return { code: 'unreachable', rule: 'never', reason: `no TLS connection to ${name} (${code})`, hint }
}
