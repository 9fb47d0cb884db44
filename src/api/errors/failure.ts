import type { IncomingHttpHeaders } from 'node:http'
import type { ErrorCode, Repeat } from '../../core/errors.ts'
import type { Answer } from '../transport/answer.ts'

/** `few`: an outage, retried a few times unless the server states a time; `patient`: retried until the maximum wait. */
export type RetryRule = 'never' | 'few' | 'patient'

/** A try that did not succeed. */
export interface Failure {
  readonly code: ErrorCode
  /** A clause without a full stop, for "cannot ...: <reason>". */
  readonly reason: string
  readonly hint: string
  readonly rule: RetryRule
  /** How to repeat the call, if the hint says no more than that. */
  readonly repeat?: Repeat
  /** Whether the server may have applied the request. */
  readonly isInDoubt: boolean
  readonly status?: number
  readonly requestId?: string
  readonly retryAfterMs?: number
  /** The error code of the server, such as `idempotency_key_reused`. */
  readonly serverCode?: string
  /** The member of the record that the error is about, if the server names one. */
  readonly field?: string
  /** The headers of the answer, if there was one. */
  readonly headers?: IncomingHttpHeaders
  readonly body?: Buffer
  readonly cause?: unknown
}

export function isFailure(outcome: Answer | Failure): outcome is Failure {
  return 'rule' in outcome
}

/** The meaning of a network or TLS failure, independent of the call. */
export type Explanation = Pick<Failure, 'code' | 'rule' | 'reason' | 'hint' | 'repeat'>

/** The end of a connection: its name (`127.0.0.1:4000`) and the URL. */
export interface Place {
  readonly name: string
  readonly url: URL
  /** The database that `crm serve` last used at this address. */
  readonly serveDatabase?: string | undefined
}

export const ADDRESS_HINT = 'crm doctor shows the address in use, and what answers there'

/** The record does not exist (404), or no longer exists (410; RFC 9110, 15.5.11). */
export function isGoneStatus(status: number | undefined): boolean {
  return status === 404 || status === 410
}

/** The state of the record is in the way. */
export function isConflictStatus(status: number | undefined): boolean {
  return status === 409 || status === 412
}
