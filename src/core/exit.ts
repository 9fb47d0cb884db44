/** What a caller may branch on; frozen, and printed by `crm help exit-codes`. */
export const EXIT = {
  ok: 0,
  /** A bug in crm, or a failure nothing below describes. */
  bug: 1,
  /** Usage or bad input; nothing was sent. */
  usage: 2,
  /** Some records were changed, some failed or are in doubt; or the one write is in doubt. */
  partial: 3,
  /** No key, or the server does not take it (401). */
  noKey: 4,
  forbidden: 5,
  notFound: 6,
  /** The server rejects it (400, 409, 412, 422), or cannot do it. */
  rejected: 7,
  /** Still rate limited when `--max-wait` was used up. */
  rateLimited: 8,
  /** Unreachable, timed out, or 5xx after retries. */
  unreachable: 9,
  differences: 10,
  /** A confirmation was needed and not given. */
  unconfirmed: 11,
  /** What was awaited did not come in time. */
  notInTime: 12,
  /** This machine is in the way: port, disk, permission, database file. */
  machine: 13,
  interrupted: 130,
  /** Ended by SIGTERM. */
  terminated: 143,
} as const

export type ExitCode = (typeof EXIT)[keyof typeof EXIT]

/** The exit code of a command that this signal has ended. */
export function exitAfter(signal: unknown): ExitCode {
  return signal === 'SIGTERM' ? EXIT.terminated : EXIT.interrupted
}
