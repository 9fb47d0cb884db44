/** Node uses one code for a reset and a closed connection. */
export const CONNECTION_CLOSED = 'the connection closed without a response'

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: CONNECTION_CLOSED,
  EPIPE: CONNECTION_CLOSED,
  ENOTFOUND: 'no such host',
  EAI_AGAIN: 'the name of the host cannot be resolved right now',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the network cannot be reached',
  ETIMEDOUT: 'the connection timed out',
}

const MAX_REASON_CHARACTERS = 200

/** The reason for a missing response, for the log of a delivery. */
export function failureReason(error: Error): string {
  // Failures of several addresses are one error without a message.
  const cause = error instanceof AggregateError && error.errors[0] instanceof Error ? error.errors[0] : error
  const { code = '', syscall } = cause as NodeJS.ErrnoException
  // The message of a failed connection contains the resolved address, which subscribers must not see.
  const reason = REASONS[code] ?? (syscall === undefined ? cause.message : `the connection failed (${code})`)
  return reason.slice(0, MAX_REASON_CHARACTERS)
}
