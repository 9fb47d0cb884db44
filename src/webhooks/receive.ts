import type { IncomingMessage } from 'node:http'
import type { ReceivedEvent, RejectedRequest } from '../core/webhook-events.ts'
import { endToEndHeaders } from './headers.ts'
import { readBody } from './read-body.ts'
import { readEventBody, readEventFacts } from './read-event.ts'
import { Rejection } from './rejection.ts'
import { findScheme } from './schemes.ts'
import type { SeenIds } from './seen-ids.ts'
import { type Secret, verify } from './verify.ts'

export interface Trust {
  /** Newest first; `unverified` takes everything and says so of each event. */
  readonly secrets: readonly Secret[] | 'unverified'
  /** The subscription that they belong to, where it is known. */
  readonly subscriptionId: string | undefined
  readonly seenIds: SeenIds
}

export interface ReceiveOptions {
  readonly origin: string
  readonly path: string
  readonly bodyMs: number
  readonly trust: Trust
  readonly now: () => number
}

/** The event that the request carries. Throws a Rejection; only what is verified is remembered as seen. */
export async function receive(request: IncomingMessage, options: ReceiveOptions): Promise<ReceivedEvent> {
  const { origin, path, bodyMs, now } = options
  // RFC 9112 section 3.2.
  if (Number(request.headersDistinct.host?.length) > 1)
    throw new Rejection('malformed_request', 'Host was sent more than once')
  const { secrets, subscriptionId, seenIds } = options.trust
  if (pathOf(request) !== path) throw new Rejection('wrong_path', `expected ${path}`)
  if (request.method !== 'POST') throw new Rejection('wrong_method', 'expected POST')
  const bytes = await readBody(request, bodyMs)
  const receivedAtMs = now()
  const headers = request.headersDistinct
  const isVerified = secrets !== 'unverified'
  const scheme = isVerified ? verify({ headers, body: bytes }, secrets, receivedAtMs) : findScheme(headers)
  const body = readEventBody(bytes)
  const facts = readEventFacts(body)
  const header = (name: string | undefined): string | undefined => (name ? headers[name]?.[0] : undefined)
  const id = header(scheme?.idHeader) ?? facts.id
  return {
    type: 'event',
    id,
    name: header(scheme?.eventHeader) ?? facts.name,
    recordId: facts.recordId,
    receivedAtMs,
    isVerified,
    isDuplicate: id !== undefined && seenIds.add(id),
    scheme: scheme?.name,
    subscriptionId,
    body,
    delivery: { url: `${origin}${request.url}`, headers: endToEndHeaders(request.rawHeaders), bytes },
  }
}

/** What a person needs to find out why it was refused, and nothing of what it carried. */
export function describeRejected(
  { reason, status, message }: Rejection,
  request: IncomingMessage | undefined,
  receivedAtMs: number,
): RejectedRequest {
  return {
    type: 'rejected',
    reason,
    status,
    detail: message,
    receivedAtMs,
    method: request?.method,
    path: request && pathOf(request),
    headerNames: Object.keys(request?.headers ?? {}),
  }
}

export function pathOf({ url = '' }: IncomingMessage): string {
  return url.split('?', 1)[0] ?? ''
}
