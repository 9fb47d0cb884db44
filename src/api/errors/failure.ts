import type { IncomingHttpHeaders } from 'node:http'
import type { ErrorCode, Repeat } from '../../core/errors.ts'
import type { Answer } from '../transport/answer.ts'

/** `few`: an outage, given up soon unless the server says when to come back; `patient`: the server asked for patience. */
export type RetryRule = 'never' | 'few' | 'patient'

/** What became of one try that did not succeed. */
export interface Failure {
  readonly code: ErrorCode
  /** A clause without a full stop, for "cannot ...: <reason>". */
  readonly reason: string
  readonly hint: string
  readonly rule: RetryRule
  /** How the same call may succeed, where the hint says no more than that. */
  readonly repeat?: Repeat
  /** Whether the server may have done what was asked. */
  readonly isInDoubt: boolean
  readonly status?: number
  readonly requestId?: string
  readonly retryAfterMs?: number
  /** What the server itself calls it, such as `idempotency_key_reused`. */
  readonly serverCode?: string
  /** The member of the record that the server finds wrong, where it names one. */
  readonly field?: string
  /** Of the answer, where there was one. */
  readonly headers?: IncomingHttpHeaders
  readonly body?: Buffer
  readonly cause?: unknown
}

export function isFailure(outcome: Answer | Failure): outcome is Failure {
  return 'rule' in outcome
}

/** What a failure of the network or of TLS means, before it is known what the call was. */
export type Explanation = Pick<Failure, 'code' | 'rule' | 'reason' | 'hint' | 'repeat'>

/** Where a connection went: `127.0.0.1:4000`, and the address it comes from. */
export interface Place {
  readonly name: string
  readonly url: URL
  /** The database that `crm serve` had last there. */
  readonly serveDatabase?: string | undefined
}

export const ADDRESS_HINT = 'crm doctor shows the address in use, and what answers there'

/** The record does not exist; 410: not any more (RFC 9110, 15.5.11). */
export function isGoneStatus(status: number | undefined): boolean {
  return status === 404 || status === 410
}
