/** Node has one code for a connection that was reset and one that was closed. */
export const BROKEN_OFF = 'the connection broke off without an answer'

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: BROKEN_OFF,
  EPIPE: BROKEN_OFF,
  ENOTFOUND: 'there is no such host',
  EAI_AGAIN: 'the name of the host cannot be resolved right now',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the network cannot be reached',
  ETIMEDOUT: 'the connection timed out',
}

const MAX_REASON_CHARACTERS = 200

/** Why there was no answer, for the log of a delivery. */
export function failureReason(error: Error): string {
  // Several addresses that all failed come as one error without a message.
  const cause = error instanceof AggregateError && error.errors[0] instanceof Error ? error.errors[0] : error
  const { code = '', syscall } = cause as NodeJS.ErrnoException
  // The message of a connection names the address that its host stands for, which is not for subscribers.
  const reason = REASONS[code] ?? (syscall === undefined ? cause.message : `the connection failed (${code})`)
  return reason.slice(0, MAX_REASON_CHARACTERS)
}
