import { CrmError, type ErrorDetails } from '../../core/errors.ts'
import { shellWord } from '../../core/shell-word.ts'
import { type Call, cannot } from '../transport/call.ts'
import type { Failure } from './failure.ts'

/** What all tries of a call together came to. */
export interface Fate {
  readonly tries: number
  /** Whether any try may have taken effect. */
  readonly isInDoubt: boolean
  readonly idempotencyKey: string | undefined
}

/** The rest of the command line is not known here. */
export function repeatHint({ command }: Call, idempotencyKey: string, more = ''): string {
  return `${command} ... --idempotency-key ${shellWord(idempotencyKey)}${more}, the rest as before: it then happens only once`
}

/** A repetition may make a second record, so a person has to look. */
export function lookHint({ lookCommand, command }: Call): string {
  const look = lookCommand ?? `${command} --help`
  return `look before it is sent again: ${look}; if the server keeps idempotency keys: crm config set wire.idempotency kept -p PROFILE`
}

/** The error of a call that is given up, from its last failure. */
export function callError(call: Call, failure: Failure, fate: Fate): CrmError {
  const { code, reason, status, serverCode, requestId, retryAfterMs, repeat, cause } = failure
  const tries = fate.tries > 1 && code !== 'interrupted' ? `, after ${fate.tries} tries` : ''
  const doubt = fate.isInDoubt ? '; whether it took effect is unknown' : ''
  const key = fate.isInDoubt ? fate.idempotencyKey : undefined
  const details: ErrorDetails = {
    hint: key === undefined ? failure.hint : repeatHint(call, key),
    isRetryable: failure.rule !== 'never',
    ...(fate.isInDoubt ? { isInDoubt: true } : {}),
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

/** The error of a create that is in doubt, and must not be repeated. */
export function onceError(call: Call, failure: Failure, tries: number): CrmError {
  const { message, code, details } = callError(call, failure, { tries, isInDoubt: true, idempotencyKey: undefined })
  const { repeat: _, ...rest } = details
  return new CrmError(code === 'interrupted' ? code : 'in_doubt', message, {
    ...rest,
    hint: lookHint(call),
    isRetryable: false,
  })
}
