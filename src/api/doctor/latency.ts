import type { Finding } from './finding.ts'
import type { Sample } from './probe.ts'

const SLOW_MS = 2000

/** The median of small requests on a connection that stands; the first one of all, which opened it, is left out. */
export function latencyFinding(samples: readonly Sample[]): Finding {
  const times = samples.slice(1).map(({ tookMs }) => tookMs)
  const sorted = (times.length > 0 ? times : samples.map(({ tookMs }) => tookMs)).toSorted((a, b) => a - b)
  const [least = 0, most = 0] = [sorted[0], sorted.at(-1)]
  const median = sorted[Math.floor(sorted.length / 2)] ?? 0
  const found = { median_ms: round(median), least_ms: round(least), most_ms: round(most), requests: sorted.length }
  const seen = `median ${round(median)} ms of ${sorted.length} requests (${round(least)} to ${round(most)} ms)`
  if (median < SLOW_MS) return { check: 'latency', state: 'ok', seen, found }
  return {
    check: 'latency',
    state: 'warn',
    seen,
    found,
    hint: 'long lists take long; --timeout 2m gives slow answers time',
  }
}

/** Below 10 ms a tenth counts. */
function round(timeMs: number): number {
  return timeMs < 10 ? Math.round(timeMs * 10) / 10 : Math.round(timeMs)
}
