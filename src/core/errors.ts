import { EXIT, type ExitCode } from './exit.ts'

/** The `code` of the error line that `-o json` prints: the contract, where the message is not. */
const ERROR_CODES = {
  usage: EXIT.usage,
  invalid_input: EXIT.usage,
  partial: EXIT.partial,
  /** A write that may have happened or not: it is neither done nor failed. */
  in_doubt: EXIT.partial,
  no_key: EXIT.noKey,
  unauthorized: EXIT.noKey,
  forbidden: EXIT.forbidden,
  not_found: EXIT.notFound,
  bad_request: EXIT.rejected,
  conflict: EXIT.rejected,
  precondition_failed: EXIT.rejected,
  invalid_values: EXIT.rejected,
  rejected: EXIT.rejected,
  bad_answer: EXIT.rejected,
  not_supported: EXIT.rejected,
  rate_limited: EXIT.rateLimited,
  unreachable: EXIT.unreachable,
  timeout: EXIT.unreachable,
  server_error: EXIT.unreachable,
  differences: EXIT.differences,
  unconfirmed: EXIT.unconfirmed,
  not_in_time: EXIT.notInTime,
  machine: EXIT.machine,
  interrupted: EXIT.interrupted,
} as const satisfies Record<string, ExitCode>

export type ErrorCode = keyof typeof ERROR_CODES

/** As it was, with a longer `--timeout`, or with a longer `--max-wait`. */
export type Repeat = 'as it is' | 'longer try' | 'longer wait'

export interface ErrorDetails {
  /** The next command to type, or what to change; one line. */
  readonly hint: string
  readonly cause?: unknown
  /** HTTP status, where a server answered. */
  readonly status?: number
  /** What the server itself calls it, such as `rest_post_invalid_page_number`. */
  readonly serverCode?: string
  readonly requestId?: string
  readonly isRetryable?: boolean
  /** Whether a write took effect is unknown. */
  readonly isInDoubt?: true
  readonly retryAfterMs?: number
  /** The key under which a write whose fate is unknown may be sent again without happening twice. */
  readonly idempotencyKey?: string
  /** The same command may succeed another time; whoever knows what was typed makes it the hint. */
  readonly repeat?: Repeat
  /** The bulk job that can be resumed. */
  readonly job?: string
}

/**
 * A failure that was expected and that the user can act on. The message starts in lower case, names the
 * thing and the value, and says what was expected. Anything thrown that is not a CrmError is a bug.
 */
export class CrmError extends Error {
  override readonly name = 'CrmError'
  readonly code: ErrorCode
  readonly exit: ExitCode
  readonly details: ErrorDetails

  constructor(code: ErrorCode, message: string, details: ErrorDetails) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause })
    this.code = code
    this.exit = ERROR_CODES[code]
    this.details = details
  }
}
