import type { IncomingHttpHeaders } from 'node:http'

/** PostgREST states in `Content-Range` how many records a write matched: any range of 0. */
export function matchesNone(headers: IncomingHttpHeaders): boolean {
  return /^(?:\w+\s+)?\*\/0$/.test(headers['content-range'] ?? '')
}
