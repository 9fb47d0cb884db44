import type { GlobalFlags } from '../context.ts'
import { CrmError, type ErrorCode } from '../core/errors.ts'
import { shellWord } from '../core/shell-word.ts'
import type { ListPage } from './keep-matching.ts'

/** The command line that was typed, with one flag set to another value; ready to be pasted into a shell. */
export function withFlag(argv: readonly string[], flag: string, value: string): string {
  const words: string[] = []
  for (let index = 0; index < argv.length; index++) {
    const word = argv[index] ?? ''
    if (word === flag) index++
    else if (!word.startsWith(`${flag}=`)) words.push(word)
  }
  return commandLine([...words, flag, value])
}

export function commandLine(argv: readonly string[]): string {
  return ['crm', ...argv].map(shellWord).join(' ')
}

/** What another run may not meet again. */
const PASSING: readonly ErrorCode[] = ['rate_limited', 'unreachable', 'timeout', 'server_error', 'interrupted']

/** A list that ends early can be gone on with behind the last page that was printed. */
export function withGoOnHint(error: unknown, argv: readonly string[], last: ListPage | undefined): unknown {
  const cursor = last?.nextCursor
  if (!(error instanceof CrmError) || cursor === undefined || !PASSING.includes(error.code)) return error
  const { repeat: _, ...details } = error.details
  const hint = withFlag(argv, '--cursor', cursor)
  return new CrmError(error.code, error.message, { ...details, hint, cause: error })
}

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
