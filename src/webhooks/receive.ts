import type { IncomingMessage } from 'node:http'
import type { ReceivedEvent, RejectedRequest } from '../core/arrivals.ts'
import { readBody } from './read-body.ts'
import { readEventBody, readEventFacts } from './read-event.ts'
import { Rejection } from './rejection.ts'
import { findScheme } from './schemes.ts'
import type { SeenIds } from './seen-ids.ts'
import { verify } from './verify.ts'

/** Texts of secrets, newest first; `unverified` takes everything and says so of each event. */
export type Trust = readonly string[] | 'unverified'

export interface ReceiveOptions {
  readonly path: string
  readonly bodyMs: number
  readonly trust: Trust
  readonly seenIds: SeenIds
  readonly now: () => number
}

/** The event that the request carries. Throws a Rejection; only what is verified is remembered as seen. */
export async function receive(request: IncomingMessage, options: ReceiveOptions): Promise<ReceivedEvent> {
  const { path, bodyMs, trust, seenIds, now } = options
  if (pathOf(request) !== path) throw new Rejection('wrong_path', `expected ${path}`)
  if (request.method !== 'POST') throw new Rejection('wrong_method', 'expected POST')
  const bytes = await readBody(request, bodyMs)
  const receivedAtMs = now()
  const headers = request.headersDistinct
  const isVerified = trust !== 'unverified'
  const scheme = isVerified ? verify({ headers, body: bytes }, trust, receivedAtMs) : findScheme(headers)
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
    body,
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
