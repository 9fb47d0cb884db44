import { type JsonObject, type JsonValue, parseExactJson } from '../core/json.ts'

// Web Crypto, TextEncoder and nothing of Node: this file also runs in workers, Deno and Bun.

/** Why a request is refused; the same words as those of `crm listen`. */
export type SignatureReason =
  | 'no_signature'
  | 'malformed_header'
  | 'signature_mismatch'
  | 'stale'
  | 'future'
  | 'malformed_request'

/** A request that is not genuine. Its message quotes nothing of the request. */
export class SignatureError extends Error {
  override readonly name = 'SignatureError'
  readonly code = 'invalid_signature'
  readonly reason: SignatureReason

  constructor(reason: SignatureReason, message: string) {
    super(message)
    this.reason = reason
  }
}

export interface WebhookEvent {
  /** Such as `contact.created`. */
  readonly type: string
  /** RFC 3339, of the change. */
  readonly timestamp: string
  /** The record. */
  readonly data: JsonObject
  /** Of an update: the values that it changed. */
  readonly previous?: JsonObject
}

/** A `Request` of Fetch has such headers; so has a request of Node's http, Express and Fastify. */
export type WebhookHeaders =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>

export interface VerifyOptions {
  /** How old or how far ahead a request may be; 300 unless given. */
  readonly toleranceSeconds?: number
  /** Undefined: the clock of this machine. */
  readonly nowMs?: number
}

const MOST_SIGNATURES = 16

/**
 * The event of a request that was signed with one of the secrets (Standard Webhooks 1.0). `body` is the body as received: decoding and
 * encoding it again may change what was signed. Throws a SignatureError, and a TypeError for arguments of the program that are wrong.
 */
export async function verifyWebhook(
  body: string | Uint8Array | ArrayBuffer,
  headers: WebhookHeaders,
  secrets: string | readonly string[],
  { toleranceSeconds = 300, nowMs = Date.now() }: VerifyOptions = {},
): Promise<WebhookEvent> {
  const bytes = bytesOf(body)
  const keys = await Promise.all([secrets].flat().map(keyOf))
  if (keys.length === 0) throw new TypeError('no secret is given, expected one that begins with whsec_')
  const { id, timestamp, signatures } = readClaim(headers)
  const signed = joined(latin1(`${id}.${timestamp}.`), bytes)
  // Web Crypto compares in constant time.
  const checks = keys.flatMap((key) => signatures.map((each) => crypto.subtle.verify('HMAC', key, each, signed)))
  if (!(await Promise.all(checks)).includes(true)) {
    throw new SignatureError('signature_mismatch', 'signed with another secret, or the body was changed in transit')
  }
  refuseOldOrFuture(Math.floor(nowMs / 1000) - Number(timestamp), toleranceSeconds)
  return readEvent(bytes)
}

interface Claim {
  readonly id: string
  readonly timestamp: string
  readonly signatures: readonly Uint8Array<ArrayBuffer>[]
}

function readClaim(headers: WebhookHeaders): Claim {
  const [id, timestamp, signature] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) =>
    headerOf(headers, name),
  ) as [string, string, string]
  if (id + timestamp + signature === '')
    throw new SignatureError('no_signature', 'the request has no webhook-signature')
  // The signed text is id.timestamp.body: with a dot, the end of the id could be read as the timestamp.
  if (id === '' || id.includes('.') || signature === '' || !/^\d{1,12}$/.test(timestamp)) {
    const what = 'webhook-id, webhook-timestamp or webhook-signature is missing or malformed'
    throw new SignatureError('malformed_header', what)
  }
  const texts = signature.split(' ').filter((each) => each.startsWith('v1,'))
  if (texts.length > MOST_SIGNATURES) {
    throw new SignatureError('malformed_header', `${texts.length} signatures, expected at most ${MOST_SIGNATURES}`)
  }
  return { id, timestamp, signatures: texts.flatMap((each) => decoded(each.slice('v1,'.length)) ?? []) }
}

/** Empty if it is missing. One that was sent twice could be read differently by others. */
function headerOf(headers: WebhookHeaders, name: string): string {
  if (typeof headers.get === 'function') return headers.get(name) ?? ''
  const values = Object.entries(headers).flatMap(([key, value]) =>
    key.toLowerCase() === name && value !== undefined ? [value].flat() : [],
  )
  if (values.length > 1) throw new SignatureError('malformed_header', `${name} was sent ${values.length} times`)
  return String(values[0] ?? '')
}

function refuseOldOrFuture(ageSeconds: number, toleranceSeconds: number): void {
  if (ageSeconds > toleranceSeconds) {
    throw new SignatureError('stale', `signed ${ageSeconds} s ago, expected ${toleranceSeconds} s at most`)
  }
  if (-ageSeconds > toleranceSeconds) {
    throw new SignatureError('future', `signed ${-ageSeconds} s ahead of the clock of this machine`)
  }
}

type Key = Awaited<ReturnType<typeof crypto.subtle.importKey>>

async function keyOf(secret: string): Promise<Key> {
  const isText = typeof secret === 'string'
  const bytes = isText ? decoded(secret.replace(/^whsec_/, '')) : undefined
  if (!bytes?.length) throw new TypeError('the secret is not base64 after whsec_')
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify'])
}

/** Undefined for what is not base64. */
function decoded(base64: string): Uint8Array<ArrayBuffer> | undefined {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(base64)) return undefined
  try {
    return latin1(atob(base64))
  } catch {
    return undefined
  }
}

/** Headers are decoded as latin1, which this reverses. */
function latin1(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(text, (char) => char.charCodeAt(0))
}

function bytesOf(body: string | Uint8Array | ArrayBuffer): Uint8Array {
  if (typeof body === 'string') return new TextEncoder().encode(body)
  if (body instanceof Uint8Array) return body
  if (body instanceof ArrayBuffer) return new Uint8Array(body)
  throw new TypeError('the body is not bytes; pass the body as it was received, before it is parsed')
}

function joined(head: Uint8Array, body: Uint8Array): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(head.length + body.length)
  all.set(head)
  all.set(body, head.length)
  return all
}

function readEvent(bytes: Uint8Array): WebhookEvent {
  let event: JsonValue | undefined
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    // Runtimes with JSON.rawJSON keep the digits of numbers that no double holds.
    event = 'rawJSON' in JSON ? parseExactJson(text) : JSON.parse(text)
  } catch {
    event = undefined
  }
  const { type, timestamp, data } = (event ?? {}) as Partial<WebhookEvent>
  if (typeof type === 'string' && typeof timestamp === 'string' && typeof data === 'object' && data !== null) {
    return event as unknown as WebhookEvent
  }
  throw new SignatureError('malformed_request', 'the signature is genuine, and the body is no event')
}
