import type { IncomingMessage, ServerResponse } from 'node:http'
import { parse } from 'node:querystring'
import { requestId } from './problem.ts'
import { ownUrl, type Proxies } from './proxies.ts'
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
  /** Undefined where nothing has the path and the method. */
  route: Route | undefined
  /** The key it was sent with, accepted or not; undefined when none is needed or the key is unknown. */
  key: ApiKey | undefined
  /** The actions of the reply; undefined when method and path describe the action. */
  actions: readonly AuditedAction[] | undefined
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
    headers: {},
    route: undefined,
    key: undefined,
    actions: undefined,
  }
}

/** Clients of proxies send the whole address (RFC 9112 section 3.2.2). */
function originForm(target: string): string {
  return target.startsWith('/') ? target : target.replace(/^https?:\/\/[^/?#]*(?=\/)/i, '')
}
