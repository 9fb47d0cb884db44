import type { JsonValue } from './json.ts'

/** What each refusal of a delivery answers; 401 is all that concerns who sent it. */
export const REJECTIONS = {
  no_signature: 401,
  unknown_scheme: 401,
  malformed_header: 401,
  /** A wrong secret and an altered body look the same: nobody can tell which it was. */
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

export type SchemeName = 'standard-webhooks' | 'svix' | 'stripe' | 'github'

/** Bytes are kept as text only where that loses nothing: JSON as it was written, else UTF-8, else the bytes. */
export type EventBody =
  | { readonly type: 'json'; readonly text: string; readonly value: JsonValue }
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'bytes'; readonly bytes: Buffer }

export interface ReceivedEvent {
  readonly type: 'event'
  /** The same for every try and replay of it; undefined where the sender names none. */
  readonly id: string | undefined
  /** `contact.created`, as the sender has it. */
  readonly name: string | undefined
  readonly recordId: string | undefined
  readonly receivedAtMs: number
  readonly isVerified: boolean
  /** One of this id came before, while this receiver has been running. */
  readonly isDuplicate: boolean
  /** Undefined when it is not signed in a way that is known. */
  readonly scheme: SchemeName | undefined
  readonly body: EventBody
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

export type Arrival = ReceivedEvent | RejectedRequest
