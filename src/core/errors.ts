import { EXIT, type ExitCode } from './exit.ts'

/** The `code` of the error line that `-o json` prints: the contract, where the message is not. */
const ERROR_CODES = {
  usage: EXIT.usage,
  invalid_input: EXIT.usage,
  partial: EXIT.partial,
  /** It is unknown whether the server applied the write. */
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

/** How to repeat the command: unchanged, with a longer `--timeout` or `--max-wait`, or with another value of a flag. */
export type Repeat = 'same' | 'longer-timeout' | 'longer-max-wait' | { readonly flag: string; readonly value: string }

/** What a server says about one member of a record, or about one parameter of a request. */
export interface FieldError {
  /** RFC 6901, into the record: `/lines/0/amount`. */
  readonly pointer?: string
  /** In place of `pointer`: a parameter of the query. */
  readonly parameter?: string
  /** The server's own name for the fault. */
  readonly code?: string
  readonly detail: string
}

/** A place in a file of the user. */
export interface FilePlace {
  /** As typed, or the flag of the value. */
  readonly file: string
  /** Counted from 1, like the column. */
  readonly line: number
  readonly column?: number
}

export interface ErrorDetails {
  /** The next command to type, or what to change; one line. */
  readonly hint: string
  readonly cause?: unknown
  /** A message of several lines, line by line. */
  readonly lines?: readonly string[]
  /** HTTP status, when a server answered. */
  readonly status?: number
  /** The server's own name for the error, such as `rest_post_invalid_page_number`. */
  readonly serverCode?: string
  readonly requestId?: string
  /** The members that the server refused; absent if it names none. */
  readonly fields?: readonly FieldError[]
  /** The mistakes in files of the user that the message counts. */
  readonly places?: readonly (FilePlace & { readonly problem: string })[]
  readonly isRetryable?: boolean
  /** It is unknown whether the server applied the write. */
  readonly isInDoubt?: true
  readonly retryAfterMs?: number
  /** The idempotency key with which a write in doubt can be sent again without taking effect twice. */
  readonly idempotencyKey?: string
  /** The same command may succeed later; the code that knows the command line makes a hint of this. */
  readonly repeat?: Repeat
  /** The bulk job that can be resumed. */
  readonly job?: string
  /** Another process is at work on this; it may be free later. */
  readonly isBusy?: true
}

/**
 * An expected failure that the user can act on. The message starts in lower case, names the
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

/** Wraps an uncaught error as its cause: reported as a bug, even when the signal is aborted. */
export class Uncaught extends Error {
  override readonly name = 'Uncaught'

  constructor(cause: unknown) {
    super('uncaught', { cause })
  }
}

/** Returns a function that stops watching. */
export type WatchProcess = (on: {
  /** Called with an uncaught error; the process continues. */
  readonly uncaught: (error: unknown) => void
  readonly exit: () => void
}) => () => void
