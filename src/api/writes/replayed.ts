import type { IncomingHttpHeaders } from 'node:http'
import type { ApiOptions } from '../options.ts'
import type { Call } from '../transport/call.ts'

/** Whether the server answered with what it kept of an earlier request under the same idempotency key. */
export function isReplayed(headers: IncomingHttpHeaders): boolean {
  return String(headers['idempotent-replayed'] ?? headers['idempotency-replayed']) === 'true'
}

/** For the first try of a write: behind a lost answer, the earlier request is its own. */
export function reportReplay(
  { onReplay }: Pick<ApiOptions, 'onReplay'>,
  { action }: Call,
  { headers }: { readonly headers?: IncomingHttpHeaders },
): void {
  if (headers && isReplayed(headers)) onReplay?.(action)
}
