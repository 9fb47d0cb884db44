/** The exit codes: a stable interface, printed by `crm help exit-codes`. */
export const EXIT = {
  ok: 0,
  /** A bug in crm, or a failure without a code of its own. */
  bug: 1,
  /** Usage or bad input; nothing was sent. */
  usage: 2,
  /** Some records were changed, some failed or are in doubt; or the one write is in doubt. */
  partial: 3,
  /** No key, or the server does not accept it (401). */
  noKey: 4,
  forbidden: 5,
  notFound: 6,
  /** The server rejects the request (400, 409, 412, 422), or lacks the feature. */
  rejected: 7,
  /** Still rate limited after `--max-wait`. */
  rateLimited: 8,
  /** Unreachable, timed out, or 5xx after retries. */
  unreachable: 9,
  differences: 10,
  /** A required confirmation was not given. */
  unconfirmed: 11,
  /** A wait ended before the awaited event was received. */
  notInTime: 12,
  /** A failure of this machine: port, disk, permission, database file. */
  machine: 13,
  interrupted: 130,
  /** Ended by SIGTERM. */
  terminated: 143,
} as const

export type ExitCode = (typeof EXIT)[keyof typeof EXIT]

/** The exit code of a command ended by this signal. */
export function exitAfter(signal: unknown): ExitCode {
  return signal === 'SIGTERM' ? EXIT.terminated : EXIT.interrupted
}
