import type { IncomingHttpHeaders } from 'node:http'

/**
 * Now by the server's clock: ours where it is within the second of the Date header, which keeps the milliseconds, else
 * the start of that second, which makes waits too long rather than too short.
 */
export function serverNowMs(headers: IncomingHttpHeaders, nowMs: number): number {
  const secondMs = Date.parse(headers.date ?? '')
  return Number.isNaN(secondMs) || (nowMs >= secondMs && nowMs < secondMs + 1000) ? nowMs : secondMs
}
