import { createSecretKey, type KeyObject } from 'node:crypto'
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http'
import type { Agent as HttpsAgent } from 'node:https'
import { secretBytes, signWebhook } from '../../core/signing.ts'
import type { ClaimedDelivery } from '../store/deliveries.ts'
import { checkedLookup, literalAddress, refusedTarget, type TargetRule } from './target-rules.ts'

/** Beyond this number all are dropped. A subscription has one, and while it rotates its secret two. */
const MAX_KEYS = 1000

export interface SignedRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string | number>>
  readonly body: Buffer
}

/** Signs deliveries. The keys of secrets are kept, as making one takes three times as long as a signature. */
export class Signer {
  readonly #userAgent: string
  readonly #keys = new Map<string, KeyObject>()

  constructor(userAgent: string) {
    this.#userAgent = userAgent
  }

  /** Standard Webhooks 1.0: the id is the event's on every attempt, the time is that of the attempt. */
  sign({ url, text, eventId: id, secrets }: ClaimedDelivery, nowMs: number): SignedRequest {
    const body = Buffer.from(text)
    const timestamp = Math.floor(nowMs / 1000)
    const signatures = secrets.map((secret) => signWebhook(this.#keyOf(secret), { id, timestamp, body }))
    return {
      url,
      body,
      headers: {
        'content-type': 'application/json',
        'content-length': body.length,
        'user-agent': this.#userAgent,
        'webhook-id': id,
        'webhook-timestamp': timestamp,
        'webhook-signature': signatures.join(' '),
      },
    }
  }

  #keyOf(secret: string): KeyObject {
    const known = this.#keys.get(secret)
    if (known) return known
    if (this.#keys.size >= MAX_KEYS) this.#keys.clear()
    const key = createSecretKey(secretBytes(secret))
    this.#keys.set(secret, key)
    return key
  }
}

/** Node uses one code for a reset and a closed connection. */
const CONNECTION_CLOSED = 'the connection closed without a response'

export type Attempt =
  | { readonly type: 'answered'; readonly status: number; readonly retryAfter: string | undefined }
  | { readonly type: 'unanswered'; readonly reason: string }
  /** Aborted by `stop`. */
  | { readonly type: 'stopped' }

export interface Transport {
  /**
   * Never rejects for a failure of the endpoint or the network. Redirects are not followed. A retry uses a new connection:
   * otherwise a closing endpoint would look like a connection closed while idle, and every attempt would be sent twice.
   */
  post(request: SignedRequest, isRetry?: boolean): Promise<Attempt>
  /** Aborts the requests in progress and closes every connection. */
  stop(): void
}

export interface TransportOptions {
  /** From the name look-up to the end of the response. */
  readonly timeoutMs: number
  readonly isAllowed: TargetRule
}

const KEPT_ALIVE = { keepAlive: true, maxFreeSockets: 64, timeout: 30_000 }

/** Response bodies are discarded; larger ones also close the connection. */
const MAX_ANSWER_BYTES = 64 * 1024

export function openTransport({ timeoutMs, isAllowed }: TransportOptions): Transport {
  const active = new Set<Exchange>()
  const lookup = checkedLookup(isAllowed)
  const httpAgent = new HttpAgent(KEPT_ALIVE)
  let httpsAgent: HttpsAgent | undefined
  const wayTo = async ({ protocol }: URL, isRetry: boolean): Promise<Way> => {
    if (protocol === 'http:') return { send: httpRequest, agent: !isRetry && httpAgent, lookup }
    // TLS takes four tenths of the time in which Node starts, and most services on this machine send no https.
    const { Agent, request } = await import('node:https')
    httpsAgent ??= new Agent(KEPT_ALIVE)
    return { send: request, agent: !isRetry && httpsAgent, lookup }
  }
  const post = async (signed: SignedRequest, isRetry = false): Promise<Attempt> => {
    const url = new URL(signed.url)
    // IP addresses bypass the lookup and are checked here.
    const address = literalAddress(url)
    if (address !== undefined && !isAllowed(address)) {
      return { type: 'unanswered', reason: refusedTarget(address).message }
    }
    const exchange = new Exchange(wayTo(url, isRetry), url, signed)
    active.add(exchange)
    const timedOut: Attempt = { type: 'unanswered', reason: `no answer within ${timeoutMs / 1000} s` }
    const timer = setTimeout(() => exchange.abort(timedOut), timeoutMs)
    try {
      return await exchange.attempt()
    } finally {
      clearTimeout(timer)
      active.delete(exchange)
    }
  }
  return {
    post,
    stop: () => {
      for (const exchange of active) exchange.abort({ type: 'stopped' })
      httpAgent.destroy()
      httpsAgent?.destroy()
    },
  }
}

interface Way {
  readonly send: typeof httpRequest
  /** False: a new connection for each request. */
  readonly agent: HttpAgent | false
  readonly lookup: ReturnType<typeof checkedLookup>
}

/** One request and its response, repeated on a new connection when the reused one was closed while idle. */
class Exchange {
  readonly #way: Promise<Way>
  readonly #url: URL
  readonly #signed: SignedRequest
  #brokenOff: Attempt | undefined
  #destroy: () => void = () => {}

  constructor(way: Promise<Way>, url: URL, signed: SignedRequest) {
    this.#way = way
    this.#url = url
    this.#signed = signed
  }

  async attempt(): Promise<Attempt> {
    const way = await this.#way
    if (this.#brokenOff) return this.#brokenOff
    const { attempt, wasStale } = await this.#send(way)
    return wasStale && !this.#brokenOff ? (await this.#send(way)).attempt : attempt
  }

  /** Keeps the response if its status is already known. */
  abort(attempt: Attempt): void {
    this.#brokenOff = attempt
    this.#destroy()
  }

  #send({ send, agent, lookup }: Way): Promise<{ attempt: Attempt; wasStale: boolean }> {
    const { headers, body } = this.#signed
    return new Promise((resolve) => {
      const request = send(this.#url, { method: 'POST', headers, lookup, agent })
      this.#destroy = () => request.destroy()
      let answer: Attempt | undefined
      let failure: Error | undefined
      request.on('response', (response) => {
        const { statusCode = 0, headers } = response
        answer = { type: 'answered', status: statusCode, retryAfter: headers['retry-after'] }
        discardBody(response)
      })
      request.on('error', (error) => {
        failure = error
      })
      request.on('close', () => {
        const reason = failure ? failureReason(failure) : CONNECTION_CLOSED
        resolve({
          attempt: answer ?? this.#brokenOff ?? { type: 'unanswered', reason },
          wasStale: !answer && request.reusedSocket,
        })
      })
      request.end(body)
    })
  }
}

function discardBody(response: IncomingMessage): void {
  let sizeBytes = 0
  response.on('data', (chunk: Buffer) => {
    sizeBytes += chunk.length
    if (sizeBytes > MAX_ANSWER_BYTES) response.destroy()
  })
  // The status of a truncated response still counts.
  response.on('error', () => response.destroy())
}

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: CONNECTION_CLOSED,
  EPIPE: CONNECTION_CLOSED,
  ENOTFOUND: 'no such host',
  EAI_AGAIN: 'the name of the host cannot be resolved right now',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the network cannot be reached',
  ETIMEDOUT: 'the connection timed out',
}

const MAX_REASON_CHARACTERS = 200

/** The reason for a missing response, for the log of a delivery. */
export function failureReason(error: Error): string {
  // Failures of several addresses are one error without a message.
  const cause = error instanceof AggregateError && error.errors[0] instanceof Error ? error.errors[0] : error
  const { code = '', syscall } = cause as NodeJS.ErrnoException
  // The message of a failed connection contains the resolved address, which subscribers must not see.
  const reason = REASONS[code] ?? (syscall === undefined ? cause.message : `the connection failed (${code})`)
  return reason.slice(0, MAX_REASON_CHARACTERS)
}
