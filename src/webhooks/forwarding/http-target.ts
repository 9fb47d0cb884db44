import { Agent as HttpAgent, type IncomingMessage, type RequestOptions, request as requestHttp } from 'node:http'
import { Agent as HttpsAgent, request as requestHttps } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { type ConnectionOptions, checkServerIdentity, type PeerCertificate } from 'node:tls'
import type { ReceivedEvent } from '../../core/webhook-events.ts'
import { errorCode } from '../../files/machine-error.ts'
import { matchesAnyGlob } from '../event-filter.ts'
import type { AttemptOutcome, ForwardTarget } from './forwarder.ts'

const ADDRESSES = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
] as const

/** How a URL is reached, for all targets of a command. */
export interface TargetConnection {
  /** They replace headers of the same name. */
  readonly headers: readonly (readonly [name: string, value: string])[]
  /** Certificates in PEM form, trusted instead of those of Node. */
  readonly authorities: string | undefined
  /** False: any certificate is accepted. */
  readonly isVerified: boolean
}

export interface HttpTargetOptions extends Partial<TargetConnection> {
  readonly url: URL
  /** Event names to forward; an empty list forwards all. */
  readonly globs: readonly string[]
  /** From the connection to the end of the response. */
  readonly timeoutMs: number
  /** Headers that replace the received ones. CrmError when the event cannot be signed. */
  readonly sign?: (event: ReceivedEvent) => readonly (readonly [string, string])[]
}

const MAX_RESPONSE_BYTES = 4096
/** The rest of a response is read and discarded up to this size, so that the connection can be reused. */
const MAX_DISCARDED_BYTES = 1024 * 1024
const LIMIT = 64

export function httpTarget(options: HttpTargetOptions): ForwardTarget {
  const { url, globs } = options
  const kept = { keepAlive: true, maxFreeSockets: LIMIT, timeout: 30_000 }
  const agent = url.protocol === 'http:' ? new HttpAgent(kept) : new HttpsAgent({ ...kept, ...tlsRules(options) })
  return {
    type: 'forwarded',
    name: url.href,
    limit: LIMIT,
    takes: (event) => matchesAnyGlob(globs, event.name),
    send: async (event, signal) => {
      const first = await send(event, { ...options, agent, signal })
      // The app closed the idle connection while the request was in flight.
      return (first.isStale ? await send(event, { ...options, agent, signal }) : first).outcome
    },
  }
}

interface Sending extends HttpTargetOptions {
  readonly agent: HttpAgent
  readonly signal: AbortSignal
}

/** The name in the certificate is that of the URL, also where both loopback addresses are tried under another name. */
function tlsRules({ url, authorities, isVerified = true }: HttpTargetOptions): ConnectionOptions {
  const host = url.hostname.replace(/^\[|\]$/g, '')
  return {
    ca: authorities,
    rejectUnauthorized: isVerified,
    // RFC 6066: an address is no server name.
    servername: isIP(host) ? '' : host,
    checkServerIdentity: (_, certificate) => checkServerIdentity(host, certificate),
  }
}

function withHeaders(received: readonly (readonly [string, string])[], added: TargetConnection['headers'] = []) {
  const names = new Set(added.map(([name]) => name.toLowerCase()))
  return [...received.filter(([name]) => !names.has(name.toLowerCase())), ...added]
}

/** A URL without a path gets the path of the received request; the query is always added. */
function addressFor(url: URL, received: string): URL {
  const { pathname, search } = new URL(received)
  const address = new URL(url)
  if (address.pathname === '/') address.pathname = pathname
  const queries = [url.search, search].map((query) => query.slice(1)).filter((query) => query !== '')
  address.search = queries.join('&')
  return address
}

function send(event: ReceivedEvent, sending: Sending): Promise<{ outcome: AttemptOutcome; isStale: boolean }> {
  const { url, timeoutMs, agent, signal, sign } = sending
  const { delivery } = event
  const address = addressFor(url, delivery.url)
  const headers = [...withHeaders(sign?.(event) ?? delivery.headers, sending.headers), ['Host', url.host]]
  const options: RequestOptions = {
    method: 'POST',
    headers: [...headers, ['Content-Length', String(delivery.bytes.length)]].flat(),
    agent,
    ...loopbackConnection(url),
  }
  const request = (url.protocol === 'http:' ? requestHttp : requestHttps)(address, options)
  const late = setTimeout(() => request.destroy(new TooLate(timeoutMs)), timeoutMs)
  const stop = (): void => void request.destroy(new Error('aborted'))
  signal.addEventListener('abort', stop)
  return new Promise((resolve) => {
    let answer: IncomingMessage | undefined
    let failure: Error | undefined
    const chunks: Buffer[] = []
    request.on('response', (response) => {
      answer = response
      readBeginning(response, chunks)
    })
    request.on('error', (error) => {
      failure = error
    })
    request.on('close', () => {
      clearTimeout(late)
      signal.removeEventListener('abort', stop)
      const response = Buffer.concat(chunks).toString('utf8', 0, MAX_RESPONSE_BYTES)
      const outcome = answer ? answered(answer, response) : unanswered(failure, url)
      resolve({ outcome, isStale: !answer && request.reusedSocket && errorCode(failure) === 'ECONNRESET' })
    })
    request.end(delivery.bytes)
  })
}

class TooLate extends Error {
  constructor(timeoutMs: number) {
    super(`no answer within ${timeoutMs / 1000} s`)
  }
}

function readBeginning(response: IncomingMessage, chunks: Buffer[]): void {
  let sizeBytes = 0
  response.on('data', (chunk: Buffer) => {
    if (sizeBytes < MAX_RESPONSE_BYTES) chunks.push(chunk)
    sizeBytes += chunk.length
    if (sizeBytes > MAX_DISCARDED_BYTES) response.destroy()
  })
  // The status of a truncated response still counts.
  response.on('error', () => response.destroy())
}

function answered({ statusCode = 0, headers }: IncomingMessage, response: string | undefined): AttemptOutcome {
  const retryAfter = headers['retry-after']
  const isDone = statusCode >= 200 && statusCode < 300
  const isRedirect = statusCode >= 300 && statusCode < 400
  const failure = isRedirect ? `redirects (${statusCode}) are not followed` : `answered ${statusCode}`
  return { status: statusCode, failure: isDone ? undefined : failure, answer: statusCode, retryAfter, response }
}

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ECONNRESET: 'it closed the connection without an answer',
  EPIPE: 'it closed the connection without an answer',
  ENOTFOUND: 'no such host',
  EAI_AGAIN: 'the name cannot be looked up',
  EHOSTUNREACH: 'no route to this host',
  ENETUNREACH: 'no route to this network',
  EPROTO: 'it does not speak TLS',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is self-signed; --cacert FILE trusts it',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is by an unknown authority; --cacert FILE trusts it',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate is by an unknown authority; --cacert FILE trusts it',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'its certificate is by an unknown authority; --cacert FILE trusts it',
  CERT_HAS_EXPIRED: 'its certificate has expired',
}

/** Of a certificate for another name than that of the URL. */
function otherName(error: Error | undefined, { hostname }: URL): string | undefined {
  if (errorCode(error) !== 'ERR_TLS_CERT_ALTNAME_INVALID') return undefined
  const { subjectaltname = '', subject } = (error as Error & { cert?: Partial<PeerCertificate> }).cert ?? {}
  const names = [...subjectaltname.matchAll(/(?:DNS|IP Address):([^,"\s]+)/g)].map(([, name = '']) => name)
  const [name = String(subject?.CN ?? 'another name'), ...more] = names
  return `its certificate is for ${name}${more.length > 0 ? ` and ${more.length} more` : ''}, not for ${hostname}`
}

function unanswered(error: Error | undefined, url: URL): AttemptOutcome {
  const code = errorCode(error) ?? errorCode(error instanceof AggregateError ? error.errors[0] : undefined)
  const reason =
    REASONS[code ?? ''] ?? otherName(error, url) ?? error?.message ?? 'it closed the connection without an answer'
  const tried = code === 'ECONNREFUSED' && loopbackConnection(url) ? ' (127.0.0.1 and ::1 tried)' : ''
  return {
    status: undefined,
    failure: `${reason}${tried}`,
    // RFC 9110: 504 for a timeout, 502 for an invalid or missing response.
    answer: error instanceof TooLate ? 504 : 502,
    retryAfter: undefined,
    response: undefined,
  }
}

/**
 * An app that listens on `localhost` binds only one of the two loopback addresses. Both are tried, the given one first.
 * Undefined for every other host.
 */
function loopbackConnection({ hostname }: URL): RequestOptions | undefined {
  if (hostname !== 'localhost' && hostname !== '127.0.0.1' && hostname !== '[::1]') return undefined
  const addresses = hostname === '[::1]' ? ADDRESSES.toReversed() : [...ADDRESSES]
  const lookup: LookupFunction = (_, __, callback) => callback(null, addresses)
  // Node tries several addresses in turn (`autoSelectFamily`, on by default).
  return { hostname: 'localhost', lookup }
}
