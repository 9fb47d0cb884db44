import type { Env } from '../core/streams.ts'
import type { Wire } from '../core/wire.ts'
import type { GraphqlMemory } from './graphql/graphql-api.ts'

export interface Notice {
  /** The server that is spoken of. */
  readonly host: string
  readonly text: string
}

export interface ApiOptions {
  readonly baseUrl: URL
  readonly key: string
  readonly wire: Wire
  /** Longest life of one request. */
  readonly timeoutMs: number
  /** Longest time spent waiting, all in all, for rate limits and outages. */
  readonly maxWaitMs: number
  readonly userAgent: string
  readonly signal: AbortSignal
  readonly now: () => number
  /** A line about each request and wait, without secrets, for `--debug`; undefined without a listener. */
  readonly debug: ((line: string) => void) | undefined
  /** Told once when a wait begins that a person would notice: how long, and why. */
  readonly onWait: ((waitMs: number, reason: string) => void) | undefined
  /** Told once that a server means to take away what was asked for (RFC 9745, RFC 8594). */
  readonly onNotice?: ((notice: Notice) => Promise<void>) | undefined
  /** Told that a write was answered with what an earlier request under its idempotency key had done. */
  readonly onReplay?: ((action: string) => void) | undefined
  /** For hints: what leads to a key that is taken, where more is known than the address. */
  readonly loginHint?: string | undefined
  /** For hints: the database that `crm serve` had last at this address. */
  readonly serveDatabase?: string | undefined
  /** Of what was found out about the server's GraphQL; without it that is found out anew each time. */
  readonly memory?: GraphqlMemory | undefined
  /** For HTTPS_PROXY, NO_PROXY and SSL_CERT_FILE, and nothing else; without it none of them applies. */
  readonly env?: Env | undefined
}
