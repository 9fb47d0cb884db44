import { CrmError, type ErrorDetails } from '../../core/errors.ts'
import { shellWord } from '../../core/shell-words.ts'
import { type Call, cannot } from '../transport/call.ts'
import type { Failure } from './failure.ts'

/** The result of all tries of a call. */
export interface CallOutcome {
  readonly tries: number
  /** Whether any try may have taken effect. */
  readonly isInDoubt: boolean
  readonly idempotencyKey: string | undefined
}

/** The rest of the command line is unknown here. */
export function repeatHint({ command }: Call, idempotencyKey: string, more = ''): string {
  return `${command} ... --idempotency-key ${shellWord(idempotencyKey)}${more}, other arguments unchanged: the server then applies it only once`
}

/** A repetition may create a second record, so a person has to check. */
export function lookHint({ lookCommand, command }: Call): string {
  const look = lookCommand ?? `${command} --help`
  return `check before sending it again: ${look}; if the server keeps idempotency keys: crm config set wire.idempotency kept -p PROFILE`
}

/** The error of a call that failed for good, from its last failure. */
export function callError(call: Call, failure: Failure, outcome: CallOutcome): CrmError {
  const { code, reason, status, serverCode, requestId, retryAfterMs, repeat, cause } = failure
  const tries = outcome.tries > 1 && code !== 'interrupted' ? `, after ${outcome.tries} tries` : ''
  const doubt = outcome.isInDoubt ? '; it is unknown whether the server applied it' : ''
  const key = outcome.isInDoubt ? outcome.idempotencyKey : undefined
  const details: ErrorDetails = {
    hint: key === undefined ? failure.hint : repeatHint(call, key),
    isRetryable: failure.rule !== 'never',
    ...(outcome.isInDoubt ? { isInDoubt: true } : {}),
    ...(status === undefined ? {} : { status }),
    ...(serverCode === undefined ? {} : { serverCode }),
    ...(requestId === undefined ? {} : { requestId }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    ...(key === undefined ? {} : { idempotencyKey: key }),
    ...(repeat === undefined || key !== undefined ? {} : { repeat }),
    ...(cause === undefined ? {} : { cause }),
  }
  return new CrmError(code, `${cannot(call)}: ${reason}${tries}${doubt}`, details)
}

/** The error of a create that is in doubt and must not be repeated. */
export function onceError(call: Call, failure: Failure, tries: number): CrmError {
  const { message, code, details } = callError(call, failure, { tries, isInDoubt: true, idempotencyKey: undefined })
  const { repeat: _, ...rest } = details
  return new CrmError(code === 'interrupted' ? code : 'in_doubt', message, {
    ...rest,
    hint: lookHint(call),
    isRetryable: false,
  })
}
