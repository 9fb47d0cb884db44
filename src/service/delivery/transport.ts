import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { checkedLookup, refusedTarget } from './checked-lookup.ts'
import { BROKEN_OFF, failureReason } from './failure-reason.ts'
import type { SignedRequest } from './signed-request.ts'
import { literalAddress, type TargetRule } from './target-rules.ts'

export type Attempt =
  | { readonly type: 'answered'; readonly status: number; readonly retryAfter: string | undefined }
  | { readonly type: 'unanswered'; readonly reason: string }
  /** Broken off by `stop`. */
  | { readonly type: 'stopped' }

export interface Transport {
  /**
   * Never rejects for what an endpoint or the network does. A redirect is an answer like others and not followed. A retry has a
   * connection of its own: an endpoint that breaks off would otherwise look like a connection that was closed while it was
   * idle, and have each try twice.
   */
  post(request: SignedRequest, isRetry?: boolean): Promise<Attempt>
  /** Breaks off what is under way and closes every connection. */
  stop(): void
}

export interface TransportOptions {
  /** From the look-up of the name to the end of the answer. */
  readonly timeoutMs: number
  readonly isAllowed: TargetRule
}

const KEPT_ALIVE = { keepAlive: true, maxFreeSockets: 64, timeout: 30_000 }

/** What an answer says beyond its status is dropped, and after so much its connection too. */
const MAX_ANSWER_BYTES = 64 * 1024

export function openTransport({ timeoutMs, isAllowed }: TransportOptions): Transport {
  const underWay = new Set<Exchange>()
  const connections = {
    http: new HttpAgent(KEPT_ALIVE),
    https: new HttpsAgent(KEPT_ALIVE),
    lookup: checkedLookup(isAllowed),
  }
  const post = async (signed: SignedRequest, isRetry = false): Promise<Attempt> => {
    const url = new URL(signed.url)
    // An address is never looked up, so the lookup does not see it.
    const address = literalAddress(url)
    if (address !== undefined && !isAllowed(address)) {
      return { type: 'unanswered', reason: refusedTarget(address).message }
    }
    const exchange = new Exchange(isRetry ? { ...connections, http: false, https: false } : connections, url, signed)
    underWay.add(exchange)
    const tooLate: Attempt = { type: 'unanswered', reason: `no answer within ${timeoutMs / 1000} s` }
    const timer = setTimeout(() => exchange.breakOff(tooLate), timeoutMs)
    try {
      return await exchange.attempt()
    } finally {
      clearTimeout(timer)
      underWay.delete(exchange)
    }
  }
  return {
    post,
    stop: () => {
      for (const exchange of underWay) exchange.breakOff({ type: 'stopped' })
      connections.http.destroy()
      connections.https.destroy()
    },
  }
}

interface Connections {
  /** False: one connection for one request. */
  readonly http: HttpAgent | false
  readonly https: HttpsAgent | false
  readonly lookup: ReturnType<typeof checkedLookup>
}

/** One request and its answer, on a second connection when the first had been closed while it was idle. */
class Exchange {
  readonly #connections: Connections
  readonly #url: URL
  readonly #signed: SignedRequest
  #brokenOff: Attempt | undefined
  #destroy: () => void = () => {}

  constructor(connections: Connections, url: URL, signed: SignedRequest) {
    this.#connections = connections
    this.#url = url
    this.#signed = signed
  }

  async attempt(): Promise<Attempt> {
    const { attempt, wasStale } = await this.#send()
    return wasStale && !this.#brokenOff ? (await this.#send()).attempt : attempt
  }

  /** An answer whose status is known stays one. */
  breakOff(attempt: Attempt): void {
    this.#brokenOff = attempt
    this.#destroy()
  }

  #send(): Promise<{ attempt: Attempt; wasStale: boolean }> {
    const { http, https, lookup } = this.#connections
    const { headers, body } = this.#signed
    return new Promise((resolve) => {
      const isPlain = this.#url.protocol === 'http:'
      const options = { method: 'POST', headers, lookup, agent: isPlain ? http : https }
      const request = (isPlain ? httpRequest : httpsRequest)(this.#url, options)
      this.#destroy = () => request.destroy()
      let answer: Attempt | undefined
      let failure: Error | undefined
      request.on('response', (response) => {
        const { statusCode = 0, headers } = response
        answer = { type: 'answered', status: statusCode, retryAfter: headers['retry-after'] }
        drop(response)
      })
      request.on('error', (error) => {
        failure = error
      })
      request.on('close', () => {
        const reason = failure ? failureReason(failure) : BROKEN_OFF
        resolve({
          attempt: answer ?? this.#brokenOff ?? { type: 'unanswered', reason },
          wasStale: !answer && request.reusedSocket,
        })
      })
      request.end(body)
    })
  }
}

function drop(response: IncomingMessage): void {
  let sizeBytes = 0
  response.on('data', (chunk: Buffer) => {
    sizeBytes += chunk.length
    if (sizeBytes > MAX_ANSWER_BYTES) response.destroy()
  })
  // The status counts, also of an answer that breaks off.
  response.on('error', () => response.destroy())
}
