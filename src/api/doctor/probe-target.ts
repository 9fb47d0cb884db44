import type { ApiOptions } from '../options.ts'

/** A server, and the options for its requests. */
export type ProbeTarget = Pick<
  ApiOptions,
  'baseUrl' | 'wire' | 'serveDatabase' | 'timeoutMs' | 'maxWaitMs' | 'userAgent' | 'signal' | 'now' | 'debug' | 'env'
> & {
  /** Without a key, only checks that need none are run. */
  readonly key: string | undefined
}

/** Each of many requests waits less than a single one would. */
const MAX_PROBE_MS = 10_000

export function probeLimitMs({ timeoutMs }: Pick<ProbeTarget, 'timeoutMs'>): number {
  return Math.min(timeoutMs, MAX_PROBE_MS)
}
