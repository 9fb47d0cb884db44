import type { Env } from '../core/streams.ts'
import type { AccessTokens } from './access-tokens.ts'
import type { Connector } from './connectors/connector.ts'
import type { Ceilings } from './limits/ceiling.ts'
import type { ServerTerms } from './server-terms.ts'

export interface Notice {
  /** The server that the notice is about. */
  readonly host: string
  readonly text: string
}

export interface ApiOptions {
  readonly baseUrl: URL
  readonly key: string
  /** In place of the key, of which the first token is one; undefined: the key does not change. */
  readonly tokens?: AccessTokens | undefined
  readonly terms: ServerTerms
  /** How the server speaks. */
  readonly connector: Connector
  /** The limits that the connector states, for all requests of this process. */
  readonly ceilings?: Ceilings | undefined
  /** The timeout of one request. */
  readonly timeoutMs: number
  /** The maximum total wait for rate limits and outages. */
  readonly maxWaitMs: number
  readonly userAgent: string
  readonly signal: AbortSignal
  readonly now: () => number
  /** Receives a line for each request and wait, without secrets (`--debug`). */
  readonly debug: ((line: string) => void) | undefined
  /** Called once when a noticeable wait begins, with its length and reason. */
  readonly onWait: ((waitMs: number, reason: string) => void) | undefined
  /** Called once if the server announces deprecation or removal (RFC 9745, RFC 8594). */
  readonly onNotice?: ((notice: Notice) => Promise<void>) | undefined
  /** Called if the server answers a write with the kept result of an earlier request with the same idempotency key. */
  readonly onReplay?: ((action: string) => void) | undefined
  /** Called if a record was written, but cannot be shown: `contact 5 was created`, with the reason. */
  readonly onUnread?: ((write: { readonly done: string; readonly reason: string }) => void) | undefined
  /** For hints: how to get a valid key, if more is known than the address. */
  readonly loginHint?: string | undefined
  /** For hints: the database that `crm serve` last used at this address. */
  readonly serveDatabase?: string | undefined
  /** The number of requests that go over node:http before undici is loaded; the one that pays without it. */
  readonly requestsBeforeUndici?: number | undefined
  /** Read for HTTPS_PROXY, NO_PROXY and SSL_CERT_FILE only; without it, none of them applies. */
  readonly env?: Env | undefined
}
