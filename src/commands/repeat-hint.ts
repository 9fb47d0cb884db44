import type { GlobalFlags } from '../context.ts'
import { CrmError } from '../core/errors.ts'
import { commandLine, withFlag } from './command-line.ts'

/** Beyond what the server asks for, and where it asks for nothing. */
const MORE_WAIT_MS = 60_000
const LONG_WAIT_MS = 600_000

/** Where the same command may succeed another time, the hint is that command, with more time where more would help. */
export function withRepeatHint(
  error: unknown,
  argv: readonly string[],
  flags: Pick<GlobalFlags, 'timeoutMs' | 'maxWaitMs'>,
): unknown {
  if (!(error instanceof CrmError) || error.details.repeat === undefined) return error
  const { repeat, retryAfterMs } = error.details
  const hint =
    repeat === 'same'
      ? commandLine(argv)
      : repeat === 'longer-timeout'
        ? withFlag(argv, '--timeout', seconds(4 * flags.timeoutMs))
        : withFlag(argv, '--max-wait', seconds(Math.max(waitMs(retryAfterMs), 2 * flags.maxWaitMs)))
  return new CrmError(error.code, error.message, { ...error.details, hint, cause: error })
}

function waitMs(retryAfterMs: number | undefined): number {
  return retryAfterMs === undefined ? LONG_WAIT_MS : retryAfterMs + MORE_WAIT_MS
}

function seconds(timeMs: number): string {
  return `${Math.ceil(timeMs / 1000)}s`
}
