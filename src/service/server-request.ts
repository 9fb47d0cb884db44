import type { IncomingMessage, ServerResponse } from 'node:http'
import { parse } from 'node:querystring'
import { type Problem, requestId } from './problem.ts'
import { clientAddress, ownUrl, type Proxies } from './proxies.ts'
import type { AuditedAction, Route } from './route.ts'
import type { ApiKey } from './store/store.ts'

/** A request and what becomes known of it until its response is sent. */
export interface ServerRequest {
  readonly raw: IncomingMessage
  readonly response: ServerResponse
  /** Repeated in the response and in the log. */
  readonly id: string
  readonly startMs: number
  /** Path and query within the service, as sent. */
  readonly url: string
  readonly path: string
  /** A list where a parameter was sent more than once. */
  readonly query: Readonly<Record<string, string | string[] | undefined>>
  /** Of the response, whatever the reply is. */
  readonly headers: Record<string, string>
  /** Of the client; undefined once the connection is closed. */
  readonly address: string | undefined
  /** Undefined where nothing has the path and the method. */
  route: Route | undefined
  /** The key it was sent with, accepted or not; undefined when none is needed or the key is unknown. */
  key: ApiKey | undefined
  /** The actions of the reply; undefined when method and path describe the action. */
  actions: readonly AuditedAction[] | undefined
  /** Of the response; undefined before it. */
  status: number | undefined
  /** Of the body of the response. */
  sizeBytes: number
  /** What the system has taken of it, when not all. */
  sentBytes: number
  /** An injected reset, instead of the response. */
  reset: 'before' | 'after' | undefined
  /** Bytes in its body that are no HTTP. */
  fault: Problem | undefined
  /** Called with `fault` once that is set. */
  onFault: ((fault: Problem) => void) | undefined
}

const NO_QUERY: ServerRequest['query'] = Object.freeze({})

export function openRequest(raw: IncomingMessage, response: ServerResponse, proxies: Proxies): ServerRequest {
  const url = ownUrl(originForm(raw.url ?? '/'), proxies)
  const end = url.search(/[?#]/)
  return {
    raw,
    response,
    id: requestId(raw.headers['x-request-id']),
    startMs: performance.now(),
    url,
    path: end < 0 ? url : url.slice(0, end),
    // 0: every parameter, so that none escapes the check of their names.
    query: end < 0 ? NO_QUERY : parse(url.slice(end + 1), '&', '=', { maxKeys: 0 }),
    // Node drops the bytes that came with a request for an upgrade that is not followed: requests would be lost.
    headers: raw.headers.upgrade === undefined ? {} : { connection: 'close' },
    address: clientAddress(raw, proxies),
    route: undefined,
    key: undefined,
    actions: undefined,
    status: undefined,
    sizeBytes: 0,
    sentBytes: 0,
    reset: undefined,
    fault: undefined,
    onFault: undefined,
  }
}

/** Clients of proxies send the whole address (RFC 9112 section 3.2.2). */
function originForm(target: string): string {
  return target.startsWith('/') ? target : target.replace(/^https?:\/\/[^/?#]*(?=\/)/i, '')
}
