import type { ApiOptions } from '../options.ts'

/** A server, and how it is spoken to. */
export type ProbeTarget = Pick<
  ApiOptions,
  'baseUrl' | 'wire' | 'serveDatabase' | 'timeoutMs' | 'maxWaitMs' | 'userAgent' | 'signal' | 'now' | 'debug' | 'env'
> & {
  /** Undefined where there is none: only what needs no key is looked at. */
  readonly key: string | undefined
}

/** A server that is asked so many things must not be waited for as long as one that is asked a single one. */
const LONGEST_PROBE_MS = 10_000

export function probeLimitMs({ timeoutMs }: Pick<ProbeTarget, 'timeoutMs'>): number {
  return Math.min(timeoutMs, LONGEST_PROBE_MS)
}
