import type { IncomingMessage } from 'node:http'
import type { ReceivedEvent, RejectedRequest } from '../core/webhook-events.ts'
import { readEvent } from './read-event.ts'
import { Rejection } from './rejection.ts'
import { findScheme } from './schemes.ts'
import { type Secret, verify } from './verify.ts'

/** Senders retry for days, but most duplicates arrive within minutes. This is about 10 MB of ids. */
export const MAX_SEEN_IDS = 100_000

export const MAX_BODY_BYTES = 1024 * 1024

/** Times the limit are read and discarded, so that a client slightly over it receives the response instead of a reset connection. */
const DISCARDED = 8

export interface Trust {
  /** Newest first. `unverified` accepts every request and marks each event. */
  readonly secrets: readonly Secret[] | 'unverified'
  /** The subscription of the secrets, where known. */
  readonly subscriptionId: string | undefined
  readonly seenIds: SeenIds
}

export interface ReceiveOptions {
  readonly origin: string
  readonly path: string
  readonly bodyMs: number
  readonly maxBodyBytes: number
  readonly trust: Trust
  readonly now: () => number
}

/** The event of a request. Throws a Rejection; only ids of verified events are remembered. */
export async function receive(request: IncomingMessage, options: ReceiveOptions): Promise<ReceivedEvent> {
  const { origin, path, now } = options
  // RFC 9112 section 3.2.
  if (Number(request.headersDistinct.host?.length) > 1)
    throw new Rejection('malformed_request', 'Host was sent more than once')
  const { secrets, subscriptionId, seenIds } = options.trust
  if (pathOf(request) !== path) throw new Rejection('wrong_path', `expected ${path}`)
  if (request.method !== 'POST') throw new Rejection('wrong_method', 'expected POST')
  const bytes = await readBody(request, options)
  const receivedAtMs = now()
  const headers = request.headersDistinct
  const isVerified = secrets !== 'unverified'
  const scheme = isVerified ? verify({ headers, body: bytes }, secrets, receivedAtMs) : findScheme(headers)
  const { body, facts } = readEvent(bytes)
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

/** The facts needed to find the cause of a rejection, without header values and body. */
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

/** The received bytes, chunked or not. Throws a Rejection; the connection may then hold unread bytes. */
async function readBody(
  request: IncomingMessage,
  { bodyMs: timeoutMs, maxBodyBytes }: Pick<ReceiveOptions, 'bodyMs' | 'maxBodyBytes'>,
): Promise<Buffer> {
  const encoding = request.headers['content-encoding']
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    throw new Rejection('encoded_body', 'the body is compressed; expected the bytes that were signed')
  }
  if (Number(request.headers['content-length'] ?? 0) > DISCARDED * maxBodyBytes) throw tooLarge(maxBodyBytes)
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
  const timer = setTimeout(() => reject(tooSlow(timeoutMs)), timeoutMs)
  const chunks: Buffer[] = []
  let sizeBytes = 0
  request.on('data', (chunk: Buffer) => {
    sizeBytes += chunk.length
    if (sizeBytes <= maxBodyBytes) chunks.push(chunk)
    else chunks.length = 0
    if (sizeBytes > DISCARDED * maxBodyBytes) reject(tooLarge(maxBodyBytes))
  })
  request.on('end', () => (sizeBytes > maxBodyBytes ? reject(tooLarge(maxBodyBytes)) : resolve(Buffer.concat(chunks))))
  // A 'close' event follows every error; errors after the end are ignored.
  request.on('error', () => {})
  request.on('close', () => {
    if (!request.readableEnded) reject(new Rejection('malformed_request', 'the connection ended inside the body'))
  })
  return await promise.finally(() => clearTimeout(timer))
}

function tooLarge(maxBodyBytes: number): Rejection {
  return new Rejection('too_large', `the body is over ${maxBodyBytes} bytes; --max-body accepts larger ones`)
}

function tooSlow(timeoutMs: number): Rejection {
  return new Rejection('too_slow', `the body did not arrive within ${timeoutMs / 1000} s`)
}

interface SeenIds {
  /** Adds the id. Returns whether it was known. */
  add(id: string): boolean
}

/** Remembers the last `maxIds` ids; those in `known` are the oldest. */
export function createSeenIds(known: readonly string[] = [], maxIds: number = MAX_SEEN_IDS): SeenIds {
  const ids = new Set(known)
  // A Set finds its oldest member only by skipping the slots of all deleted members.
  const ring = [...ids]
  let oldestAt = 0
  return {
    add(id) {
      if (ids.has(id)) return true
      ids.add(id)
      if (ring.length < maxIds) {
        ring.push(id)
        return false
      }
      ids.delete(ring[oldestAt] ?? '')
      ring[oldestAt] = id
      oldestAt = (oldestAt + 1) % maxIds
      return false
    },
  }
}

/** Headers of one connection (RFC 9110, 7.6.1), and headers that every sender sets itself. */
const OF_CONNECTION = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/** The end-to-end headers in `rawHeaders` of node:http. */
function endToEndHeaders(rawHeaders: readonly string[]): readonly (readonly [string, string])[] {
  const headers: [string, string][] = []
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) headers.push([rawHeaders[at] ?? '', rawHeaders[at + 1] ?? ''])
  const named = headers.filter(([name]) => name.toLowerCase() === 'connection').flatMap(([, value]) => value.split(','))
  const others = named.map((name) => name.trim().toLowerCase())
  return headers.filter(([name]) => {
    const known = name.toLowerCase()
    return !OF_CONNECTION.has(known) && !others.includes(known)
  })
}
