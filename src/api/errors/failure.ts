import type { IncomingHttpHeaders } from 'node:http'
import { CrmError, type ErrorCode, type ErrorDetails, type FieldError, type Repeat } from '../../core/errors.ts'
import { baseUrlText } from '../../core/http-rules.ts'
import { isJsonObject, type JsonValue } from '../../core/json.ts'
import { shellWord } from '../../core/shell-words.ts'
import type { Answer } from '../transport/answer.ts'
import { type Call, cannot } from '../transport/call.ts'

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
  /** All members that the error is about, if the server names any. */
  readonly fields?: readonly FieldError[]
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
export interface Peer {
  readonly name: string
  readonly url: URL
  /** Whether the connector has what `crm serve` offers beside records. */
  readonly isServe?: boolean
  /** The database that `crm serve` last used at this address. */
  readonly serveDatabase?: string | undefined
  /** The profile in use. */
  readonly profile?: string | undefined
}

export const ADDRESS_HINT = 'crm doctor shows the address in use, and what answers there'

/** The hint for an answer that does not match the connector. `flags` are added to the probe command. */
export function mismatchHint(baseUrl: URL, flags = ''): string {
  const url = shellWord(baseUrlText(baseUrl))
  return `crm connectors check compares the connector with the server; for another one: crm connectors create --probe ${url}${flags} --out mycrm.yaml`
}

/** The record does not exist (404), or no longer exists (410; RFC 9110, 15.5.11). */
export function isGoneStatus(status: number | undefined): boolean {
  return status === 404 || status === 410
}

/** The state of the record is in the way. */
export function isConflictStatus(status: number | undefined): boolean {
  return status === 409 || status === 412
}

/** The result of all tries of a call. */
interface CallOutcome {
  readonly tries: number
  /** Whether any try may have taken effect. */
  readonly isInDoubt: boolean
  readonly idempotencyKey: string | undefined
  readonly keys: KeyState
}

export interface KeyState {
  /** Whether the server is known to keep idempotency keys, so that a create may be repeated with its key. */
  readonly isKept: boolean
  /** For writes in doubt: how to state that it does; undefined where that makes no sense. */
  readonly hint: string | undefined
}

/** For calls that are never in doubt. */
export const NO_KEYS: KeyState = { isKept: false, hint: undefined }

/** The rest of the command line is unknown here. */
function repeatHint({ command, recordId }: Call, idempotencyKey: string, more: string): string {
  const words = recordId === undefined ? '...' : `${shellWord(recordId)} ...`
  return `${command} ${words} --idempotency-key ${shellWord(idempotencyKey)}${more}, other arguments unchanged: the server then applies it only once`
}

/** A repetition may take effect a second time, so a person has to check. */
export function lookHint({ lookCommand, showCommand, command }: Call, { hint }: KeyState): string {
  const look = `check before sending it again: ${lookCommand ?? showCommand ?? `${command} --help`}`
  return hint === undefined ? look : `${look}; ${hint}`
}

/** With the key, only where the server is known to keep keys: elsewhere the repetition would be a second write. */
export function doubtHint(call: Call, key: string | undefined, keys: KeyState, more = ''): string {
  return keys.isKept && key !== undefined ? repeatHint(call, key, more) : lookHint(call, keys)
}

/** The error of a call that failed for good, from its last failure. */
export function callError(call: Call, failure: Failure, outcome: CallOutcome): CrmError {
  const { code, reason, status, serverCode, requestId, fields = [], retryAfterMs, repeat, cause } = failure
  const tries = outcome.tries > 1 && code !== 'interrupted' ? `, after ${outcome.tries} tries` : ''
  const doubt = outcome.isInDoubt ? '; it is unknown whether the server applied it' : ''
  const key = outcome.isInDoubt ? outcome.idempotencyKey : undefined
  const details: ErrorDetails = {
    hint: key === undefined ? failure.hint : doubtHint(call, key, outcome.keys),
    isRetryable: failure.rule !== 'never',
    ...(outcome.isInDoubt ? { isInDoubt: true } : {}),
    ...(status === undefined ? {} : { status }),
    ...(serverCode === undefined ? {} : { serverCode }),
    ...(requestId === undefined ? {} : { requestId }),
    ...(fields.length === 0 ? {} : { fields }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    ...(key === undefined ? {} : { idempotencyKey: key }),
    ...(repeat === undefined || key !== undefined ? {} : { repeat }),
    ...(cause === undefined ? {} : { cause }),
  }
  return new CrmError(code, `${cannot(call)}: ${reason}${tries}${doubt}`, details)
}

/** The error of a create that is in doubt and must not be repeated. */
export function onceError(
  call: Call,
  failure: Failure,
  { tries, keys }: Pick<CallOutcome, 'tries' | 'keys'>,
): CrmError {
  const outcome = { tries, isInDoubt: true, idempotencyKey: undefined, keys }
  const { message, code, details } = callError(call, failure, outcome)
  const { repeat: _, ...rest } = details
  return new CrmError(code === 'interrupted' ? code : 'in_doubt', message, {
    ...rest,
    hint: lookHint(call, keys),
    isRetryable: false,
  })
}

/** A clause for a record that cannot be looked up; rethrows anything but a CrmError. */
export function lookUpFailure(error: unknown): string {
  if (error instanceof CrmError) return `it cannot be looked up: ${error.message}`
  throw error
}

/** Whether a 2xx states at its top that the request was refused: `success: false`, `ok: false`, or `errors` with something in it. */
export function statesRefusal(json: JsonValue | undefined): boolean {
  if (!isJsonObject(json)) return false
  const { success, ok, errors = null } = json
  return (
    success === false ||
    ok === false ||
    (typeof errors === 'object' ? Object.keys(errors ?? {}).length > 0 : Boolean(errors))
  )
}
