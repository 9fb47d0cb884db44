import type { JsonObject, JsonValue } from './json.ts'
import {
  type OpenResource,
  RECORD_RESOURCES,
  type RecordResource,
  type ServiceOperationOf,
  serviceOperationsOf,
} from './resources/registry.ts'

/** The HTTP status for each reason to reject a delivery; 401 for all reasons that concern its sender. */
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

/** A body is kept as text only when that loses nothing: JSON as written, else UTF-8, else the bytes. */
export type EventBody =
  | { readonly type: 'json'; readonly text: string; readonly value: JsonValue }
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'bytes'; readonly bytes: Buffer }

/** A delivery as it was received. The event log stores it unchanged, so that it can be forwarded and replayed. */
export interface Delivery {
  /** The address at which it was received, with the query of the request. */
  readonly url: string
  /** As sent, in order, without headers of the connection. */
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly bytes: Buffer
}

export interface ReceivedEvent {
  readonly type: 'event'
  /** The same for every attempt and replay; undefined when the sender states none. */
  readonly id: string | undefined
  /** `contact.created`, as stated by the sender. */
  readonly name: string | undefined
  readonly recordId: string | undefined
  readonly receivedAtMs: number
  readonly isVerified: boolean
  /** An event with this id was received before, and is among the latest in the log. */
  readonly isDuplicate: boolean
  /** Undefined when it is not signed by a known scheme. */
  readonly scheme: SchemeName | undefined
  /** The subscription whose secrets verified it; undefined when the secrets are from a file. */
  readonly subscriptionId: string | undefined
  readonly body: EventBody
  readonly delivery: Delivery
}

export interface RejectedRequest {
  readonly type: 'rejected'
  readonly reason: RejectionReason
  readonly status: number
  /** The expected and the received value; never one that could be a secret. */
  readonly detail: string
  readonly receivedAtMs: number
  /** Undefined, like the path, when the bytes were not an HTTP request. The path excludes the query. */
  readonly method: string | undefined
  readonly path: string | undefined
  /** Names only, without values. */
  readonly headerNames: readonly string[]
}

export type Received = ReceivedEvent | RejectedRequest

/** The response to the sender of an event. */
export interface DeliveryResponse {
  readonly status: number
  readonly retryAfter: string | undefined
}

/** One attempt to forward an event. */
export interface ForwardResult {
  /** To a URL, or to a command. */
  readonly type: 'forwarded' | 'executed'
  readonly id: string | undefined
  readonly name: string | undefined
  /** When the forwarded event was received; distinguishes repeated events, which have the same id. */
  readonly receivedAtMs: number
  /** The URL, or the command as typed. */
  readonly target: string
  readonly startedAtMs: number
  readonly tookMs: number
  /** From 1; above 1 only when crm itself retries. */
  readonly attempt: number
  /** The HTTP status or the exit code; undefined without one. */
  readonly status: number | undefined
  /** Why the attempt failed. */
  readonly failure: string | undefined
  /** When crm retries it; undefined when it does not. */
  readonly retryInMs: number | undefined
  /** The beginning of the response, when requested. */
  readonly response: string | undefined
}

/** What became of an event that was passed to targets, by the attempts that are kept. */
export interface EventOutcome {
  readonly state: 'done' | 'failed'
  /** The HTTP status or the exit code of the attempt that decided; undefined without one. */
  readonly status: number | undefined
  readonly failure: string | undefined
}

/** An event of the log. */
export interface LoggedEvent extends ReceivedEvent {
  /** Undefined when it was passed to no target. */
  readonly outcome: EventOutcome | undefined
}

/** An event that was answered by `--simulate`. */
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

const HAPPENED = { create: 'created', update: 'updated', delete: 'deleted' } as const

type Happened = typeof HAPPENED

type KindOf<R extends RecordResource> = R extends OpenResource
  ? `${R}.${Happened[keyof Happened]}`
  : `${R}.${Happened[ServiceOperationOf<R> & keyof Happened]}`

export type EventKind = { [R in RecordResource]: KindOf<R> }[RecordResource] | 'webhook.test'

/** Every kind that the service emits: one for each of its writes of records. */
export function eventKinds(): readonly EventKind[] {
  const ofRecords = RECORD_RESOURCES.flatMap((resource) =>
    serviceOperationsOf(resource).flatMap((operation) =>
      operation in HAPPENED ? [`${resource}.${HAPPENED[operation as keyof Happened]}` as EventKind] : [],
    ),
  )
  return [...ofRecords, 'webhook.test']
}

/** What a subscription can list: a kind, all kinds of a resource (`contact.*`), or all. */
export function eventPatterns(): readonly string[] {
  const kinds = eventKinds()
  return [...kinds, ...new Set(kinds.map((kind) => kind.replace(/\..*/, '.*'))), '*']
}

/** A pattern is a kind, `*`, or a resource followed by `.*`. */
export function matchesEvent(pattern: string, kind: string): boolean {
  if (pattern === '*' || pattern === kind) return true
  return pattern.endsWith('.*') && kind.startsWith(pattern.slice(0, -1))
}

/** Whether a pattern can match an existing kind, so that a misspelt one is rejected. */
export function isEventPattern(pattern: string): boolean {
  return eventKinds().some((kind) => matchesEvent(pattern, kind))
}

/** Whether the delivery was given up, or its last attempt failed. */
export function isFailing({ state, last_status: status, last_error: error }: JsonObject): boolean {
  if (state === 'failed') return true
  if (state === 'succeeded') return false
  return (typeof status === 'number' && (status < 200 || status > 299)) || (error !== null && error !== undefined)
}
