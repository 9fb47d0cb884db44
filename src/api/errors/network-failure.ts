import { CrmError } from '../../core/errors.ts'
import { isLoopback } from '../../core/http-rules.ts'
import { shellWord } from '../../core/shell-words.ts'
import { settingCommand } from '../server-terms.ts'
import { type Call, isWrite } from '../transport/call.ts'
import type { NoReply } from '../transport/exchange.ts'
import { ProxyError } from '../transport/proxy.ts'
import { ADDRESS_HINT, type Explanation, type Failure, type Peer } from './failure.ts'

const TRUST_HINT =
  'to trust its authority: SSL_CERT_FILE=FILE crm ..., or NODE_EXTRA_CA_CERTS=FILE beside the usual ones'

const ASK_HINT = 'ask the administrator of the server to install a valid certificate'

/** Faults of certificates by the error code of OpenSSL (X509_STORE_CTX_get_error). */
const CERTIFICATES: Readonly<Record<string, readonly [reason: string, hint: string]>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: ['is self-signed', TRUST_HINT],
  SELF_SIGNED_CERT_IN_CHAIN: ['is signed by a self-signed authority', TRUST_HINT],
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: ['is signed by an unknown authority', TRUST_HINT],
  UNABLE_TO_GET_ISSUER_CERT: ['is signed by an unknown authority', TRUST_HINT],
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: ['is signed by an unknown authority', TRUST_HINT],
  CERT_HAS_EXPIRED: ['has expired', ASK_HINT],
  CERT_NOT_YET_VALID: ['is not valid yet', 'is the clock of this machine right?'],
  CERT_REVOKED: ['was revoked', ASK_HINT],
  ERR_TLS_CERT_ALTNAME_INVALID: ['is for another name', ADDRESS_HINT],
}

/** The default address of `crm serve`. */
const SERVE_PORT = '4243'

const refused = (place: Peer) =>
  down(
    `${place.name} refuses connections`,
    place.isServe && isLoopback(place.url.hostname) ? serveCommand(place) : ADDRESS_HINT,
  )
const cut = ({ name }: Peer): Explanation => ({
  ...down(`${name} closed the connection before its answer was complete`, 'try again'),
  repeat: 'same',
})
const silent = ({ name }: Peer) => down(`${name} does not answer`)
const noRoute = ({ name }: Peer, code: string) => down(`there is no route to ${name} (${code})`)
const noFiles = (_: Peer, code: string) =>
  never('machine', `too many files are open (${code})`, 'ulimit -n shows the limit')
const closed = (): Explanation => ({
  code: 'interrupted',
  rule: 'never',
  reason: 'the client was closed',
  hint: 'try again',
})
const forbidden = ({ name }: Peer, code: string) =>
  never('machine', `this machine forbids connecting to ${name} (${code})`)

const tooManyHeaders = ({ name }: Peer) => never('bad_answer', `${name} sent too many headers`)

/** By the error code of Node or undici. */
const EXPLANATIONS: Readonly<Record<string, (place: Peer, code: string) => Explanation>> = {
  ECONNREFUSED: refused,
  ENOTFOUND: ({ url }) => down(`no address is known for ${url.hostname}`),
  EAI_AGAIN: ({ url }) => down(`the name server does not answer for ${url.hostname}`),
  ECONNRESET: cut,
  ECONNABORTED: cut,
  EPIPE: cut,
  UND_ERR_SOCKET: cut,
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: cut,
  ETIMEDOUT: silent,
  UND_ERR_CONNECT_TIMEOUT: silent,
  EHOSTUNREACH: noRoute,
  ENETUNREACH: noRoute,
  ENETDOWN: noRoute,
  EADDRNOTAVAIL: noRoute,
  EMFILE: noFiles,
  ENFILE: noFiles,
  UND_ERR_CLOSED: closed,
  UND_ERR_DESTROYED: closed,
  EACCES: forbidden,
  EPERM: forbidden,
  UND_ERR_RES_EXCEEDED_MAX_SIZE: ({ name, profile }) =>
    never('bad_answer', `${name} sent more than 64 MiB`, settingCommand('page_size 50', { profile })),
  UND_ERR_HEADERS_OVERFLOW: tooManyHeaders,
  HPE_HEADER_OVERFLOW: tooManyHeaders,
}

interface At extends Omit<Peer, 'name'> {
  readonly timeoutMs: number
}

/** A try without a reply as a Failure. An error that is not a network error is a bug, and is rethrown. */
export function networkFailure(call: Call, noReply: NoReply, at: At): Failure {
  const explanation = noReply.type === 'timeout' ? explainTimeout(noReply, at) : explainError(noReply.cause, at)
  if (explanation === undefined) throw noReply.cause
  const isInDoubt = isWrite(call) && noReply.isSent
  // As of a 2xx that cannot be read.
  const code = isInDoubt && explanation.code === 'bad_answer' ? 'in_doubt' : explanation.code
  return { ...explanation, code, isInDoubt, cause: noReply.cause ?? noReply }
}

/** Names the last database: with another one at the same address, all records would seem lost. */
function serveCommand({ url: { port, protocol }, serveDatabase }: Peer): string {
  const shown = port || (protocol === 'https:' ? '443' : '80')
  const database = serveDatabase === undefined ? '' : ` --database ${shellWord(serveDatabase)}`
  return `crm serve${database}${shown === SERVE_PORT ? '' : ` --port ${shown}`}`
}

function explainTimeout(noReply: NoReply, { url, timeoutMs }: At): Explanation {
  const missing = noReply.isSent ? 'did not answer in full' : 'could not be reached'
  const reason = `${url.origin} ${missing} within ${timeoutMs / 1000} s`
  return {
    code: 'timeout',
    rule: 'few',
    reason,
    hint: 'allow more with --timeout 2m, or try again later',
    repeat: 'longer-timeout',
  }
}

function explainError(error: unknown, { url, ...others }: At): Explanation | undefined {
  // Of the server of tokens.
  if (error instanceof CrmError && error.code === 'unreachable') return down(error.message, error.details.hint)
  if (error instanceof ProxyError)
    return down(error.message, `${error.variable} names the proxy; NO_PROXY=${url.hostname} bypasses it`)
  const place = {
    ...others,
    name: `${url.hostname}:${url.port || (url.protocol === 'https:' ? 443 : 80)}`,
    url,
  }
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const explain = EXPLANATIONS[code]
  if (explain) return explain(place, code)
  if (error instanceof Error && isParserError(error, code)) return explainParser(error.message, place)
  return explainTls(code, place)
}

/** undici 8 intends to set a code like that of Node, but does not (lib/core/errors.js). */
function isParserError({ name }: Error, code: string): boolean {
  return name === 'HTTPParserError' || code.startsWith('HPE_')
}

function explainParser(message: string, place: Peer): Explanation {
  if (message.includes('Invalid EOF state')) return cut(place)
  // `Response does not match the HTTP/1.1 protocol (DETAIL)` of undici, `Parse Error: DETAIL` of Node.
  const [, ofUndici, detail = ofUndici] = /\(([^)]*)\)|^Parse Error: (.*)/.exec(message) ?? []
  const hint = place.url.protocol === 'http:' ? `is it https://${place.url.host}?` : ADDRESS_HINT
  return never('bad_answer', `${place.name} does not speak HTTP${detail ? `: ${detail}` : ''}`, hint)
}

function down(reason: string, hint = ADDRESS_HINT): Explanation {
  return { code: 'unreachable', rule: 'few', reason, hint }
}

function never(code: Explanation['code'], reason: string, hint = ADDRESS_HINT): Explanation {
  return { code, rule: 'never', reason, hint }
}

/** Whether the connection was established, but not TLS. */
export function isTlsFailure(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return explainTls(code, { name: '', url: new URL('https://crm.invalid') }) !== undefined
}

/** Undefined if the error is not about TLS. A retry does not help with any of these. */
export function explainTls(code: string, { name, url }: Peer): Explanation | undefined {
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
