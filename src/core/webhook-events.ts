import type { JsonValue } from './json.ts'

/** What each refusal of a delivery answers; 401 is all that concerns who sent it. */
export const REJECTIONS = {
  no_signature: 401,
  unknown_scheme: 401,
  malformed_header: 401,
  /** A wrong secret and an altered body cannot be distinguished. */
  signature_mismatch: 401,
  stale: 401,
  future: 401,
  wrong_method: 405,
  wrong_path: 404,
  encoded_body: 415,
  too_large: 413,
  too_slow: 408,
  malformed_request: 400,
} as const satisfies Record<string, number>

export type RejectionReason = keyof typeof REJECTIONS

export const SCHEME_NAMES = ['standard-webhooks', 'svix', 'stripe', 'github'] as const

export type SchemeName = (typeof SCHEME_NAMES)[number]

/** Bytes are kept as text only where that loses nothing: JSON as it was written, else UTF-8, else the bytes. */
export type EventBody =
  | { readonly type: 'json'; readonly text: string; readonly value: JsonValue }
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'bytes'; readonly bytes: Buffer }

/** A delivery as it came: what is kept, forwarded and sent again. */
export interface Delivery {
  /** Where it was received: the address of the listener, with the query that was sent. */
  readonly url: string
  /** As sent, in their order, without those that belong to the connection. */
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly bytes: Buffer
}

export interface ReceivedEvent {
  readonly type: 'event'
  /** The same for every try and replay of it; undefined where the sender names none. */
  readonly id: string | undefined
  /** `contact.created`, as the sender has it. */
  readonly name: string | undefined
  readonly recordId: string | undefined
  readonly receivedAtMs: number
  readonly isVerified: boolean
  /** One of this id came before: it is among the last that the log holds. */
  readonly isDuplicate: boolean
  /** Undefined when it is not signed in a way that is known. */
  readonly scheme: SchemeName | undefined
  /** Whose secrets it was verified with; undefined when they came from a file. */
  readonly subscriptionId: string | undefined
  readonly body: EventBody
  readonly delivery: Delivery
}

export interface RejectedRequest {
  readonly type: 'rejected'
  readonly reason: RejectionReason
  readonly status: number
  /** What was expected and what came; holds no value that could be a secret. */
  readonly detail: string
  readonly receivedAtMs: number
  /** Undefined, as is the path, when it never became a request. The path is without its query. */
  readonly method: string | undefined
  readonly path: string | undefined
  /** Names alone. */
  readonly headerNames: readonly string[]
}

export type Received = ReceivedEvent | RejectedRequest

/** What the sender of an event is told. */
export interface Answer {
  readonly status: number
  readonly retryAfter: string | undefined
}

/** One attempt to forward an event. */
export interface ForwardResult {
  /** To a URL, or to a command. */
  readonly type: 'forwarded' | 'executed'
  readonly id: string | undefined
  readonly name: string | undefined
  /** When the forwarded event was received: a repeated one has the same id. */
  readonly receivedAtMs: number
  /** The URL, or the command as it was typed. */
  readonly target: string
  readonly startedAtMs: number
  readonly tookMs: number
  /** From 1; more than one only where tries are made again here. */
  readonly attempt: number
  /** The HTTP status, or the exit code; undefined when there was none. */
  readonly status: number | undefined
  /** Why it was no success. */
  readonly failure: string | undefined
  /** When it is tried again from here; undefined when it is not. */
  readonly retryInMs: number | undefined
  /** The beginning of what was answered, where that is asked for. */
  readonly response: string | undefined
}

/** An event was answered as `--simulate` says. */
export interface Simulation {
  readonly type: 'simulated'
  readonly id: string | undefined
  readonly name: string | undefined
  readonly atMs: number
  readonly status: number
  readonly delayMs: number
}

/** What `crm listen` reports. */
export type ListenEvent = Received | ForwardResult | Simulation
