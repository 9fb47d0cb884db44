import type { IncomingHttpHeaders } from 'node:http'
import type { Dispatcher } from 'undici'
import Pool from 'undici/lib/dispatcher/pool.js'
import type { ApiOptions } from '../options.ts'
import { createDialer } from './dialer.ts'
import type { HttpTransport } from './exchange.ts'
import { ClosedError, PendingReply } from './pending-reply.ts'

/** The transport for many requests, proxies and other authorities. */
export function openUndiciTransport(
  options: Pick<ApiOptions, 'baseUrl' | 'timeoutMs' | 'env'>,
  most: number,
): HttpTransport {
  const dialer = createDialer(options)
  const pool = new Pool(options.baseUrl.origin, {
    connections: most,
    allowH2: false,
    // PendingReply limits time and size of the whole reply.
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: dialer.dial,
  })
  return {
    exchange: (outgoing, limits) => {
      const reply = new PendingReply(limits)
      if (!reply.isSettled) pool.dispatch(outgoing, new ReplyHandler(reply))
      return reply.promise
    },
    close: () => {
      dialer.giveUp(new ClosedError())
      return pool.close()
    },
    destroy: () => void pool.destroy(),
  }
}

class ReplyHandler implements Dispatcher.DispatchHandler {
  readonly #reply: PendingReply

  constructor(reply: PendingReply) {
    this.#reply = reply
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // undici cannot abort a request before this moment.
    if (this.#reply.isSettled) controller.abort(new Error('aborted before it was sent'))
    else {
      this.#reply.isSent = true
      this.#reply.controller = controller
    }
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    this.#reply.begin(status, withoutTrailingSpace(headers))
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#reply.add(chunk)
  }

  onResponseEnd(): void {
    this.#reply.end()
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#reply.controller = undefined
    this.#reply.fail(error)
  }
}

/** RFC 9110 section 5.5; undici keeps it. */
function withoutTrailingSpace(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  for (const name in headers) {
    const value = headers[name]
    if (typeof value === 'string') headers[name] = value.trimEnd()
    else if (value) headers[name] = value.map((each) => each.trimEnd())
  }
  return headers
}
