import type { IncomingHttpHeaders } from 'node:http'
import type { Method } from './call.ts'

export const MAX_ANSWER_BYTES = 64 * 1024 * 1024

/** Replaces a truncated body. Not in decode.ts, which is loaded on first use. */
export const CUT = 'the compressed answer is truncated'

export interface Outgoing {
  readonly method: Method
  readonly path: string
  /** Alternating names and values, without Host and those of the connection and the length. */
  readonly headers: string[]
  readonly body: Buffer | null
}

export interface Reply {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
  /** A redirect back to the path without the trailing slash, or with it, after one the other way was followed. */
  readonly isSlashLoop?: true
}

export interface ExchangeLimits {
  /** For connect, headers and body together. */
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

/** The reason why there is no reply. `isSent`: the server may have seen the request. */
export class NoReply extends Error {
  override readonly name = 'NoReply'
  readonly type: 'timeout' | 'interrupted' | 'network'
  readonly isSent: boolean

  constructor(type: NoReply['type'], isSent: boolean, cause: unknown) {
    super(type, { cause })
    this.type = type
    this.isSent = isSent
  }
}

/** Requests to one origin over connections that are kept, and to no other. */
export interface HttpTransport {
  /** One request and its whole reply, or a NoReply. */
  exchange(outgoing: Outgoing, limits: ExchangeLimits): Promise<Reply>
  /** Gives up requests that were not sent, and resolves when those that were have ended. */
  close(): Promise<void>
  /** Cuts the requests that run. */
  destroy(): void
}
