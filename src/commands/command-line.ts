import type { Page } from '../api/operations.ts'
import { MAX_DURATION_MS } from '../core/duration.ts'
import { CrmError, type ErrorCode } from '../core/errors.ts'
import { shellWord, typedProfile } from '../core/shell-words.ts'
import type { GlobalFlags } from './global-flags.ts'

/** The typed command line with one flag set to another value, quoted for a shell. */
export function withFlag(argv: readonly string[], flag: string, value: string): string {
  return commandLine([...without(argv, flag), flag, value])
}

/** The typed command line without flags that have a value. */
export function withoutFlags(argv: readonly string[], ...flags: readonly string[]): string {
  return commandLine(flags.reduce(without, argv))
}

function without(argv: readonly string[], flag: string): readonly string[] {
  const words: string[] = []
  for (let index = 0; index < argv.length; index++) {
    const word = argv[index] ?? ''
    if (word === flag) index++
    else if (!word.startsWith(`${flag}=`)) words.push(word)
  }
  return words
}

export function commandLine(argv: readonly string[]): string {
  return ['crm', ...argv].map(shellWord).join(' ')
}

/** Errors that may be over in another run. */
const TEMPORARY: readonly ErrorCode[] = ['rate_limited', 'unreachable', 'timeout', 'server_error', 'interrupted']

/** Adds the hint to continue a list after the last printed page. */
export function withContinueHint(error: unknown, argv: readonly string[], last: Page | undefined): unknown {
  const cursor = last?.nextCursor
  if (!(error instanceof CrmError) || cursor === undefined || !TEMPORARY.includes(error.code)) return error
  const { repeat: _, ...details } = error.details
  const hint = withFlag(argv, '--cursor', cursor)
  return new CrmError(error.code, error.message, { ...details, hint, cause: error })
}

/** Added to the wait that the server asks for. */
const MORE_WAIT_MS = 60_000

const LONG_WAIT_MS = 600_000

/** If a repetition may succeed, the hint is the same command, possibly with a longer timeout or wait. */
export function withRepeatHint(
  error: unknown,
  argv: readonly string[],
  flags: Pick<GlobalFlags, 'timeoutMs' | 'maxWaitMs'>,
): unknown {
  if (!(error instanceof CrmError) || error.details.repeat === undefined) return error
  const { repeat, retryAfterMs } = error.details
  const hint =
    typeof repeat === 'object'
      ? withFlag(argv, repeat.flag, repeat.value)
      : repeat === 'same'
        ? commandLine(argv)
        : repeat === 'longer-timeout'
          ? withFlag(argv, '--timeout', seconds(4 * flags.timeoutMs))
          : withFlag(argv, '--max-wait', seconds(Math.max(waitMs(retryAfterMs), 2 * flags.maxWaitMs)))
  return new CrmError(error.code, error.message, { ...error.details, hint, cause: error })
}

/** The commands that talk to the server of the profile, as the hints of src/api name them. */
const OF_PROFILE =
  /\bcrm (?=(?:contacts|deals|notes|pipelines|users|webhooks|api|graphql|doctor|connectors create(?=.* --out mycrm\.yaml)|connectors check(?= --write| compares))\b)/g

/** Commands of a hint are for the server that `-p` named. */
export function withProfileHint(error: unknown, argv: readonly string[]): unknown {
  const profile = typedProfile(argv)
  if (!(error instanceof CrmError) || profile === '' || error.details.hint?.includes(profile) !== false) return error
  const hint = error.details.hint.replace(OF_PROFILE, () => `crm${profile} `)
  return new CrmError(error.code, error.message, { ...error.details, hint, cause: error })
}

function waitMs(retryAfterMs: number | undefined): number {
  return retryAfterMs === undefined ? LONG_WAIT_MS : retryAfterMs + MORE_WAIT_MS
}

function seconds(timeMs: number): string {
  return `${Math.ceil(Math.min(timeMs, MAX_DURATION_MS) / 1000)}s`
}
