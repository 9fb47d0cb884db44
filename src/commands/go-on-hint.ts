import { CrmError, type ErrorCode } from '../core/errors.ts'
import { withFlag } from './command-line.ts'
import type { ListPage } from './keep-matching.ts'

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
